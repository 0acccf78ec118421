import type { ContextMenuParams } from 'electron'
import { expect, test } from 'vitest'
import { contextMenu, type ContextMenuActions } from './context-menu'

const done: unknown[][] = []
const actions: ContextMenuActions = {
  replaceMisspelling: (...given) => done.push(['replace', ...given]),
  learnWord: (...given) => done.push(['learn', ...given]),
  copyText: (...given) => done.push(['copy', ...given]),
  copyImage: (...given) => done.push(['image', ...given]),
  openLink: (...given) => done.push(['open', ...given]),
  lookUp: () => done.push(['look up']),
}

function menuOf(params: Partial<ContextMenuParams>, platform: NodeJS.Platform = 'linux') {
  const editFlags = {
    canUndo: true,
    canRedo: false,
    canCut: true,
    canCopy: true,
    canPaste: true,
    canSelectAll: true,
    canDelete: true,
    canEditRichly: false,
  }
  const usual = {
    x: 3,
    y: 4,
    selectionText: '',
    linkURL: '',
    mediaType: 'none',
    misspelledWord: '',
    dictionarySuggestions: [],
    isEditable: false,
    hasImageContents: false,
    editFlags,
  }
  return contextMenu({ ...usual, ...params } as unknown as ContextMenuParams, platform, actions)
}
const names = (params: Partial<ContextMenuParams>, platform?: NodeJS.Platform) =>
  menuOf(params, platform).map(
    ({ label, role, type, enabled }) => `${label ?? role ?? type}${enabled === false ? ' (off)' : ''}`,
  )

test('selected text can be copied', () => {
  expect(names({ selectionText: 'some words' })).toEqual(['copy', 'separator', 'selectAll'])
})

test('a text field offers undo, the clipboard and select all, as far as they apply', () => {
  expect(names({ isEditable: true })).toEqual([
    'undo',
    'redo (off)',
    'separator',
    'cut',
    'copy',
    'paste',
    'pasteAndMatchStyle',
    'separator',
    'selectAll',
  ])
})

test('a misspelled word can be replaced by a suggestion or added to the dictionary', () => {
  const menu = menuOf({
    isEditable: true,
    misspelledWord: 'teh',
    dictionarySuggestions: ['the', 'tea', 'ten', 'tech', 'Tex', 'toe'],
  })
  expect(menu.slice(0, 7).map(({ label, type }) => label ?? type)).toEqual([
    'the',
    'tea',
    'ten',
    'tech',
    'Tex',
    'separator',
    'Add to Dictionary',
  ])
  const click = (label: string) =>
    menu.find((item) => item.label === label)?.click?.(undefined as never, undefined, undefined as never)
  done.length = 0
  click('the')
  click('Add to Dictionary')
  expect(done).toEqual([
    ['replace', 'the'],
    ['learn', 'teh'],
  ])
  expect(names({ isEditable: true, misspelledWord: 'qqq' })[0]).toBe('No Guesses Found (off)')
})

test('a link can be opened and copied, unless its scheme is not allowed', () => {
  expect(names({ linkURL: 'https://example.org/a' })).toEqual(['Open Link', 'Copy Link', 'separator', 'selectAll'])
  expect(names({ linkURL: 'file:///etc/passwd' })).toEqual([])
})

test('a picture can be copied', () => {
  expect(names({ mediaType: 'image', hasImageContents: true })).toEqual(['Copy Image', 'separator', 'selectAll'])
})

test('on a Mac selected words can be looked up, shortened in the menu', () => {
  expect(names({ selectionText: 'a very long selection\nof several lines' }, 'darwin')[0]).toBe(
    'Look Up “a very long selection of…”',
  )
})

test('shows no menu when no action applies', () => {
  expect(names({})).toEqual([])
})
