import { expect, test } from 'vitest'
import { comparableKeys, conflictsOf, isShortcutText, SHORTCUT_COMMANDS, shortcutOf } from './shortcuts'

const context = { commands: SHORTCUT_COMMANDS, isMac: false, inBrowser: true }
const kinds = (id: string, keys: string, choices = {}) =>
  conflictsOf(id, keys, choices, context).map(({ kind }) => kind)

test('the default keys do not conflict with each other', () => {
  for (const { id, keys } of SHORTCUT_COMMANDS) {
    if (keys === undefined) continue
    expect([id, kinds(id, keys).filter((kind) => kind !== 'browser')]).toEqual([id, []])
    expect(isShortcutText(keys)).toBe(true)
  }
})

test('keys conflict with another command, with fixed keys, and with the browser', () => {
  expect(conflictsOf('inbox', 'Mod+B', {}, context)).toMatchObject([{ kind: 'command', id: 'tasks' }])
  expect(kinds('inbox', 'Ctrl+C')).toEqual(['fixed'])
  expect(kinds('inbox', 'Mod+T')).toEqual(['browser'])
  expect(conflictsOf('inbox', 'Mod+T', {}, { ...context, inBrowser: false })).toEqual([])
})

test('a command without keys has no conflicts', () => {
  expect(kinds('inbox', 'Mod+B', { tasks: '' })).toEqual([])
  expect(kinds('inbox', 'Mod+B', { tasks: 'F6' })).toEqual([])
  expect(shortcutOf('tasks', { tasks: '' })).toBeUndefined()
  expect(shortcutOf('tasks', {})).toBe('Mod+B')
})

test('the order of modifiers does not matter, and Ctrl is Mod except on a Mac', () => {
  expect(comparableKeys('Shift+Ctrl+k', false)).toBe(comparableKeys('Mod+Shift+K', false))
  expect(comparableKeys('Ctrl+K', true)).not.toBe(comparableKeys('Mod+K', true))
  expect(comparableKeys('Shift+?', false)).toBe('?')
  expect(comparableKeys('Mod++', false)).toBe('Mod++')
})

test('text that names no keys is rejected', () => {
  expect(['', '?', 'F6', 'Mod+Shift+K', 'Mod++', 'Alt+Up'].every(isShortcutText)).toBe(true)
  expect(['Mod', 'K+Mod', 'Mod+Mod+K', 'Hyper+K', 'Mod+', 'abc'].some(isShortcutText)).toBe(false)
})
