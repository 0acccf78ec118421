import { describe, expect, it } from 'vitest'
import { answerKey, type CardKey } from './answer-grace'

const press = (change: Partial<CardKey> = {}): CardKey => ({
  key: '1',
  at: 10_000,
  repeat: false,
  modified: false,
  composing: false,
  where: 'elsewhere',
  ...change,
})
const card = { shownAt: 5000, lastKeyAt: 5000, keys: ['1', '2', '3', '0'] }

describe('answering an approval by key', () => {
  it('takes the keys of the card and no others', () => {
    expect(answerKey(press(), card)).toBe('1')
    expect(answerKey(press({ key: '3', where: 'empty-text' }), card)).toBe('3')
    expect(answerKey(press({ key: '4' }), card)).toBeUndefined()
    expect(answerKey(press({ key: '0' }), card)).toBe('0')
    for (const key of ['9', 'a', 'Enter', ' ', '12']) expect(answerKey(press({ key }), card)).toBeUndefined()
  })

  it('does not take a keystroke that was under way when the card came up (a command approved by typing)', () => {
    expect(answerKey(press({ at: 5599 }), card)).toBeUndefined()
    expect(answerKey(press({ at: 5600 }), card)).toBe('1')
  })

  it('does not take a number in the middle of typing (writing "step 1" approves)', () => {
    expect(answerKey(press({ at: 10_000 }), { ...card, lastKeyAt: 9500 })).toBeUndefined()
    expect(answerKey(press({ where: 'text' }), card)).toBeUndefined()
    expect(answerKey(press({ where: 'overlay' }), card)).toBeUndefined()
    expect(answerKey(press({ composing: true }), card)).toBeUndefined()
  })

  it('does not take a held key or a shortcut (Ctrl+1, or the key that answered the card before)', () => {
    expect(answerKey(press({ repeat: true }), card)).toBeUndefined()
    expect(answerKey(press({ modified: true }), card)).toBeUndefined()
  })
})
