/**
 * The smallest server that streams like OpenAI Chat Completions, or in another format if its path is requested: fast
 * enough not to affect measurements. It does not parse requests, only records when they were complete; the n-th request
 * gets the n-th answer.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { linesOf, wireOf } from './response-lines.ts'

export interface ToolCall {
  name: string
  input: Record<string, unknown>
}

/**
 * The model's answer in one step. `chunks`: the number of pieces of the text; `perSecond`: their maximum rate, by
 * default unlimited.
 */
export type Answer = { calls: readonly ToolCall[] } | { text: string; chunks?: number; perSecond?: number }

export interface Arrival {
  /**
   * When the request was complete, and when the last byte of its answer was passed to the system, in terms of
   * `performance.now()`.
   */
  at: number
  answeredAt: number
  bytes: number
  /** Only for the first request. */
  body?: string
}

export interface BenchServer {
  baseUrl: string
  arrivals: Arrival[]
  close(): Promise<void>
}

/** Answers beyond the list end the turn. `thinkMs`: delay between the request and its answer. */
export async function startServer(answers: (n: number) => Answer | undefined, thinkMs = 0): Promise<BenchServer> {
  const arrivals: Arrival[] = []
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => body.push(chunk))
    await once(request, 'end')
    if (request.method !== 'POST') {
      // The list of models, for example: no program needs it.
      response.writeHead(404).end()
      return
    }
    const n = arrivals.length
    const arrival: Arrival = {
      at: performance.now(),
      answeredAt: 0,
      bytes: body.reduce((sum, chunk) => sum + chunk.length, 0),
    }
    if (n === 0) arrival.body = Buffer.concat(body).toString('utf8')
    arrivals.push(arrival)
    if (thinkMs > 0) await wait(thinkMs)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const given = answers(n) ?? { text: 'done' }
    const lines = linesOf(given, n, wireOf(request.url ?? ''))
    const perSecond = 'perSecond' in given ? given.perSecond : undefined
    const beganAt = performance.now()
    // One write for an ordinary answer, one per chunk for a long one, like a real server.
    if (lines.length > 1000) {
      for (const [index, line] of lines.entries()) {
        const early = perSecond === undefined ? 0 : beganAt + (index * 1000) / perSecond - performance.now()
        if (early >= 1) await wait(early)
        if (!response.write(line)) await once(response, 'drain')
      }
    }
    response.end(lines.length > 1000 ? undefined : lines.join(''), () => (arrival.answeredAt = performance.now()))
  }
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    arrivals,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
