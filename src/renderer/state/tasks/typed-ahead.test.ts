import { expect, it } from 'vitest'
import { keyData } from './typed-ahead'

const press = (key: string, held: Partial<Parameters<typeof keyData>[0]> = {}) =>
  keyData({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, ...held })

it('gives a shell characters, the keys that edit a line, and Ctrl with a letter', () => {
  expect(['a', 'É', '😀', ' '].map((key) => press(key))).toEqual(['a', 'É', '😀', ' '])
  expect(press('A', { shiftKey: true })).toBe('A')
  expect(press('@', { ctrlKey: true, altKey: true })).toBe('@')
  expect(['Enter', 'Tab', 'Backspace', 'ArrowUp'].map((key) => press(key))).toEqual(['\r', '\t', '\u007f', '\u001b[A'])
  expect(press('c', { ctrlKey: true })).toBe('\u0003')
})

it('leaves keys to the page that are not for a shell', () => {
  expect(press('F6')).toBeUndefined()
  expect(press('Tab', { shiftKey: true })).toBeUndefined()
  expect(press('F', { ctrlKey: true, shiftKey: true })).toBeUndefined()
  expect(press('k', { metaKey: true })).toBeUndefined()
  expect(press('a', { isComposing: true })).toBeUndefined()
})

it('takes neither a held key nor the key that pastes for text', () => {
  expect(press('Shift', { shiftKey: true })).toBe('modifier')
  expect(press('V', { ctrlKey: true, shiftKey: true })).toBe('paste')
})
