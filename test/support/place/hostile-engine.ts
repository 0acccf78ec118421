import { PassThrough } from 'node:stream'
import { CodedError } from '../../../src/shared/errors'
import type { Channel, Launcher } from '../../../src/main/engine/place/launcher/launcher'

/** The behavior of an engine elsewhere: its reaction to a line, and its output. */
export interface FakeEngine {
  /** Every request that it received. */
  readonly requests: { id: number; method: string; input?: unknown }[]
  /** Writes a line; an object as JSON. */
  write(line: object | string): void
  /** Writes bytes; false: the connection is closed, or the other side does not read them. */
  raw(bytes: Uint8Array | string): boolean
  /** Whether the other side has disconnected. */
  readonly isClosed: boolean
}

export const HELLO = { hello: { protocol: 1, version: '0.1.0', mostLineBytes: 1 << 26 } }

/** A launcher whose engine is played by the test and can send any bytes. */
export function fakeLauncher(
  play: (engine: FakeEngine, request: { id: number; method: string; input?: unknown }) => void,
  greet: (engine: FakeEngine) => void = (engine) => engine.write(HELLO),
) {
  const engines: FakeEngine[] = []
  const launcher: Launcher = {
    prepare: async () => ({
      trestle: 'trestle',
      attaches: true,
      facts: { system: 'Linux', arch: 'x86_64', libc: '', user: 'u', host: 'h', installed: [] },
    }),
    async open() {
      const [input, output] = [new PassThrough(), new PassThrough()]
      let end: () => void = () => undefined
      let isClosed = false
      const ended = new Promise<{ exitCode: number | null; signal: null }>((resolve) => {
        end = () => resolve({ exitCode: 0, signal: null })
      })
      const engine: FakeEngine = {
        requests: [],
        write: (line) => void (isClosed || output.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)),
        raw: (bytes) => !isClosed && output.write(bytes),
        get isClosed() {
          return isClosed
        },
      }
      engines.push(engine)
      let rest = ''
      input.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const request = JSON.parse(line) as { id: number; method?: string; input?: unknown }
          if (request.method === undefined) continue
          const known = { ...request, method: request.method }
          engine.requests.push(known)
          play(engine, known)
        }
      })
      setImmediate(() => greet(engine))
      const channel: Channel = {
        input,
        output,
        errors: () => '',
        ended,
        pid: undefined,
        kill() {
          isClosed = true
          output.destroy()
          end()
        },
      }
      return channel
    },
    status: async () => ({ system: 'Linux', arch: 'x86_64', libc: '', user: 'u', host: 'h', installed: [] }),
    run: async () => ({ exitCode: 0, stdout: '', stderr: '' }),
    upload: async () => undefined,
    download: async () => undefined,
    tidy: async () => 0,
    stop: async () => undefined,
    explain: () => new CodedError('connection.lost', 'It ended.'),
  }
  return { launcher, engines }
}
