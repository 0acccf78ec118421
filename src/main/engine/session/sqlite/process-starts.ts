import { execFile } from 'node:child_process'

/** Within so many ms what was read still counts; later it is read again, and until then the old answer is given. */
const FRESH_MS = 2000

/** When the processes of this machine started, for systems without /proc. Read by a program, so never while somebody waits: an answer may be that it is not known yet. */
export class ProcessStarts {
  readonly #list: () => Promise<Map<number, number>>
  readonly #now: () => number
  #known: Map<number, number> | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(list: () => Promise<Map<number, number>> = listByPs, now: () => number = Date.now) {
    this.#list = list
    this.#now = now
  }

  /** Seconds since the epoch; undefined: not known, and asked for now. */
  startOf(pid: number): number | undefined {
    if (this.#now() - this.#readAt > FRESH_MS) void this.read()
    return this.#known?.get(pid)
  }

  /** Reads them; afterwards `startOf` answers. Never rejects: what cannot be read stays unknown. */
  read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNow(): Promise<void> {
    try {
      this.#known = await this.#list()
    } catch {
      // As the docstring says.
    }
    this.#readAt = this.#now()
  }
}

function listByPs(): Promise<Map<number, number>> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, LC_ALL: 'C' }, timeout: 10_000, maxBuffer: 16 << 20 }
    execFile('ps', ['-axo', 'pid=,lstart='], options, (error, printed) => {
      if (error) reject(error)
      else resolve(parsed(printed))
    })
  })
}

/** Lines like `  123 Sun Nov 22 10:00:00 2026`. */
function parsed(printed: string): Map<number, number> {
  return new Map(
    printed.split('\n').flatMap((line): [number, number][] => {
      const match = /^\s*(\d+)\s+(\S.*)$/.exec(line)
      const seconds = match ? Date.parse(match[2]!.trim()) / 1000 : Number.NaN
      return Number.isNaN(seconds) ? [] : [[Number(match![1]), seconds]]
    }),
  )
}
