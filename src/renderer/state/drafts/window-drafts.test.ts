import { describe, expect, it } from 'vitest'
import { type DraftStorage, WindowDrafts } from './window-drafts'

class MemoryStorage implements DraftStorage {
  readonly items = new Map<string, string>()
  get length(): number {
    return this.items.size
  }
  key(at: number): string | null {
    return [...this.items.keys()][at] ?? null
  }
  getItem(key: string): string | null {
    return this.items.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value)
  }
  removeItem(key: string): void {
    this.items.delete(key)
  }
}

/** A browser in which windows are opened one after the other. */
function browser() {
  const storage = new MemoryStorage()
  let at = 0
  return {
    storage,
    open: (windowId: string) =>
      new WindowDrafts(
        windowId,
        () => storage,
        () => ++at,
      ),
  }
}

/** Where an earlier version kept the draft of the session. */
const OLD = 'trestle.draft.s1'

describe('drafts of several windows', () => {
  it('keeps the draft of a closed window when a later one is closed too', () => {
    const { open } = browser()
    const [first, second] = [open('a'), open('b')]
    first.keep('s1', 'from the first')
    second.keep('s1', 'from the second')
    second.mark(true)
    first.mark(true)
    expect(open('c').find('s1')).toBe('from the first\n\nfrom the second')
  })

  it('restores the draft of each window after a reload', () => {
    const { open } = browser()
    for (const name of ['a', 'b']) open(name).keep('s1', `of ${name}`)
    for (const name of ['a', 'b']) {
      open(name).mark(true)
      const again = open(name)
      again.mark(false)
      expect(again.find('s1')).toBe(`of ${name}`)
    }
  })

  it('continues the draft of an open window, which keeps its own later changes', () => {
    const { open } = browser()
    const [first, second] = [open('a'), open('b')]
    first.keep('s1', 'hello')
    expect(second.find('s1')).toBe('hello')
    first.keep('s1', 'hello there')
    second.keep('s1', 'hello you')
    expect(first.find('s1')).toBe('hello there')
    first.mark(true)
    second.mark(true)
    expect(open('c').find('s1')).toBe('hello there\n\nhello you')
  })

  it('does not join drafts that must stay separate: the second is found once the first is done', () => {
    const { open } = browser()
    const [first, second] = [open('a'), open('b')]
    first.keep('s1', '{"n":1}')
    second.keep('s1', '{"n":2}')
    first.mark(true)
    second.mark(true)
    const third = open('c')
    expect(third.findOne('s1')).toBe('{"n":1}')
    third.keep('s1', '{"n":1.5}')
    third.keep('s1', '')
    expect(third.findOne('s1')).toBe('{"n":2}')
  })

  it('does not show a draft that was continued and sent a second time', () => {
    const { open } = browser()
    const first = open('a')
    first.keep('s1', 'question')
    first.mark(true)
    const second = open('b')
    expect(second.find('s1')).toBe('question')
    second.keep('s1', '')
    expect(second.find('s1')).toBe('')
    expect(open('c').find('s1')).toBe('')
  })

  it('does not fill an emptied field with text typed in another window', () => {
    const { open } = browser()
    const [first, second] = [open('a'), open('b')]
    first.keep('s1', 'mine')
    first.keep('s1', '')
    second.keep('s1', 'still being typed')
    expect(first.find('s1')).toBe('')
  })

  it('finds a draft written while the page was unloading', () => {
    const { open } = browser()
    const first = open('a')
    first.mark(true)
    first.keep('s1', 'last words')
    const second = open('b')
    second.keep('s1', 'x')
    second.keep('s1', '')
    expect(second.find('s1')).toBe('last words')
  })

  it('finds the draft of a window that crashed', () => {
    const { open } = browser()
    open('a').keep('s1', 'before the crash')
    expect(open('b').find('s1')).toBe('before the crash')
  })

  it('loses nothing when a draft is only read', () => {
    const { open, storage } = browser()
    const first = open('a')
    first.keep('s1', 'text')
    first.mark(true)
    const before = [...storage.items]
    open('b').find('s1')
    expect([...storage.items]).toEqual(before)
  })

  it('keeps sessions separate, even if one ID ends with another', () => {
    const { open } = browser()
    const first = open('a')
    first.keep('s1', 'one')
    first.keep('xs1', 'two')
    first.mark(true)
    expect(open('b').find('s1')).toBe('one')
    expect(open('b').find('xs1')).toBe('two')
    expect(open('b').find('1')).toBe('')
  })
})

describe('stored drafts', () => {
  it('continue the draft of an earlier version, and remove it once a draft is stored', () => {
    const { open, storage } = browser()
    storage.setItem(OLD, 'from last year')
    const window = open('a')
    expect(window.find('s1', OLD)).toBe('from last year')
    expect(storage.getItem(OLD)).toBe('from last year')
    window.keep('s1', 'from last year, and today')
    expect(storage.getItem(OLD)).toBeNull()
    expect(open('a').find('s1', OLD)).toBe('from last year, and today')
  })

  it('leave no entry behind for an emptied field', () => {
    const { open, storage } = browser()
    const window = open('a')
    window.keep('s1', 'x')
    window.keep('s1', '')
    expect(storage.items.size).toBe(0)
  })

  it('ignore damaged entries, and leave them unchanged', () => {
    const { open, storage } = browser()
    const first = open('a')
    first.keep('s1', 'x')
    const [key] = [...storage.items.keys()]
    for (const raw of ['', '{', 'null', '3', '[]', '{"text":3,"at":1}', '{"text":"x"}', '{"text":"x","at":"1"}']) {
      storage.setItem(key!, raw)
      expect(open('b').find('s1')).toBe('')
      expect(open('a').find('s1')).toBe('')
      open('a').mark(true)
      expect(storage.getItem(key!)).toBe(raw)
    }
  })

  it('last as long as the page if storage is disabled or full', () => {
    const disabled = new WindowDrafts('a', () => {
      throw new DOMException('disabled', 'SecurityError')
    })
    disabled.keep('s1', 'typed')
    disabled.mark(true)
    expect(disabled.find('s1')).toBe('typed')
    const { storage } = browser()
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    storage.items.set(OLD, 'older')
    const full = new WindowDrafts('a', () => storage)
    expect(full.find('s1', OLD)).toBe('older')
    full.keep('s1', 'older and newer')
    expect(full.find('s1', OLD)).toBe('older and newer')
    expect(storage.getItem(OLD)).toBe('older')
  })
})
