import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises'
import { eventsOfStep, streamErrorOf } from './model-events.ts'
import type { ModelScript, RecordedRequest, ScriptStep, WireName } from './model-script.ts'

export interface ModelServer {
  /** `http://127.0.0.1:port`, without a path. */
  url: string
  /** `url` with the version segment the protocols share. */
  baseUrl: string
  port: number
  /** In order of arrival. */
  requests: RecordedRequest[]
  /** Number of TCP connections: shows whether they are kept alive. */
  connections(): number
  /** Resolves when there are at least this many requests. */
  arrived(count: number): Promise<void>
  /** Resolves when that request's client has disconnected before its answer was complete. */
  abandoned(index: number): Promise<void>
  close(): Promise<void>
}

/**
 * A model server that plays a script, in whichever of the four protocols is requested (by path). It never hangs unless
 * scripted: when the script has ended, it answers 500 with an explanation. `models` is its list under `/v1/models` and
 * `/api/tags`.
 */
export async function startModelServer(options: {
  script: ModelScript
  models?: readonly string[]
  port?: number
}): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const waiting = new Set<() => void>()
  const notify = (): void => {
    for (const check of waiting) check()
  }
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const next = stepsOf(options.script)
  let connections = 0

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ error: { message: `model server: ${String(error)}`, type: 'scripted_server_bug' } }),
      )
    })
  })
  server.on('connection', () => (connections += 1))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/'
    if (request.method === 'GET') return listModels(path.split('?')[0]!, options.models, response)
    const wire = wireOf(path)
    const text = await bodyOf(request)
    if (!wire) return sendJson(response, 404, { error: { message: `No such path: ${path}`, type: 'not_found_error' } })
    const recorded: RecordedRequest = {
      wire,
      path,
      headers: request.headers,
      body: JSON.parse(text) as Record<string, unknown>,
      abandoned: false,
    }
    const index = requests.push(recorded) - 1
    response.on('close', () => {
      recorded.abandoned ||= !response.writableFinished
      notify()
    })
    notify()
    const step = await next(recorded, index)
    if (!step)
      return sendJson(response, 500, {
        error: { message: `The script has run out: request ${index + 1} has no step.`, type: 'script_exhausted' },
      })
    await play(step, wire, recorded, index, response)
  }

  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    baseUrl: `${url}/v1`,
    port,
    requests,
    connections: () => connections,
    arrived: (count) => until(() => requests.length >= count),
    abandoned: (index) => until(() => requests[index]?.abandoned === true),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function stepsOf(script: ModelScript): Exclude<ModelScript, readonly unknown[]> {
  if (typeof script === 'function') return script
  const steps = script.flatMap((step) => Array.from({ length: step.repeat ?? 1 }, () => step))
  return (_request, index) => steps[index]
}

function wireOf(path: string): WireName | undefined {
  const bare = path.split('?')[0]!
  if (bare.endsWith('/chat/completions')) return 'chat'
  if (bare.endsWith('/responses')) return 'responses'
  if (bare.endsWith('/messages')) return 'anthropic'
  return bare.endsWith(':streamGenerateContent') ? 'gemini' : undefined
}

async function play(
  step: ScriptStep,
  wire: WireName,
  request: RecordedRequest,
  index: number,
  response: ServerResponse,
): Promise<void> {
  const faults = step.faults ?? {}
  if (faults.delayMs !== undefined) await wait(faults.delayMs)
  if (faults.status !== undefined || faults.body !== undefined) {
    const status = faults.status ?? 200
    const body = faults.body ?? { error: { message: `Scripted failure ${status}`, type: 'scripted_error' } }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', ...faults.headers }).end(text)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...faults.headers })
  const model = typeof request.body['model'] === 'string' ? request.body['model'] : 'scripted'
  const { events, end } = eventsOfStep(wire, step, { n: index + 1, model })
  const tail = faults.streamError ? [streamErrorOf(wire, faults.streamError)] : faults.truncate === true ? [] : end
  const all = typeof faults.truncate === 'number' ? [...events, ...end].slice(0, faults.truncate) : [...events, ...tail]
  let held = 0
  for (const { events: before, until } of faults.holds ?? []) {
    response.socket?.setNoDelay(true)
    response.write(all.slice(held, before).join(''))
    held = before
    await Promise.race([until, once(response, 'close')])
  }
  await send(all.slice(held), faults, response)
}

async function send(
  events: readonly string[],
  faults: NonNullable<ScriptStep['faults']>,
  response: ServerResponse,
): Promise<void> {
  response.socket?.setNoDelay(true)
  const limit = faults.resetAfterBytes ?? faults.stallAfterBytes ?? Number.POSITIVE_INFINITY
  let sent = 0
  const pieces = faults.eventDelayMs === undefined ? [events.join('')] : events
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'utf8')
    const size = faults.splitBytes ?? bytes.length
    for (let at = 0; at < bytes.length && sent < limit; at += size) {
      const part = bytes.subarray(at, Math.min(at + size, at + limit - sent))
      sent += part.length
      if (response.destroyed) return
      if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      // Each piece in a separate packet.
      if (faults.splitBytes !== undefined) await nextTick()
    }
    if (sent >= limit) break
    if (faults.eventDelayMs !== undefined) await wait(faults.eventDelayMs)
  }
  if (faults.resetAfterBytes !== undefined) {
    // Written data must be sent before the reset, or the client sees a refused connection instead.
    await wait(20)
    response.socket?.resetAndDestroy()
  } else if (faults.stallAfterBytes === undefined) {
    response.end()
  }
}

function listModels(path: string, models: readonly string[] | undefined, response: ServerResponse): void {
  if (models && path.endsWith('/api/tags'))
    return sendJson(response, 200, { models: models.map((name) => ({ name, model: name })) })
  if (models && path.endsWith('/models'))
    return sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
  sendJson(response, 404, { error: { message: `No such path: ${path}`, type: 'not_found_error' } })
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
