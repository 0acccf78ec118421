/** An MCP server over stdio with one tool that looks tickets up. Who has ticket T-17 is in its environment and in no file. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const TICKETS: Readonly<Record<string, { title: string; assignee: string }>> = {
  'T-17': { title: 'The lift stops between floors', assignee: process.env['ASSIGNEE'] ?? 'nobody' },
  'T-18': { title: 'The lamp in the hall flickers', assignee: 'Ines' },
}

const server = new McpServer({ name: 'tickets', version: '1.0.0' }, { capabilities: { tools: {} } })
server.registerTool(
  'get_ticket',
  {
    description: 'Returns a ticket by its id, e.g. T-17.',
    inputSchema: { id: z.string() },
    annotations: { readOnlyHint: true },
  },
  ({ id }) => {
    const ticket = TICKETS[id]
    return {
      content: [{ type: 'text', text: ticket ? JSON.stringify(ticket) : `There is no ticket ${id}.` }],
      isError: !ticket,
    }
  },
)
await server.connect(new StdioServerTransport())
