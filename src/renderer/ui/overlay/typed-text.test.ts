import { describe, expect, it } from 'vitest'
import { isWorthKeeping, type VisitedField } from './typed-text'

const field = (before: string, now: string, isLong = false): VisitedField => ({ isLong, before, now })

describe('isWorthKeeping', () => {
  it('keeps a longer text that was typed or changed', () => {
    expect(isWorthKeeping([field('', 'Check the dependencies', true)])).toBe(true)
    expect(isWorthKeeping([field('Check', 'Check all', true)])).toBe(true)
  })

  it('keeps the text of several fields', () => {
    expect(isWorthKeeping([field('', 'nightly'), field('', 'every 2 h')])).toBe(true)
  })

  it('does not ask about a single line', () => {
    expect(isWorthKeeping([field('', 'notes.md')])).toBe(false)
  })

  it('does not ask about fields that are unchanged, or empty again', () => {
    expect(isWorthKeeping([field('same', 'same', true), field('', ' ', true), field('', 'one')])).toBe(false)
    expect(isWorthKeeping([])).toBe(false)
  })
})
