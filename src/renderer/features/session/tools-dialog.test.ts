import { expect, it } from 'vitest'
import type { SessionTool, ToolState } from '../../../shared/model/turn/context'
import { sentWithRequests, toolGroups } from './tools-dialog'

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

it('built-in tools come first, servers keep their order, and disabled or deferred tools do not count as sent', () => {
  expect(
    toolGroups(TOOLS, '').map(({ server, tools, sentTokens, allTokens }) => [
      server,
      tools.length,
      sentTokens,
      allTokens,
    ]),
  ).toEqual([
    [undefined, 2, 100, 100],
    ['mail', 2, 100, 200],
    ['web', 1, 100, 100],
  ])
})

it('a query keeps only tools that contain all of its words, and no empty groups', () => {
  expect(toolGroups(TOOLS, 'MAIL send').map(({ server, tools }) => [server, tools.length])).toEqual([['mail', 1]])
  expect(toolGroups(TOOLS, 'nothing such')).toEqual([])
})

it('the group totals add up to the overall total, including fractional tokens and unsent tools', () => {
  const tools = [
    ...Array.from({ length: 21 }, (_, n) => ({ ...tool(`own${n}`, 'active' as const), tokens: 271.4 })),
    { ...tool('WebSearch', 'off'), tokens: 300.5 },
    ...Array.from({ length: 16 }, (_, n) => ({ ...tool(`tool${n}`, 'active' as const, 'files'), tokens: 118.6 })),
  ]
  const groups = toolGroups(tools, '')
  expect(groups.map(({ sent, sentTokens }) => [sent, sentTokens])).toEqual([
    [21, 21 * 271],
    [16, 16 * 119],
  ])
  expect(sentWithRequests(groups)).toEqual({ tools: 37, tokens: 21 * 271 + 16 * 119 })
})
