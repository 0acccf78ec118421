/**
 * A stdio server with the tools of one file of `tool-catalogue/`: `node catalogue-server.ts github`. A call returns its
 * arguments.
 */
import { createInterface } from 'node:readline'
import { catalogueTools } from './catalogue-text.ts'

const [server = 'github'] = process.argv.slice(2)

interface Request {
  id?: number | string
  method: string
  params?: { protocolVersion?: string; name?: string; arguments?: unknown }
}

function resultOf({ method, params }: Request): Record<string, unknown> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: server, version: '1.0.0' },
      }
    case 'tools/list':
      return { tools: catalogueTools(server) }
    case 'tools/call':
      return {
        content: [{ type: 'text', text: `${server} did ${params?.name} with ${JSON.stringify(params?.arguments)}` }],
      }
    default:
      return {}
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request
  if (request.id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: resultOf(request) })}\n`)
})
