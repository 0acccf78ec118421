import { describe, expect, it } from 'vitest'
import { glimpse } from './glimpse'

describe('a glimpse of thoughts', () => {
  it('is one line, read as people read it: without the marks of Markdown', () => {
    expect(glimpse('**Checking** the `parser` first\nThen more', false)).toBe('Checking the parser first')
    expect(glimpse('## Plan\n', false)).toBe('Plan')
    expect(glimpse('- [ ] see [the docs](https://a.b) and *this* or _that_', false)).toBe('see the docs and this or that')
    expect(glimpse('first\nnow `half **op', true)).toBe('now half op')
  })

  it('keeps names and products as they are', () => {
    expect(glimpse('snake_case_name, 2 * 3 * 4, __init__ and a*b*c', false)).toBe('snake_case_name, 2 * 3 * 4, init and a*b*c')
    expect(glimpse('x'.repeat(1000), false)).toHaveLength(160)
    expect(glimpse('', true)).toBe('')
  })
})
