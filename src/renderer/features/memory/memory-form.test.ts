import { expect, it } from 'vitest'
import { isMemoryChanged, memoryContent, memoryFields } from './memory-form'

const entry = { key: 'editor', text: 'Uses vim', category: 'tools', folder: '/app' }

it('keeps the typed fields when an agent changes the entry, and updates the others', () => {
  const typed = { text: 'Uses vim and emacs' }
  const changed = { ...entry, text: 'Uses nano', category: 'editors' }
  expect(memoryFields(changed, typed)).toEqual({ ...entry, text: 'Uses vim and emacs', category: 'editors' })
  expect(memoryContent(changed, typed)).toEqual({ ...entry, text: 'Uses vim and emacs', category: 'editors' })
})

it('has something to save only while it differs from the entry', () => {
  expect(isMemoryChanged(entry, {})).toBe(false)
  expect(isMemoryChanged(entry, { text: 'Uses vim' })).toBe(false)
  expect(isMemoryChanged(entry, { category: '' })).toBe(true)
  // The agent has made the same change.
  expect(isMemoryChanged({ ...entry, text: 'new' }, { text: 'new' })).toBe(false)
  expect(isMemoryChanged(undefined, {})).toBe(true)
})

it('omits a blank category, and the folder of an entry that applies everywhere', () => {
  expect(memoryContent(entry, { category: '  ', folder: '' })).toEqual({ key: 'editor', text: 'Uses vim' })
  expect(memoryContent(undefined, { key: 'k', text: 't' })).toEqual({ key: 'k', text: 't' })
})
