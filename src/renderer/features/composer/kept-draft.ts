import { kept } from './prompt-history'

const KEEP_AFTER_MS = 400

/** Keeps what is written, and what was sent and has not arrived, over a change of session and a reload. */
export class KeptDraft {
  text: string
  readonly #sessionId: string
  /** Sent, on their way. */
  #held: readonly string[] = []
  #stored: string
  #isOpen = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(sessionId: string) {
    this.#sessionId = sessionId
    this.text = kept.draft(sessionId)
    this.#stored = this.text
  }

  /** Soon, unless more is written first. */
  keep(text: string): void {
    if (text === this.text) return
    this.text = text
    this.#later()
  }

  /** Keeps a message until what is returned is called with whether it arrived; if not, it is in the field again, where there still is one. */
  hold(text: string): (arrived: boolean) => void {
    this.#held = [...this.#held, text]
    this.#later()
    return (arrived) => {
      if (!arrived && !this.#isOpen) return
      this.#held = this.#held.filter((_, index) => index !== this.#held.indexOf(text))
      if (this.#isOpen) this.#later()
      // Another composer may have the session by now, and changed what is kept: then that is the truth.
      else if (kept.draft(this.#sessionId) === this.#stored) this.#write()
    }
  }

  /** While the composer is on screen; what it returns stores at once what is not stored yet. */
  open(): () => void {
    this.#isOpen = true
    const store = (): void => this.#store()
    window.addEventListener('pagehide', store)
    return () => {
      this.#isOpen = false
      window.removeEventListener('pagehide', store)
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
    this.#stored = [...this.#held, this.text].filter((text) => text.trim() !== '').join('\n\n')
    kept.keepDraft(this.#sessionId, this.#stored)
  }
}
