import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'

/** Untyped messages from the wire: the schema validates them, not the compiler. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Wire = any

export interface AcpMessage {
  jsonrpc: string
  id?: number | string | null
  method?: string
  params?: Record<string, Wire>
  result?: Wire
  error?: { code: number; message: string; data?: Wire }
}

/** Handles a request of the agent: returns the result, or throws for an error. */
export type AcpAnswers = Record<string, (params: Record<string, Wire>) => unknown>

export interface AcpClient {
  readonly child: ChildProcessWithoutNullStreams
  /** Every line the agent has written, in order. */
  readonly lines: string[]
  readonly messages: AcpMessage[]
  /** The method of each request this client has made. */
  readonly asked: ReadonlyMap<number, string>
  /** The stderr output. */
  readonly stderr: () => string
  /** Sends a request; resolves with its result and rejects with its error, whose `code` and `data` it has. */
  request(method: string, params: unknown): Promise<Wire>
  notify(method: string, params: unknown): void
  /** Writes the text unchanged, followed by a line feed. */
  raw(text: string): void
  /** Updates of a session, of one kind if given. */
  updates(sessionId: string, kind?: string): Wire[]
  /** Waits for a matching message, including earlier ones. */
  until(fits: (message: AcpMessage) => boolean): Promise<AcpMessage>
  /** Ends stdin and waits for the process. */
  end(): Promise<number | null>
}

/**
 * A client of the Agent Client Protocol that only exchanges JSON lines: independent of the library that the agent is
 * built with.
 */
export function acpClient(child: ChildProcessWithoutNullStreams, answers: AcpAnswers = {}): AcpClient {
  const lines: string[] = []
  const messages: AcpMessage[] = []
  const waiting = new Map<unknown, { resolve(result: unknown): void; reject(error: Error): void }>()
  const asked = new Map<number, string>()
  const watchers = new Set<() => void>()
  let [rest, stderr, nextId] = ['', '', 1]
  const ended = once(child, 'close')
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  const take = async (message: AcpMessage): Promise<void> => {
    if (message.method === undefined) {
      const request = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.error)
        request?.reject(
          Object.assign(new Error(message.error.message), { code: message.error.code, data: message.error.data }),
        )
      else request?.resolve(message.result)
      return
    }
    if (message.id === undefined) return
    const answer = answers[message.method]
    if (!answer) return send({ id: message.id, error: { code: -32601, message: `no ${message.method} here` } })
    try {
      const result = await answer(message.params ?? {})
      if (child.stdin.writable) send({ id: message.id, result: result ?? {} })
    } catch (error) {
      if (child.stdin.writable)
        send({
          id: message.id,
          error: { code: -32603, message: error instanceof Error ? error.message : String(error) },
        })
    }
  }

  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n')
    rest = pieces.pop() ?? ''
    for (const line of pieces) {
      lines.push(line)
      const message = JSON.parse(line) as AcpMessage
      messages.push(message)
      void take(message)
    }
    for (const watcher of watchers) watcher()
  })
  child.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error(`The agent has ended: ${stderr}`))
    for (const watcher of watchers) watcher()
  })

  return {
    child,
    lines,
    messages,
    asked,
    stderr: () => stderr,
    request(method, params) {
      const id = nextId++
      asked.set(id, method)
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
      send({ id, method, params })
      return answer
    },
    notify: (method, params) => send({ method, params }),
    raw: (text) => void child.stdin.write(`${text}\n`),
    updates: (sessionId, kind) =>
      messages
        .filter(({ method, params }) => method === 'session/update' && params?.['sessionId'] === sessionId)
        .map(({ params }) => params!['update'])
        .filter((update) => kind === undefined || update.sessionUpdate === kind),
    until(fits) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = messages.find(fits)
          if (!found && child.exitCode === null && child.signalCode === null) return
          watchers.delete(look)
          if (found) resolve(found)
          else reject(new Error(`The agent ended before it said that: ${stderr}`))
        }
        watchers.add(look)
        look()
      })
    },
    async end() {
      child.stdin.end()
      await ended
      return child.exitCode
    },
  }
}
