import { LastLine } from '../output/plain-text'
import { foregroundState, type ForegroundState } from './terminal-reader'

export interface Prompt {
  /** The question as plain text, at most 200 characters; '' if it waits without a prompt. */
  text: string
  /** ms since the epoch. */
  since: number
}

export interface PromptWatchOptions {
  /** The command's process; undefined while unknown. */
  pid: () => number | undefined
  /** Called when it starts waiting for input, asks something else, or (undefined) no longer waits. Must not throw. */
  changed: (prompt: Prompt | undefined) => void
  look?: (pid: number) => Promise<ForegroundState>
}

/** How long output must have paused before a check. */
const REST_MS = 400
/** The longest interval between checks of an idle command. */
const SLOWEST_MS = 10_000
/** Check interval while it waits: the delay until an answer is noticed. */
const ANSWERED_MS = 1_500

/**
 * Detects that a command waits for input at its terminal. Checks only while output pauses, and then less and less
 * often. A program asleep in a read of the terminal is waiting whatever it printed; one that waits for several things
 * must have left an unfinished line; one that we may not inspect (`sudo`) must have printed a question and use no
 * processor time.
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

  /** The last line with visible text. */
  get lastLine(): string {
    return this.#line.read().text
  }

  printed(bytes: Uint8Array): void {
    this.#line.append(bytes)
    this.#printedAt = performance.now()
    this.#before = undefined
    // Keeps floods of output cheap: the running timer finds out that it fired too early.
    if (this.#isRested) this.#restart()
    this.#isRested = false
  }

  /** The user typed something: the command is about to continue. */
  typed(): void {
    this.#restart()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    if (this.#prompt) this.#notify(undefined)
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
    // It is printing, so it isn't waiting.
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
      if (this.#prompt) this.#notify(undefined)
      this.#lookIn(this.#delay)
      this.#delay = Math.min(this.#delay * 2, SLOWEST_MS)
      return
    }
    if (this.#prompt?.text !== text) this.#notify({ text, since: Date.now() })
    this.#lookIn(ANSWERED_MS)
  }

  #waits({ readState, cpuMs }: ForegroundState, text: string, isOpen: boolean): boolean {
    if (readState === 'reads') return true
    if (readState === 'watches') return isOpen && endsLikePrompt(text)
    return readState === 'unseen' && isOpen && looksLikeQuestion(text) && this.#before?.cpuMs === cpuMs
  }

  #notify(prompt: Prompt | undefined): void {
    this.#prompt = prompt
    this.#options.changed(prompt)
  }
}

/** Ends like a prompt. Weak evidence alone: "Listening:" does, too. */
export function endsLikePrompt(line: string): boolean {
  return /[?:>\])»›❯…$#]$/u.test(line.trim()) || looksLikeQuestion(line)
}

/** Something only a person can provide, at the end of the line. */
const ASKED =
  /(?:pass ?(?:word|phrase|code)|passwort|mot de passe|\bPIN\b|\bOTP\b|one-time (?:code|password)|(?:verification|authentication|security|two-factor|2fa) code|\btoken\b|user ?name|\blogin|e-?mail(?: address)?)(?:(?![.!;] ).){0,80}[:?>]$/iu
const YES_OR_NO =
  /[([<{]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?)\b.{0,20}[)\]>}]\s*[?:>]?$|\by(?:es)?\/n(?:o)?\s*[?:>]$/iu
const KEY = /\b(?:press|hit|type)\b.{0,60}\b(?:key|enter|return|yes|y|to continue)\b.{0,40}$/iu

/** Reads like a question to the user, regardless of the program. */
export function looksLikeQuestion(line: string): boolean {
  const text = line.trim()
  return text.endsWith('?') || ASKED.test(text) || YES_OR_NO.test(text) || KEY.test(text)
}
