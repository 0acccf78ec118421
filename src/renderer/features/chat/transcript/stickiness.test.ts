import { describe, expect, it } from 'vitest'
import { followsEnd } from './stickiness'

const at = (top: number, height: number, viewport = 800) => ({ top, height, viewport })

describe('following the end of the transcript', () => {
  it('goes on while content grows faster than it is followed (the view stops in the middle of an answer)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4200, 5600))).toBe(true)
  })

  it('goes on when rows above turn out smaller or the window changes (a measured row lets go of the end)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4100, 4900))).toBe(true)
    expect(followsEnd(true, at(4200, 5000), at(4150, 5000, 750))).toBe(false)
    expect(followsEnd(true, at(4200, 5000), at(4200, 5000, 600))).toBe(true)
  })

  it('lets go as soon as the reader moves up, even in the frame in which text arrives (the page fights the reader)', () => {
    expect(followsEnd(true, at(4200, 5000), at(4100, 5000))).toBe(false)
    expect(followsEnd(true, at(4200, 5000), at(4150, 5300))).toBe(false)
  })

  it('takes hold again at the end and nowhere else (the view jumps to the end while reading)', () => {
    expect(followsEnd(false, at(3000, 5000), at(3500, 5000))).toBe(false)
    expect(followsEnd(false, at(3500, 5000), at(4190, 5000))).toBe(true)
  })
})
