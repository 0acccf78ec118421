import { LastLine } from '../output/plain-text'
import { foregroundState, type ForegroundState } from './terminal-reader'

export interface Prompt {
  /** What it asks, plain, at most 200 characters; '' when it waits without a word. */
  text: string
  /** ms since the epoch. */
  since: number
}

export interface PromptWatchOptions {
  /** The command's process; undefined as long as it is not known. */
  pid: () => number | undefined
  /** It began to wait for a person, asks something else, or (undefined) waits no more. Must not throw. */
  changed: (prompt: Prompt | undefined) => void
  look?: (pid: number) => Promise<ForegroundState>
}

/** Output has to have rested for this long. */
const REST_MS = 400
/** A command that does nothing is looked at ever less often, down to this. */
const SLOWEST_MS = 10_000
/** While it waits: until it is noticed that it was answered. */
const ANSWERED_MS = 1_500

/**
 * Tells when a command waits for a person at its terminal. It looks only when output has rested, and then ever less often. A program asleep in
 * a read of the terminal waits whatever it printed; one that waits for several things has to have left a line open; one that we may not look
 * into (`sudo`) has to have asked like one that asks people, and to use no processor time meanwhile.
 */
export class PromptWatch {
  readonly #options: PromptWatchOptions
  readonly #line = new LastLine()
  #prompt: Prompt | undefined
  #timer: NodeJS.Timeout | undefined
  #printedAt = performance.now()
  #delay = REST_MS
  #isRested = true
  #before: ForegroundState | undefined
  #isClosed = false

  constructor(options: PromptWatchOptions) {
    this.#options = options
    this.#lookIn(REST_MS)
  }

  /** The last line that says something. */
  get lastLine(): string {
    return this.#line.read().text
  }

  printed(bytes: Uint8Array): void {
    this.#line.append(bytes)
    this.#printedAt = performance.now()
    this.#before = undefined
    // A flood costs no more than this: the timer that runs finds out that it came too early.
    if (this.#isRested) this.#restart()
    this.#isRested = false
  }

  /** A person typed something: it is about to go on. */
  typed(): void {
    this.#restart()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    if (this.#prompt) this.#tell(undefined)
  }

  #restart(): void {
    this.#delay = REST_MS
    this.#lookIn(REST_MS)
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(), ms).unref()
  }

  async #look(): Promise<void> {
    const early = this.#printedAt + REST_MS - performance.now()
    const pid = this.#options.pid()
    if (pid === undefined) return this.#lookIn(REST_MS)
    // It prints, so it does not wait (any more).
    if (early > 0 && !this.#prompt) return this.#lookIn(early)
    this.#isRested = true
    const printedAt = this.#printedAt
    const now = await (this.#options.look ?? foregroundState)(pid).catch((): ForegroundState => ({
      readState: 'no',
      cpuMs: 0,
    }))
    if (this.#isClosed) return
    const { text, isOpen } = this.#line.read()
    const waits = this.#waits(now, text, isOpen)
    this.#before = now
    if (this.#printedAt !== printedAt) return this.#restart()
    if (!waits) {
      if (this.#prompt) this.#tell(undefined)
      this.#lookIn(this.#delay)
      this.#delay = Math.min(this.#delay * 2, SLOWEST_MS)
      return
    }
    if (this.#prompt?.text !== text) this.#tell({ text, since: Date.now() })
    this.#lookIn(ANSWERED_MS)
  }

  #waits({ readState, cpuMs }: ForegroundState, text: string, isOpen: boolean): boolean {
    if (readState === 'reads') return true
    if (readState === 'watches') return isOpen && endsLikePrompt(text)
    return readState === 'unseen' && isOpen && looksLikeQuestion(text) && this.#before?.cpuMs === cpuMs
  }

  #tell(prompt: Prompt | undefined): void {
    this.#prompt = prompt
    this.#options.changed(prompt)
  }
}

/** Ends as lines do that wait for an answer. Says little by itself: "Listening:" does, too. */
export function endsLikePrompt(line: string): boolean {
  return /[?:>\])»›❯…$#]$/u.test(line.trim()) || looksLikeQuestion(line)
}

/** What only a person can be asked for, at the end of the line. */
const ASKED =
  /(?:pass ?(?:word|phrase|code)|passwort|mot de passe|\bPIN\b|\bOTP\b|one-time (?:code|password)|(?:verification|authentication|security|two-factor|2fa) code|\btoken\b|user ?name|\blogin|e-?mail(?: address)?)(?:(?![.!;] ).){0,80}[:?>]$/iu
const YES_OR_NO =
  /[([<{]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?)\b.{0,20}[)\]>}]\s*[?:>]?$|\by(?:es)?\/n(?:o)?\s*[?:>]$/iu
const KEY = /\b(?:press|hit|type)\b.{0,60}\b(?:key|enter|return|yes|y|to continue)\b.{0,40}$/iu

/** Reads as a question to a person, whoever prints it. */
export function looksLikeQuestion(line: string): boolean {
  const text = line.trim()
  return text.endsWith('?') || ASKED.test(text) || YES_OR_NO.test(text) || KEY.test(text)
}
