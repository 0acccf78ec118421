import { describe, expect, it } from 'vitest'
import { plainText } from './plain-text'

/**
 * With a separate search for the end of each tag, a page of this size took minutes, and the largest would take hours.
 */
const SIZE = 512 * 1024

describe('the plain text of a page', () => {
  it('has its lines, without tags, comments, scripts and styles', () => {
    const page =
      '<!DOCTYPE html><html><head><style>a > b {}</style><SCRIPT>if (a < b) x()</Script >\n' +
      '<title>Not found</title></head><body><!-- a > b --><h1>404</h1><p>There is  no &lt;page&gt;&nbsp;here.</p>' +
      'a<br>b \n\n c<!-- open <b>bold</b> 1 < 2'
    expect(plainText(page)).toBe('Not found 404\nThere is no <page> here.\na\nb\nc bold 1 < 2')
  })

  it.each(['<', '<!--', '<script ', '<a><script>', '</script', '<style\f', '\f', '&nbsp;', '<p><'])(
    'is read once, however often a page repeats %j',
    (piece) => {
      const text = plainText(piece.repeat(SIZE / piece.length))
      expect(text.length).toBeLessThanOrEqual(SIZE)
    },
  )
})
