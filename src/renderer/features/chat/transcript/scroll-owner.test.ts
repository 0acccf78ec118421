import { afterEach, describe, expect, it, vi } from 'vitest'
import { distanceFromEnd, followsEnd, ScrollOwner } from './scroll-owner'

const at = (top: number, height = 2000, viewport = 800) => ({ top, height, viewport })
const END = at(1200)

describe('following the end of a conversation', () => {
  it('continues when rows grow, shrink or are measured, whatever the last input was', () => {
    expect(followsEnd(true, END, at(1200, 2300), false)).toBe(true)
    expect(followsEnd(true, END, at(1200, 2300), true)).toBe(true)
    expect(followsEnd(true, END, at(1000, 1800), true)).toBe(true)
    expect(followsEnd(true, END, at(700, 2300), false)).toBe(true)
  })

  it('continues when the window or the dock below changes its height', () => {
    expect(followsEnd(true, END, at(1200, 2000, 500), true)).toBe(true)
    expect(followsEnd(true, END, at(1000, 2000, 1000), true)).toBe(true)
  })

  it('stops when the user scrolls up, including find in page, which sends no input', () => {
    expect(followsEnd(true, END, at(1190), true)).toBe(false)
    expect(followsEnd(true, END, at(900), false)).toBe(false)
    expect(followsEnd(true, END, at(1100, 2300), true)).toBe(false)
  })

  it('stays stopped while a slow wheel scrolls up pixel by pixel near the end', () => {
    expect(followsEnd(false, END, at(1196), true)).toBe(false)
    expect(followsEnd(false, at(1196), at(1192), true)).toBe(false)
    expect(followsEnd(false, END, END, true)).toBe(false)
  })

  it('resumes when the user returns to the end, or collapses a row expanded there', () => {
    expect(followsEnd(false, at(900), at(1180), true)).toBe(true)
    expect(followsEnd(false, at(900), at(1100), true)).toBe(false)
    expect(followsEnd(false, at(1200, 2500), END, true)).toBe(true)
    expect(followsEnd(false, at(1200, 2500), at(1200, 2100), true)).toBe(false)
  })

  it('measures the distance from the end, which is never negative', () => {
    expect(distanceFromEnd(at(1000))).toBe(200)
    expect(distanceFromEnd(at(1300))).toBe(0)
  })
})

describe('a conversation at its end', () => {
  afterEach(() => vi.unstubAllGlobals())

  /** A scroll area of 300 by 2000 px; `resize` reports a new size of it, as the browser does. */
  function conversation() {
    let report: ((entries: { target: unknown }[]) => void) | undefined
    class Observer {
      constructor(callback: typeof report) {
        report = callback
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    }
    vi.stubGlobal('ResizeObserver', Observer)
    class Area extends EventTarget {
      clientHeight = 300
      scrollHeight = 2000
      top = 0
      get scrollTop() {
        return this.top
      }
      set scrollTop(value: number) {
        this.top = Math.min(value, this.scrollHeight - this.clientHeight)
      }
    }
    const area = new Area()
    const scroller = area as unknown as HTMLElement
    const content = { firstElementChild: null } as unknown as HTMLElement
    const owner = new ScrollOwner('s', 0, () => {})
    owner.show({ items: [], hasMore: false, onLoadOlder: () => {} })
    owner.attach({ list: { current: null }, scroller, content })
    const move = (top: number): void => {
      area.top = top
      owner.onScrolled()
    }
    return { area, move, resize: () => report?.([{ target: scroller }]) }
  }

  it('stays there when the list corrects its position after the window was resized', () => {
    const { area, move, resize } = conversation()
    resize()
    move(700)
    expect(area.scrollTop).toBe(1700)
  })

  it('is left by scrolling up right after the window was resized', () => {
    const { area, move, resize } = conversation()
    resize()
    area.dispatchEvent(new Event('pointerdown'))
    move(700)
    expect(area.scrollTop).toBe(700)
  })

  it('is left by a movement without input, such as that of find in page, when nothing was resized', () => {
    const { area, move } = conversation()
    move(700)
    expect(area.scrollTop).toBe(700)
  })
})
