import { expect, test } from 'vitest'
import type { McpServerState, McpServerView } from '../../../shared/model/mcp'
import { ServerTroubles } from './server-troubles'

const server = (name: string, state: McpServerState, more: Partial<McpServerView> = {}): McpServerView => ({
  serverId: name,
  name,
  scope: 'user',
  state,
  transport: 'stdio',
  target: 'x',
  envNames: [],
  headerNames: [],
  sessions: 0,
  tools: [],
  prompts: 0,
  resources: 0,
  ...more,
})

test('a server that gives no tools is told once for each trouble it has, and one that another hides not at all', () => {
  const troubles = new ServerTroubles()
  const gone = server('gone', 'failed', { error: { message: 'It is\nnot there.', stderr: '' } })
  expect(troubles.news([gone, server('ok', 'ready'), server('hidden', 'failed', { hiddenBy: 'mcp.json' })])).toEqual([
    'The MCP server gone could not be reached: It is not there. The agent goes on without it.',
  ])
  expect(troubles.news([gone])).toEqual([])
  expect(troubles.news([server('gone', 'sign_in')])).toEqual([
    'The MCP server gone wants you to sign in: trestle mcp login gone. The agent goes on without it.',
  ])
})
