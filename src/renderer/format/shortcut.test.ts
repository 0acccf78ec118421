import { describe, expect, it } from 'vitest'
import { isShortcut, shortcutAria, shortcutFrom, shortcutText, spokenShortcut } from './shortcut'

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

it('spells keys out for screen readers', () => {
  expect(spokenShortcut('Mod+Shift+K')).toBe('Control Shift K')
  expect(spokenShortcut('Alt+Up')).toBe('Alt Up arrow')
  expect(spokenShortcut('Mod+,')).toBe('Control Comma')
  expect(spokenShortcut('?')).toBe('Question mark')
})

describe('shortcutFrom', () => {
  const from = (key: string, more: Partial<Parameters<typeof shortcutFrom>[0]> = {}) =>
    shortcutFrom({ ...press(key), ...more })

  it('names the pressed keys, so that they match again', () => {
    for (const [key, more, keys] of [
      ['k', { ctrlKey: true }, 'Mod+K'],
      ['K', { ctrlKey: true, shiftKey: true }, 'Mod+Shift+K'],
      ['?', { shiftKey: true }, '?'],
      ['ArrowUp', { altKey: true }, 'Alt+Up'],
      ['F6', {}, 'F6'],
      [' ', { ctrlKey: true }, 'Mod+Space'],
      ['+', { ctrlKey: true }, 'Mod++'],
    ] as const) {
      expect(from(key, more)).toBe(keys)
      const event = { ...press(key), ...more }
      expect([keys, isShortcut(event, keys)]).toEqual([keys, true])
    }
  })

  it('uses the position of the key for the letter when Alt types another character', () => {
    expect(from('å', { altKey: true, code: 'KeyA' })).toBe('Alt+A')
    expect(isShortcut({ ...press('å', { altKey: true }), code: 'KeyA' }, 'Alt+A')).toBe(true)
  })

  it('works on Cyrillic and Greek keyboards by the position of the key', () => {
    for (const key of ['л', 'Л', 'κ']) {
      const event = { ...press(key, { ctrlKey: true }), code: 'KeyK' }
      expect(shortcutFrom(event)).toBe('Mod+K')
      expect(isShortcut(event, 'Mod+K')).toBe(true)
      expect(isShortcut(event, 'Mod+J')).toBe(false)
    }
    // On a Latin keyboard with another layout, the typed letter counts.
    const dvorak = { ...press('t', { ctrlKey: true }), code: 'KeyK' }
    expect([isShortcut(dvorak, 'Mod+K'), isShortcut(dvorak, 'Mod+T')]).toEqual([false, true])
    // A key that types a letter outside the Latin alphabet keeps its own name.
    expect(from('ö', { ctrlKey: true, code: 'Semicolon' })).toBe('Mod+Ö')
    expect(isShortcut({ ...press('ö', { ctrlKey: true }), code: 'Semicolon' }, 'Mod+Ö')).toBe(true)
  })

  it('waits while only modifiers are held', () => {
    expect(from('Shift', { shiftKey: true })).toBeUndefined()
    expect(from('Control', { ctrlKey: true })).toBeUndefined()
  })
})
