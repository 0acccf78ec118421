import { fittingAtOnce } from '../descriptors'
import type { Access } from '../tool/tool'

/** What a command has open at most: its terminal, twice, its log, its leader's streams, and its place in a sandbox. */
const FILES_OF_A_CALL = 14

/** Lets only so many calls run at once that descriptors suffice for them; the others wait their turn, in order. */
export class CallRoom {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(most: number) {
    this.free = most
  }

  /** Runs `work` as soon as there is room; at once when `signal` aborts, since then it has only to say so. */
  async within<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1
    else if (!(await this.turn(signal))) return work()
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free += 1
    }
  }

  /** False when the wait was given up. */
  private turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const come = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(come), 1)
        resolve(false)
      }
      this.waiting.push(come)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}

/** Descriptors belong to the process, so all turns of it share the room. */
const room = new CallRoom(fittingAtOnce(FILES_OF_A_CALL, Number.POSITIVE_INFINITY))

/** Runs a call when there is room for the files it opens. Calls that open none, such as those that wait for a person or a subagent, do not take any. */
export function inRoom<Result>(accesses: readonly Access[], signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const opensFiles = accesses.some(({ kind }) => kind === 'command' || kind === 'file' || kind === 'tree')
  return opensFiles ? room.within(signal, work) : work()
}
