import { describe, expect, it } from 'vitest'
import type { SupersededAttempt } from '../../../../shared/events/transcript-item'
import { attemptGroups, thoughtPreview } from './answer'

describe('the summary line of thoughts', () => {
  it('is one line without Markdown marks', () => {
    expect(thoughtPreview('**Checking** the `parser` first\nThen more', false)).toBe('Checking the parser first')
    expect(thoughtPreview('## Plan\n', false)).toBe('Plan')
    expect(thoughtPreview('- [ ] see [the docs](https://a.b) and *this* or _that_', false)).toBe(
      'see the docs and this or that',
    )
    expect(thoughtPreview('first\nnow `half **op', true)).toBe('now half op')
  })

  it('keeps names with underscores and arithmetic unchanged', () => {
    expect(thoughtPreview('snake_case_name, 2 * 3 * 4, __init__ and a*b*c', false)).toBe(
      'snake_case_name, 2 * 3 * 4, init and a*b*c',
    )
    expect(thoughtPreview('x'.repeat(1000), false)).toHaveLength(160)
    expect(thoughtPreview('', true)).toBe('')
  })
})

describe('failed attempts', () => {
  const failure = (title: string): SupersededAttempt['failure'] => ({
    code: 'model.overloaded',
    title,
    message: `${title} (HTTP 529)`,
    advice: '',
    retryable: true,
  })
  const attempt = (n: number, title: string, text = ''): SupersededAttempt => ({
    attempt: n,
    failure: failure(title),
    text,
    thinking: '',
  })

  it('are one line when they failed for the same reason', () => {
    const groups = attemptGroups([attempt(1, 'Overloaded'), attempt(2, 'Overloaded'), attempt(3, 'Cut off')])
    expect(groups.map(({ first, last }) => [first, last])).toEqual([
      [1, 2],
      [3, 3],
    ])
  })

  it('keep separate lines when they had produced output', () => {
    const groups = attemptGroups([
      attempt(1, 'Cut off', 'Half'),
      attempt(2, 'Cut off', 'Half an'),
      attempt(3, 'Cut off'),
    ])
    expect(groups.map(({ first, last, output }) => [first, last, output])).toEqual([
      [1, 1, 'Half'],
      [2, 2, 'Half an'],
      [3, 3, ''],
    ])
  })
})
