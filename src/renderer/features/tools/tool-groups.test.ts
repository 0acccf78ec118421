import { expect, it } from 'vitest'
import type { SessionTool, ToolState } from '../../../shared/model/tools-view'
import { toolGroups } from './tool-groups'

const tool = (name: string, state: ToolState, server?: string): SessionTool => ({
  name: server === undefined ? name : `mcp__${server}__${name}`,
  ...(server !== undefined && { server: { name: server, tool: name } }),
  description: `Does ${name}`,
  state,
  tokens: 100,
  bytes: 320,
})
const TOOLS = [
  tool('send', 'deferred', 'mail'),
  tool('Read', 'active'),
  tool('list', 'active', 'mail'),
  tool('WebSearch', 'off'),
  tool('get', 'active', 'web'),
]

it('own tools come first, servers keep their order, and what is off or deferred does not count as sent', () => {
  expect(toolGroups(TOOLS, '').map(({ server, tools, sentTokens, allTokens }) => [server, tools.length, sentTokens, allTokens])).toEqual([
    [undefined, 2, 100, 100],
    ['mail', 2, 100, 200],
    ['web', 1, 100, 100],
  ])
})

it('a query leaves only tools with all of its words, and no empty groups', () => {
  expect(toolGroups(TOOLS, 'MAIL send').map(({ server, tools }) => [server, tools.length])).toEqual([['mail', 1]])
  expect(toolGroups(TOOLS, 'nothing such')).toEqual([])
})
