import type { OutputLog } from './output-log'

/** A screen shows 20 of these a second. */
const TICK_MS = 50
const BYTES_PER_SECOND = 64 * 1024

/**
 * Passes the newest output on as text, at most 64 KB a second: what comes faster is skipped, oldest first (the file has everything). A
 * command that ends within 50 ms passes nothing; its result says it all.
 */
export class LiveOutput {
  private readonly log: OutputLog
  private readonly onOutput: (raw: string) => void
  private timer: NodeJS.Timeout | undefined
  private stopped = false
  private shown = 0
  private allowance = BYTES_PER_SECOND
  private lastTick = 0
  private decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(log: OutputLog, onOutput: (raw: string) => void) {
    this.log = log
    this.onOutput = onOutput
  }

  /** Something was appended to the log. */
  changed(): void {
    if (!this.stopped) this.timer ??= setTimeout(() => this.tick(), TICK_MS)
  }

  stop(): void {
    this.stopped = true
    clearTimeout(this.timer)
  }

  private tick(): void {
    const now = performance.now()
    this.allowance = Math.min(BYTES_PER_SECOND, this.allowance + ((now - this.lastTick) / 1000) * BYTES_PER_SECOND)
    this.lastTick = now
    this.timer = undefined
    const most = Math.floor(this.allowance)
    const skipped = this.log.total - this.shown > most
    const parts = this.log.newest(this.shown, most)
    this.shown = this.log.total
    // After a gap the pieces before and after do not belong together.
    if (skipped) this.decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let text = ''
    for (const part of parts) {
      this.allowance -= part.length
      text += this.decoder.decode(part, { stream: true })
    }
    if (skipped) text = text.slice(text.indexOf('\n') + 1)
    if (text !== '') this.onOutput(text)
  }
}
