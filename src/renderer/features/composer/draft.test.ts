import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DraftStorage, WindowDrafts } from '../../state/drafts/window-drafts'
import type { SentMessage } from '../../state/drafts/sent-messages'
import { PersistedDraft } from './draft'

/** Storage of one browser, for any number of windows. */
function storageOf(items = new Map<string, string>()): DraftStorage {
  return {
    get length() {
      return items.size
    },
    key: (at) => [...items.keys()][at] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

function windowOf(storage: DraftStorage, name: string) {
  const drafts = new WindowDrafts(name, () => storage)
  const page = new EventTarget()
  // The drafts of a window are notified of its end before the composer is.
  page.addEventListener('pagehide', () => drafts.mark(true))
  return {
    drafts,
    composer: () => new PersistedDraft('s1', drafts, page),
    close: () => page.dispatchEvent(new Event('pagehide')),
  }
}

const sent = (text: string): SentMessage => ({ text, files: [], same: 0 })

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('the draft of a composer', () => {
  it('keeps both drafts when two windows with one session are closed one after the other', () => {
    const storage = storageOf()
    const [first, second] = [windowOf(storage, 'a'), windowOf(storage, 'b')]
    const [one, two] = [first.composer(), second.composer()]
    one.open()
    two.open()
    two.save('from the second')
    second.close()
    vi.advanceTimersByTime(1)
    one.save('from the first')
    first.close()
    const { text } = windowOf(storage, 'c').composer()
    expect(text.split('\n\n').toSorted()).toEqual(['from the first', 'from the second'])
  })

  it('is stored when typing pauses, and immediately when the composer leaves the screen', () => {
    const { drafts, composer } = windowOf(storageOf(), 'a')
    const draft = composer()
    const leave = draft.open()
    draft.save('h')
    draft.save('he')
    expect(drafts.own('s1')).toBe('')
    vi.runAllTimers()
    expect(drafts.own('s1')).toBe('he')
    draft.save('hello')
    leave()
    expect(drafts.own('s1')).toBe('hello')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps a message until it has arrived', () => {
    const { drafts, composer } = windowOf(storageOf(), 'a')
    const draft = composer()
    draft.open()
    draft.save('question')
    const arrived = draft.trackOutgoing(sent('question'))
    draft.save('')
    draft.save('next')
    vi.runAllTimers()
    expect(drafts.own('s1')).toBe('question\n\nnext')
    arrived(true)
    vi.runAllTimers()
    expect(drafts.own('s1')).toBe('next')
  })

  it('keeps the second of two equal messages in flight', () => {
    const { drafts, composer } = windowOf(storageOf(), 'a')
    const draft = composer()
    draft.open()
    const first = draft.trackOutgoing(sent('again'))
    draft.trackOutgoing(sent('again'))
    first(true)
    vi.runAllTimers()
    expect(drafts.own('s1')).toBe('again')
  })

  it('keeps a message that did not arrive after the session was left', () => {
    const { drafts, composer } = windowOf(storageOf(), 'a')
    const draft = composer()
    const leave = draft.open()
    const arrived = draft.trackOutgoing(sent('question'))
    leave()
    arrived(false)
    expect(drafts.own('s1')).toBe('question')
    expect(composer().text).toBe('question')
  })

  it('removes a message that arrived after the session was left, unless the draft was changed since', () => {
    const { drafts, composer } = windowOf(storageOf(), 'a')
    const draft = composer()
    const leave = draft.open()
    const [first, second] = [draft.trackOutgoing(sent('one')), draft.trackOutgoing(sent('two'))]
    leave()
    first(true)
    expect(drafts.own('s1')).toBe('two')
    const again = composer()
    again.open()
    again.save('two, changed')
    vi.runAllTimers()
    second(true)
    expect(drafts.own('s1')).toBe('two, changed')
  })

  it('drops messages that turn out to have arrived after a reload, and keeps what was typed after them', () => {
    const storage = storageOf()
    const window = windowOf(storage, 'a')
    const draft = window.composer()
    draft.open()
    draft.trackOutgoing(sent('one'))
    draft.trackOutgoing(sent('two'))
    draft.save('next')
    window.close()
    const again = windowOf(storage, 'a').composer()
    again.open()
    expect(again.text).toBe('one\n\ntwo\n\nnext')
    expect(again.confirm(again.unconfirmed.filter(({ text }) => text === 'two'))).toBe('one\n\nnext')
    vi.runAllTimers()
    const third = windowOf(storage, 'a').composer()
    expect(third.confirm(third.unconfirmed)).toBe('next')
    expect(third.unconfirmed).toEqual([])
  })

  it('keeps a restored message that was changed, even if the original arrives', () => {
    const storage = storageOf()
    const window = windowOf(storage, 'a')
    const draft = window.composer()
    draft.open()
    draft.trackOutgoing(sent('question'))
    window.close()
    const again = windowOf(storage, 'a').composer()
    expect(again.unconfirmed).toHaveLength(1)
    again.save('question, changed')
    again.save('Better question')
    expect(again.unconfirmed).toEqual([])
  })
})
