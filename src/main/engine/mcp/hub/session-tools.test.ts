import { expect, it } from 'vitest'
import fc from 'fast-check'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import { type ConfiguredServer, effectiveServers, isUsable } from '../config/configured-server'
import { readTools, type ListedTool } from '../tool/read-tools'
import { sessionTools, reuseIfUnchanged, toolNames } from './session-tools'

const definition: McpServerDefinition = {
  enabled: true,
  startTimeoutMs: 1,
  callTimeoutMs: 1,
  disabledTools: [],
  transport: 'stdio',
  command: 'x',
  args: [],
  env: {},
}
const server = (name: string, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  serverId: `${more.scope ?? 'user'}/${name}`,
  name,
  scope: 'user',
  definition,
  isAccepted: true,
  ...more,
})
const tools = (...items: unknown[]): ListedTool[] => readTools(items).tools

it('limits a server whose tools would fill every request, without affecting others', () => {
  const huge = tools(...Array.from({ length: 100 }, (_, n) => ({ name: `t${n}`, description: 'd'.repeat(10_000) })))
  const offered = sessionTools([
    { server: server('huge'), tools: huge },
    { server: server('small'), tools: tools({ name: 'only' }) },
  ])
  expect(offered.filter(({ server: name }) => name === 'huge')).toHaveLength(26)
  expect(offered.at(-1)).toMatchObject({ fullName: 'mcp__small__only' })
})

it('offers enabled tools, and nothing that has a problem', () => {
  const listed = tools({ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'bad', inputSchema: 'no schema' })
  const named = (more: Partial<McpServerDefinition>) =>
    sessionTools([
      { server: server('s', { definition: { ...definition, ...more } as McpServerDefinition }), tools: listed },
    ]).map(({ name }) => name)
  expect(named({})).toEqual(['a', 'b', 'c'])
  expect(named({ disabledTools: ['a'] })).toEqual(['b', 'c'])
  expect(named({ enabledTools: ['a', 'b'], disabledTools: ['a'] })).toEqual(['b'])
})

it('returns the same list until something changes, so that requests to models stay the same', () => {
  const listed = tools({ name: 'a' }, { name: 'b' })
  const before = sessionTools([{ server: server('s'), tools: listed }])
  expect(reuseIfUnchanged(before, sessionTools([{ server: server('s'), tools: listed }]))).toBe(before)
  expect(reuseIfUnchanged(before, sessionTools([{ server: server('s'), tools: listed.slice(1) }]))).not.toBe(before)
})

it('uses the nearest of several servers with the same name, and ignores servers that are not accepted', () => {
  const usable = (...servers: ConfiguredServer[]) =>
    effectiveServers(servers)
      .filter(isUsable)
      .map((each) => each.server.serverId)
  const own = server('x')
  const project = server('x', { scope: 'project', file: '/p/.mcp.json' })
  expect(usable(project, own)).toEqual(['project/x'])
  expect(usable({ ...project, isAccepted: false }, own)).toEqual(['user/x'])
  expect(usable(own, project, server('x', { scope: 'session' }))).toEqual(['session/x'])
  expect(effectiveServers([project, own])[1]).toMatchObject({ hiddenBy: '/p/.mcp.json' })
})

it('strips invisible characters from a tool, and assumes the worst case of its claims', () => {
  const [tool] = tools({
    name: 'x',
    description: 'seen\u{e0041}\u202e\u0007',
    title: 't',
    annotations: { readOnlyHint: 'yes', idempotentHint: true },
  })
  expect(tool).toMatchObject({
    description: 'seen',
    title: 't',
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
    saysDestructive: false,
  })
})

const name = (server: string, tool: string): string => toolNames([{ server, name: tool }])[0]!

it('contains server and tool, with invalid characters replaced', () => {
  expect(name('github', 'create_issue')).toBe('mcp__github__create_issue')
  expect(name('my server', 'do/it now')).toBe('mcp__my_server__do_it_now')
  expect(name('Überwachung', '写')).toMatch(/^mcp__berwachung__/)
})

it('are always valid, unique and independent of the order', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[a-z_. /]{0,80}$/))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ server: text, name: text }), {
        maxLength: 30,
        selector: (each) => JSON.stringify(each),
      }),
      (tools) => {
        const names = toolNames(tools)
        expect(names.every((each) => /^mcp__[A-Za-z0-9_-]{1,59}$/.test(each))).toBe(true)
        expect(new Set(names).size).toBe(names.length)
        expect(toolNames(tools.toReversed())).toEqual(names.toReversed())
      },
    ),
  )
})

it('keep a rule for all tools of one server from matching a server with a similar name', () => {
  const servers = ['a', 'a_', 'a__b', '_a', 'a b', 'a.b', 'a_b']
  const names = toolNames(servers.map((server) => ({ server, name: 'tool' })))
  for (const [index, own] of names.entries()) {
    const prefix = own.slice(0, own.indexOf('__', 5) + 2)
    expect(names.filter((each, other) => other !== index && each.startsWith(prefix))).toEqual([])
  }
})
