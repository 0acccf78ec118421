import { kept } from './prompt-history'

const KEEP_AFTER_MS = 400

/** Keeps what is written and not sent over a change of session and a reload. */
export class KeptDraft {
  text: string
  readonly #sessionId: string
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(sessionId: string) {
    this.#sessionId = sessionId
    this.text = kept.draft(sessionId)
  }

  /** Soon, unless more is written first. */
  keep(text: string): void {
    if (text === this.text) return
    this.text = text
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#store(), KEEP_AFTER_MS)
  }

  /** While the composer is on screen; what it returns stores at once what is not stored yet. */
  open(): () => void {
    const store = (): void => this.#store()
    window.addEventListener('pagehide', store)
    return () => {
      window.removeEventListener('pagehide', store)
      store()
    }
  }

  #store(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    kept.keepDraft(this.#sessionId, this.text)
  }
}
