import { expect, it } from 'vitest'
import { keyData } from './typed-ahead'

const press = (key: string, held: Partial<Parameters<typeof keyData>[0]> = {}) =>
  keyData({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, ...held })

it('passes characters, line-editing keys and Ctrl+letter to the shell', () => {
  expect(['a', 'É', '😀', ' '].map((key) => press(key))).toEqual(['a', 'É', '😀', ' '])
  expect(press('A', { shiftKey: true })).toBe('A')
  expect(press('@', { ctrlKey: true, altKey: true })).toBe('@')
  expect(['Enter', 'Tab', 'Backspace', 'ArrowUp'].map((key) => press(key))).toEqual(['\r', '\t', '\u007f', '\u001b[A'])
  expect(press('c', { ctrlKey: true })).toBe('\u0003')
})

it('leaves other keys to the page', () => {
  expect(press('F6')).toBeUndefined()
  expect(press('Tab', { shiftKey: true })).toBeUndefined()
  expect(press('F', { ctrlKey: true, shiftKey: true })).toBeUndefined()
  expect(press('k', { metaKey: true })).toBeUndefined()
  expect(press('a', { isComposing: true })).toBeUndefined()
})

it('treats neither a modifier nor the paste shortcut as text', () => {
  expect(press('Shift', { shiftKey: true })).toBe('modifier')
  expect(press('V', { ctrlKey: true, shiftKey: true })).toBe('paste')
})
