/**
 * A small stdio MCP server for tests of everything around servers: its tools answer, fail, ask the user and return
 * their environment.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'clerk', version: '1.0.0' }, { capabilities: { tools: {} } })
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })

server.registerTool(
  'echo',
  { description: 'Says it again.', inputSchema: { text: z.string() }, annotations: { readOnlyHint: true } },
  ({ text }) => said(text),
)
server.registerTool('fail', { description: 'Fails.' }, () => ({ ...said('The drawer is empty.'), isError: true }))
server.registerTool('environment', { description: 'Names its environment.' }, () =>
  said(Object.keys(process.env).toSorted().join(' ')),
)
server.registerTool('order', { description: 'Asks for what is ordered.' }, async () => {
  const { action, content } = await server.server.elicitInput({
    message: 'What may it be?',
    requestedSchema: {
      type: 'object',
      properties: { dish: { type: 'string', default: 'soup' }, count: { type: 'integer', minimum: 1, default: 2 } },
      required: ['dish'],
    },
  })
  return said(`${action} ${JSON.stringify(content ?? {})}`)
})

process.stderr.write('the clerk is there\n')
await server.connect(new StdioServerTransport())
