/** A clock that counts down, and rests while somebody is waited for. */
export class TimeLimit {
  private readonly onOver: () => void
  private leftMs: number | undefined
  private since = 0
  private timer: NodeJS.Timeout | undefined

  constructor(onOver: () => void) {
    this.onOver = onOver
  }

  /** Counts from now; `null`: for ever. */
  start(ms: number | null): void {
    this.clear()
    if (ms === null) return
    this.leftMs = ms
    this.goOn()
  }

  rest(): void {
    if (this.timer === undefined || this.leftMs === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.since))
  }

  goOn(): void {
    if (this.timer !== undefined || this.leftMs === undefined) return
    this.since = performance.now()
    this.timer = setTimeout(() => {
      this.clear()
      this.onOver()
    }, this.leftMs)
  }

  clear(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.leftMs = undefined
  }
}
