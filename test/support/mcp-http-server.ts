import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Received messages, in order: the method of each, with its session. */
export interface HttpMcpServer {
  url: string
  /** The older transport's address. */
  sseUrl: string
  messages: { method: string; session: string | undefined }[]
  /** Ids of this server's own requests that the client has answered. */
  answers: unknown[]
  sessions: string[]
  /** Forgets all sessions, like a restarted server; `answer`: how it rejects them from then on, as status and body. */
  forget(answer?: [status: number, body: string]): void
  /** Breaks every connection, and accepts none until `up`. */
  down(): Promise<void>
  up(): Promise<void>
}

const tool = (name: string): unknown => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })

/**
 * A server of the Model Context Protocol over streamable HTTP (`/mcp`) and SSE (`/sse`), written without a library so
 * that it can misbehave.
 */
export async function httpMcpServer(): Promise<HttpMcpServer> {
  const messages: HttpMcpServer['messages'] = []
  const sessions: string[] = []
  const answers: unknown[] = []
  const known = new Set<string>()
  let rejection: [status: number, body: string] = [404, 'no such session']
  const streams = new Map<string, ServerResponse>()

  const resultOf = (method: string, params: Record<string, unknown>): unknown => {
    if (method === 'initialize')
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'http test', version: '1' },
      }
    if (method === 'tools/list')
      return {
        tools: [
          'echo',
          'breaks-off',
          'ends',
          'ends-with-id',
          'giant',
          'giant-event',
          'hang',
          'pings',
          'rejected',
          'odd',
          'odd-event',
        ].map(tool),
      }
    return {}
  }

  async function onMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await bodyOf(request)) as {
      id?: number | string
      method?: string
      params?: Record<string, unknown>
    }
    const session = request.headers['mcp-session-id']?.toString()
    // An answer of the client, whose HTTP request never gets a response.
    if (message.method === undefined) return void answers.push(message.id)
    messages.push({ method: message.method, session })
    if (message.method === 'initialize') {
      const id = `s${sessions.push(`s${sessions.length + 1}`)}`
      known.add(id)
      response.setHeader('mcp-session-id', id)
    } else if (session === undefined || !known.has(session)) {
      const [status, body] = rejection
      return void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body.replace('"ID"', JSON.stringify(message.id ?? null)))
    }
    if (message.id === undefined) return void response.writeHead(202).end()
    if (message.method === 'tools/call') return callTool(message.id, message.params ?? {}, response)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message.method, message.params ?? {}) }),
    )
  }

  function callTool(id: number | string, params: Record<string, unknown>, response: ServerResponse): void {
    const text = (value: string): string =>
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: value }] } })
    switch (params['name']) {
      case 'breaks-off':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': here it comes\n\n', () => response.destroy())
        return
      case 'ends':
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
        return
      case 'ends-with-id':
        // The rest of such a stream can be requested, which this server refuses.
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 10\nid: 1\ndata: \n\n')
        return
      case 'giant':
        response.writeHead(200, { 'content-type': 'application/json' })
        endless(response, '{"jsonrpc":"2.0","x":"')
        return
      case 'giant-event':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        endless(response, 'data: {"x":"')
        return
      case 'rejected':
        response.writeHead(400).end('I do not like this')
        return
      case 'hang':
        return
      case 'odd':
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(text('for another').replace(JSON.stringify(id), '99999'))
        return
      case 'odd-event':
        // The stream stays open.
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: 'odd' })}\n\n`)
        return
      case 'pings':
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (let n = 0; n < 20_000; n++)
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `ping-${n}`, method: 'ping' })}\n\n`)
        response.end(`data: ${text('after the pings')}\n\n`)
        return
      default:
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`event: message\ndata: ${text(String((params['arguments'] as { text?: string }).text))}\n\n`)
    }
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    if (pathname === '/mcp') void onMessage(request, response)
    else if (pathname === '/sse' && request.method === 'GET') {
      const id = String(streams.size + 1)
      streams.set(id, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: endpoint\ndata: /post?id=${id}\n\n`)
    } else if (pathname === '/post') void onPost(request, response, streams.get(searchParams.get('id') ?? ''))
    else response.writeHead(request.method === 'POST' ? 405 : 404).end()
  })

  async function onPost(
    request: IncomingMessage,
    response: ServerResponse,
    stream: ServerResponse | undefined,
  ): Promise<void> {
    const {
      id,
      method,
      params = {},
    } = JSON.parse(await bodyOf(request)) as { id?: number; method: string; params?: Record<string, unknown> }
    messages.push({ method, session: 'sse' })
    response.writeHead(202).end()
    if (id === undefined) return
    const text = String((params['arguments'] as { text?: string } | undefined)?.text)
    const result = method === 'tools/call' ? { content: [{ type: 'text', text }] } : resultOf(method, params)
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  }

  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  onTestFinished(down)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    sseUrl: `http://127.0.0.1:${port}/sse`,
    messages,
    answers,
    sessions,
    forget(answer = [404, 'no such session']) {
      rejection = answer
      known.clear()
    },
    down,
    up: () => listen(port),
  }
}

/** Writes until the other side disconnects. */
function endless(response: ServerResponse, beginning: string): void {
  const chunk = 'g'.repeat(1_000_000)
  response.write(beginning)
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
