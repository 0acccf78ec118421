import { browserStorage } from '../../state/page/browser-storage'
import { linesOf, messagesIn, type SentMessage } from '../../state/drafts/sent-messages'
import type { WindowDrafts } from '../../state/drafts/window-drafts'

const KEEP_AFTER_MS = 400

/** Keeps this window's draft, and sent but unconfirmed messages, when the session changes or the page reloads. */
export class PersistedDraft {
  text: string
  /**
   * Sent from an earlier page, which was closed before it knew whether they had arrived. `text` begins with them, until
   * it is changed there.
   */
  #unconfirmed: readonly SentMessage[]
  readonly #sessionId: string
  readonly #drafts: WindowDrafts
  readonly #page: EventTarget
  /** Messages in flight. */
  #inFlight: readonly SentMessage[] = []
  #stored: string
  #isOpen = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `page`: fires `pagehide` when it is unloaded. */
  constructor(sessionId: string, drafts: WindowDrafts, page: EventTarget = window) {
    this.#sessionId = sessionId
    this.#drafts = drafts
    this.#page = page
    this.text = drafts.find(sessionId, `trestle.draft.${sessionId}`)
    this.#unconfirmed = messagesIn(drafts.find(`sent ${sessionId}`))
    this.#forgetChanged()
    this.#stored = drafts.own(sessionId)
  }

  get unconfirmed(): readonly SentMessage[] {
    return this.#unconfirmed
  }

  /** The messages that may still arrive. */
  get onTheirWay(): readonly SentMessage[] {
    return [...this.#inFlight, ...this.#unconfirmed]
  }

  /** Debounced while typing continues. */
  save(text: string): void {
    if (text === this.text) return
    this.text = text
    this.#forgetChanged()
    this.#later()
  }

  /** Returns the text without unconfirmed messages that have arrived. */
  confirm(arrived: readonly SentMessage[]): string {
    const typed = this.text.slice(joined(textsOf(this.#unconfirmed)).length).replace(/^\n\n/, '')
    this.#unconfirmed = this.#unconfirmed.filter((message) => !arrived.includes(message))
    this.text = joined([...textsOf(this.#unconfirmed), typed])
    this.#later()
    return this.text
  }

  /**
   * Stores a message until the returned function is called with whether it arrived; if not, its text returns to the
   * field, if the field still exists.
   */
  trackOutgoing(message: SentMessage): (arrived: boolean) => void {
    this.#inFlight = [...this.#inFlight, message]
    // All that was in the field has been sent.
    this.#unconfirmed = []
    this.#later()
    return (arrived) => {
      if (!arrived && !this.#isOpen) return
      this.#inFlight = this.#inFlight.filter((each) => each !== message)
      if (this.#isOpen) this.#later()
      // Another composer may have opened the session and changed the stored draft; then that draft is kept.
      else if (this.#drafts.own(this.#sessionId) === this.#stored) this.#write()
    }
  }

  /** Active while the composer is on screen; the returned function flushes unsaved changes. */
  open(): () => void {
    this.#isOpen = true
    // An earlier composer of this session may have stored what it had sent; the text in this field must not be lost.
    const store = (): void =>
      this.text.trim() !== '' && this.#drafts.own(this.#sessionId) !== this.#stored ? this.#write() : this.#store()
    this.#page.addEventListener('pagehide', store)
    return () => {
      this.#isOpen = false
      this.#page.removeEventListener('pagehide', store)
      store()
    }
  }

  #later(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#store(), KEEP_AFTER_MS)
  }

  #store(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#write()
  }

  #write(): void {
    this.#stored = joined([...textsOf(this.#inFlight), this.text])
    this.#drafts.keep(this.#sessionId, this.#stored)
    this.#drafts.keep(`sent ${this.#sessionId}`, linesOf(this.onTheirWay))
  }

  /** A message that was changed in the field is a draft like any other. */
  #forgetChanged(): void {
    if (!this.text.startsWith(joined(textsOf(this.#unconfirmed)))) this.#unconfirmed = []
  }
}

const textsOf = (messages: readonly SentMessage[]): string[] => messages.map(({ text }) => text)

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n')
}

const MAX_ENTRIES = 100
/** Longer prompts are pasted material: they would only fill the storage. */
const MAX_ENTRY_CHARS = 8000

/** The prompt history as ArrowUp and ArrowDown walk through it. Pure: each step returns a new walk. */
export interface HistoryWalk {
  entries: readonly string[]
  /** `entries.length` is the draft. */
  at: number
  /** The draft when the walk started. */
  draft: string
}

export function startWalk(entries: readonly string[]): HistoryWalk {
  return { entries, at: entries.length, draft: '' }
}

/** One step back (-1) or forward (1); undefined when there is no entry in that direction. */
export function stepHistory(
  walk: HistoryWalk,
  direction: -1 | 1,
  current: string,
): { walk: HistoryWalk; text: string } | undefined {
  const at = walk.at + direction
  if (at < 0 || at > walk.entries.length) return undefined
  const draft = walk.at === walk.entries.length ? current : walk.draft
  return { walk: { ...walk, at, draft }, text: at === walk.entries.length ? draft : (walk.entries[at] ?? '') }
}

/** History with one more prompt; a repeated one moves to the end. */
export function withEntry(entries: readonly string[], text: string): string[] {
  if (text.trim() === '' || text.length > MAX_ENTRY_CHARS) return [...entries]
  return [...entries.filter((entry) => entry !== text), text].slice(-MAX_ENTRIES)
}

/**
 * Whether ArrowUp (-1) or ArrowDown (1) leaves the text: the caret is in its first or last line with nothing selected.
 */
export function isAtTextEdge(text: string, selectionStart: number, selectionEnd: number, direction: -1 | 1): boolean {
  if (selectionStart !== selectionEnd) return false
  return direction === -1 ? !text.slice(0, selectionStart).includes('\n') : !text.slice(selectionEnd).includes('\n')
}

const historyKey = (sessionId: string): string => `trestle.history.${sessionId}`

/** The prompts sent, stored per session in this browser. */
export const promptHistory = {
  of(sessionId: string): string[] {
    try {
      const value: unknown = JSON.parse(browserStorage.read(historyKey(sessionId)) ?? '[]')
      return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []
    } catch {
      return []
    }
  },
  remember(sessionId: string, text: string): void {
    browserStorage.write(historyKey(sessionId), JSON.stringify(withEntry(promptHistory.of(sessionId), text)))
  },
}
