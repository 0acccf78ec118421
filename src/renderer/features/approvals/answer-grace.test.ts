import { describe, expect, it } from 'vitest'
import { optionForKey, type CardKey } from './answer-grace'

const press = (change: Partial<CardKey> = {}): CardKey => ({
  key: '1',
  at: 10_000,
  repeat: false,
  modified: false,
  composing: false,
  where: 'elsewhere',
  ...change,
})
const card = { shownAt: 5000, lastKeyAt: 5000, options: 3 }

describe('answering an approval by key', () => {
  it('answers with the option of that number', () => {
    expect(optionForKey(press(), card)).toBe(0)
    expect(optionForKey(press({ key: '3', where: 'empty-text' }), card)).toBe(2)
    expect(optionForKey(press({ key: '4' }), card)).toBeUndefined()
    for (const key of ['0', 'a', 'Enter', ' ', '12']) expect(optionForKey(press({ key }), card)).toBeUndefined()
  })

  it('does not take a keystroke that was under way when the card came up (a command approved by typing)', () => {
    expect(optionForKey(press({ at: 5599 }), card)).toBeUndefined()
    expect(optionForKey(press({ at: 5600 }), card)).toBe(0)
  })

  it('does not take a number in the middle of typing (writing "step 1" approves)', () => {
    expect(optionForKey(press({ at: 10_000 }), { ...card, lastKeyAt: 9500 })).toBeUndefined()
    expect(optionForKey(press({ where: 'text' }), card)).toBeUndefined()
    expect(optionForKey(press({ where: 'overlay' }), card)).toBeUndefined()
    expect(optionForKey(press({ composing: true }), card)).toBeUndefined()
  })

  it('does not take a held key or a shortcut (Ctrl+1, or the key that answered the card before)', () => {
    expect(optionForKey(press({ repeat: true }), card)).toBeUndefined()
    expect(optionForKey(press({ modified: true }), card)).toBeUndefined()
  })
})
