import { describe, expect, it } from 'vitest'
import { followsEnd } from './stickiness'

const at = (top: number, height: number, viewport = 800) => ({ top, height, viewport })

describe('following the end of the transcript', () => {
  it('goes on while content grows faster than it is followed (the view stops in the middle of an answer)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4200, 5600), false)).toBe(true)
    expect(followsEnd(true, at(4200, 5000), at(4200, 5600), true)).toBe(true)
  })

  it('goes on when rows above turn out smaller, others larger, or the window changes (a measured row lets go of the end)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4100, 4900), true)).toBe(true)
    expect(followsEnd(true, at(4200, 5000), at(3900, 4900), false)).toBe(true)
    expect(followsEnd(true, at(4200, 5000), at(4200, 5000, 600), true)).toBe(true)
  })

  it('lets go as soon as the reader moves up, even in the frame in which text arrives (the page fights the reader)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4100, 5000), true)).toBe(false)
    expect(followsEnd(true, at(4200, 5000), at(4150, 5300), true)).toBe(false)
  })

  it('lets go of a jump that no input explains (find in page is undone by the next chunk)', () => {
    expect(followsEnd(true, at(4200, 5000), at(1000, 5000), false)).toBe(false)
  })

  it('takes hold again at the end and nowhere else (the view jumps to the end while reading)', () => {
    expect(followsEnd(false, at(3000, 5000), at(3500, 5000), true)).toBe(false)
    expect(followsEnd(false, at(3500, 5000), at(4190, 5000), true)).toBe(true)
  })
})
