import { describe, expect, it } from 'vitest'
import { isShortcut, shortcutAria, shortcutText } from './shortcut'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

describe('isShortcut', () => {
  it.each([
    ['Mod+K', press('k', { ctrlKey: true }), true],
    ['Mod+K', press('K', { ctrlKey: true, shiftKey: true }), false],
    ['Mod+K', press('k'), false],
    ['Mod+K', press('k', { ctrlKey: true, altKey: true }), false],
    ['Mod+,', press(',', { ctrlKey: true }), true],
    ['Alt+Up', press('ArrowUp', { altKey: true }), true],
    ['Alt+Up', press('ArrowUp'), false],
    ['?', press('?', { shiftKey: true }), true],
    ['Esc', press('Escape'), true],
    ['Shift+Tab', press('Tab'), false],
  ])('matches %s only with exactly its modifiers', (shortcut, event, is) => {
    expect(isShortcut(event, shortcut)).toBe(is)
  })
})

it('writes keys as they are labeled on this platform', () => {
  expect(shortcutText('Mod+K')).toBe('Ctrl K')
  expect(shortcutText('Alt+Up')).toBe('Alt ↑')
  expect(shortcutAria('Alt+Up')).toBe('Alt+ArrowUp')
  expect(shortcutAria('Mod+K')).toBe('Control+K')
})
