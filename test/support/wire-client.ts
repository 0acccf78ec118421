import type { WireId, WireLine } from '../../src/shared/contract/stdio-wire'
import { startCli, type CliOptions } from './run-cli'
import { until } from './until'

type Reply = Exclude<WireLine, { hello: unknown }>

/** A client of `trestle wire` that only exchanges lines of JSON. */
export interface WireClient {
  /** Everything received so far, in order. */
  readonly lines: readonly WireLine[]
  readonly sent: readonly unknown[]
  stderr(): string
  /** Writes this unchanged. */
  raw(text: string | Uint8Array): void
  /** Calls a method and resolves with its last line. */
  call(method: string, input?: unknown): Promise<Reply>
  /** The result of a call; throws if it failed. */
  result<T>(method: string, input?: unknown): Promise<T>
  /** Calls a method and returns its id immediately. */
  begin(method: string, input?: unknown): number
  cancel(id: WireId): void
  /** Resolves with the first matching line. */
  line(what: string, fits: (line: WireLine) => boolean): Promise<WireLine>
  /** Resolves with the last line of an id. */
  last(id: WireId): Promise<Reply>
  /** Closes stdin; resolves with how the program exited. */
  end(): Promise<{ code: number | null; ms: number }>
  /** Pauses and resumes reading stdout. */
  pause(): void
  resume(): void
  /** Sends SIGKILL; resolves when the program has exited. */
  kill(): Promise<void>
  pid: number
}

/** `args`: more arguments, such as `--attach`. */
export function startWire({
  args = [],
  ...options
}: Pick<CliOptions, 'home' | 'cwd' | 'within'> & { args?: readonly string[] }): WireClient {
  const child = startCli(['wire', ...args], options)
  const lines: WireLine[] = []
  const sent: unknown[] = []
  let rest = ''
  let stderr = ''
  let next = 1
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) lines.push(JSON.parse(piece) as WireLine)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {
    // It ended before it read everything; its exit is reported elsewhere.
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const send = (value: unknown): void => {
    sent.push(value)
    child.stdin.write(`${JSON.stringify(value)}\n`)
  }
  const isLast = (line: WireLine, id: WireId): line is Reply => 'id' in line && line.id === id && !('event' in line)
  const line = async (what: string, fits: (line: WireLine) => boolean): Promise<WireLine> => {
    await until(() => lines.some(fits), `${what}\n${stderr}`, 15_000)
    return lines.find(fits)!
  }
  const begin = (method: string, input?: unknown): number => {
    const id = next++
    send({ id, method, ...(input !== undefined && { input }) })
    return id
  }
  const last = async (id: WireId): Promise<Reply> =>
    (await line(`the answer to ${id}`, (one) => isLast(one, id))) as Reply
  return {
    lines,
    sent,
    stderr: () => stderr,
    raw: (text) => void child.stdin.write(text),
    begin,
    last,
    line,
    call: (method, input) => last(begin(method, input)),
    async result<T>(method: string, input?: unknown) {
      const reply = await last(begin(method, input))
      if (!('result' in reply)) throw new Error(`${method}: ${JSON.stringify(reply)}`)
      return reply.result as T
    },
    cancel: (id) => send({ id, cancel: true }),
    async end() {
      const start = performance.now()
      child.stdin.end()
      const code = await closed
      return { code, ms: performance.now() - start }
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
    pid: child.pid!,
  }
}
