import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import type { ServerTool } from './scenario'

export interface Attacker {
  /** `127.0.0.1:port` */
  address: string
  /** Data received over each connection. */
  received: string[]
  close(): Promise<void>
}

/** The destination of stolen data. It answers like a web server, so that clients send their requests. */
export async function startAttacker(): Promise<Attacker> {
  const received: string[] = []
  const server = createServer((socket) => {
    const at = received.push('') - 1
    socket.on('data', (data) => {
      received[at] += data.toString('latin1')
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
    })
    socket.on('error', () => undefined)
  })
  return { address: `127.0.0.1:${await listen(server)}`, received, close: () => closed(server) }
}

export interface PlantingServer {
  port: number
  close(): Promise<void>
}

/** A web page and an MCP server that the user works with, with content chosen by the attacker. */
export async function startPlantingServer(page: string, tools: readonly ServerTool[]): Promise<PlantingServer> {
  const waiting = new Map<string, () => void>()
  const server = createHttpServer((request, response) => {
    response.on('error', () => undefined)
    if (request.url?.startsWith('/mcp')) void onMessage(request, response)
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(page)
  })

  async function onMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await bodyOf(request)) as {
      id?: number | string
      method?: string
      params?: Record<string, unknown>
    }
    if (message.method === undefined) {
      waiting.get(String(message.id))?.()
      return void response.writeHead(202).end()
    }
    if (message.id === undefined) return void response.writeHead(202).end()
    const answer = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
    if (message.method === 'tools/call') {
      const tool = tools.find(({ name }) => name === message.params?.['name'])
      const result = answer({ content: [{ type: 'text', text: tool?.result ?? 'ok' }] })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (!tool?.asks) return void response.end(`data: ${result}\n\n`)
      const id = `ask-${message.id}`
      waiting.set(id, () => response.end(`data: ${result}\n\n`))
      return void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...tool.asks })}\n\n`)
    }
    response.setHeader('content-type', 'application/json')
    response.end(answer(resultOf(message.method, message.params ?? {})))
  }

  const resultOf = (method: string, params: Record<string, unknown>): unknown => {
    if (method === 'initialize')
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'helper', version: '1' },
      }
    if (method !== 'tools/list') return {}
    return {
      tools: tools.map(({ name, description = 'Looks something up.', annotations }) => ({
        name,
        description,
        inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        ...(annotations && { annotations }),
      })),
    }
  }

  return {
    port: await listen(server),
    close: () => {
      server.closeAllConnections()
      return closed(server)
    },
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
