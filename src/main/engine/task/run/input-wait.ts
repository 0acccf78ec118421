import type { Task } from '../../../../shared/model/task/task'
import type { OutputLog } from '../output/output-log'
import type { PromptWatch } from '../pty/prompt-watch'

/** Most commands have ended by then and need not be watched. */
const WATCH_AFTER_MS = 150
const TAIL_BYTES = 4096

/**
 * Tracks whether a command waits, or has waited, for input at its terminal. Records that the user typed, but never
 * what.
 */
export class InputWait {
  readonly #log: OutputLog
  readonly #pid: () => number | undefined
  readonly #onChange: () => void
  readonly #timer: NodeJS.Timeout
  #watch: PromptWatch | undefined
  #prompt: Task['prompt']
  #waited: Task['waited']
  #isClosed = false

  constructor(log: OutputLog, pid: () => number | undefined, onChange: () => void) {
    this.#log = log
    this.#pid = pid
    this.#onChange = onChange
    this.#timer = setTimeout(() => void this.#begin(), WATCH_AFTER_MS).unref()
  }

  get state(): Pick<Task, 'prompt' | 'waited'> {
    return { ...(this.#prompt && { prompt: this.#prompt }), ...(this.#waited && { waited: this.#waited }) }
  }

  get isWaiting(): boolean {
    return this.#prompt !== undefined
  }

  printed(bytes: Uint8Array): void {
    this.#watch?.printed(bytes)
  }

  typed(): void {
    if (this.#prompt) this.#waited = { text: this.#prompt.text, typed: true }
    this.#watch?.typed()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#prompt = undefined
    this.#watch?.close()
    this.#watch = undefined
  }

  async #begin(): Promise<void> {
    const { PromptWatch } = await import('../pty/prompt-watch')
    if (this.#isClosed) return
    this.#watch = new PromptWatch({
      pid: this.#pid,
      changed: (prompt) => {
        if (this.#isClosed) return
        this.#prompt = prompt
        if (prompt) this.#waited = { text: prompt.text, typed: this.#waited?.typed ?? false }
        this.#onChange()
      },
    })
    for (const bytes of this.#log.newest(0, TAIL_BYTES)) this.#watch.printed(bytes)
  }
}
