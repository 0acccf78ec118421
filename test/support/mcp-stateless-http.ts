import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  statelessServer,
  type StatelessMessage,
  type StatelessOptions,
  type StatelessServer,
} from './mcp-stateless-answers'

export interface StatelessHttp {
  url: string
  server: StatelessServer
  /** Messages about requests that violated a header rule. */
  faults: string[]
  /** Requests whose connection was closed before the answer, which cancels them. */
  closed: string[]
  /** Ends every change stream, as a proxy does after a while. */
  endStreams(): void
  /** Replaces the server from now on, as after an update. */
  become(handler: (request: IncomingMessage, response: ServerResponse) => void): void
}

/**
 * An HTTP server of the revision without sessions, which checks the headers of each request. `silent`: a method whose
 * requests it accepts and never answers.
 */
export async function statelessHttp(options: StatelessOptions = {}, silent = ''): Promise<StatelessHttp> {
  const stateless = statelessServer(options)
  const faults: string[] = []
  const closed: string[] = []
  const streams = new Set<ServerResponse>()
  let handler: ((request: IncomingMessage, response: ServerResponse) => void) | undefined

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') {
      faults.push(`${request.method} instead of POST`)
      return void response.writeHead(405).end()
    }
    const message = {
      ...(JSON.parse(Buffer.concat(chunks).toString('utf8')) as StatelessMessage),
      headers: request.headers,
    }
    const { id, method = '' } = message
    const fault = method === 'initialize' ? undefined : headerFault(message)
    if (fault !== undefined) faults.push(fault)
    if (method === silent) return
    response.on('close', () => {
      streams.delete(response)
      if (!response.writableFinished) closed.push(method)
    })
    let isStream = false
    const open = (): void => {
      if (!isStream) response.writeHead(200, { 'content-type': 'text/event-stream' })
      isStream = true
      if (method === 'subscriptions/listen') streams.add(response)
    }
    const event = (said: object): void => {
      open()
      response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`)
    }
    const answer = await stateless.answer(message, event)
    if (id === undefined) return void response.writeHead(202).end()
    // Kept open until the client disconnects.
    if (!answer) return
    if (isStream) return void response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n\n`)
    const status = 'error' in answer ? 400 : 200
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', ...answer }))
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    if (handler) handler(request, response)
    else void serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    server: stateless,
    faults,
    closed,
    endStreams() {
      for (const stream of streams) stream.end()
    },
    become(next) {
      handler = next
      for (const stream of streams) stream.destroy()
    },
  }
}

const NAMED: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** Describes the error in the headers of a request. */
function headerFault({ id, method = '', params = {}, headers = {} }: StatelessMessage): string | undefined {
  if (headers['mcp-session-id'] !== undefined) return `${method} names a session`
  if (id === undefined) return undefined
  const meta = (params['_meta'] ?? {}) as Record<string, unknown>
  if (headers['mcp-protocol-version'] !== meta['io.modelcontextprotocol/protocolVersion'])
    return `${method} has the version ${String(headers['mcp-protocol-version'])}`
  if (headers['mcp-method'] !== method) return `${method} has the method ${String(headers['mcp-method'])}`
  const name = NAMED[method]
  return name !== undefined && headers['mcp-name'] !== params[name]
    ? `${method} has the name ${String(headers['mcp-name'])}`
    : undefined
}
