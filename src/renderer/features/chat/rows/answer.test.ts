import { describe, expect, it } from 'vitest'
import { thoughtPreview } from './answer'

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
