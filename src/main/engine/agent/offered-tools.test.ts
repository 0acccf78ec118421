import { expect, it } from 'vitest'
import type { ToolAnnotations } from '../tool/tool'
import { isOffered } from './offered-tools'

const annotations: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const offered = (spec: { tools?: string[]; excludeTools?: string[] }, ...names: string[]): string[] =>
  names.filter((name) =>
    isOffered(
      { excludeTools: [], subagents: [], ...spec },
      { name, annotations },
      { readOnly: false, mayDelegate: false },
    ),
  )
const ALL = ['Read', 'Bash', 'mcp__git__log', 'mcp__git__push_all', 'mcp__github__log']

it('a tool only for agents that list it is not offered to others', () => {
  const tool = {
    name: 'GetLocalTime',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  }
  const offers = (tools?: string[]): boolean =>
    isOffered(
      { excludeTools: [], subagents: [], ...(tools && { tools }) },
      { ...tool, listedOnly: true },
      { readOnly: false, mayDelegate: false },
    )
  expect([offers(), offers(['Read']), offers(['GetLocalTime'])]).toEqual([false, false, true])
})

it('a spec that names a whole server, or some of its tools, offers exactly those', () => {
  expect(offered({}, ...ALL)).toEqual(ALL)
  expect(offered({ tools: ['Read', 'mcp__git__*'] }, ...ALL)).toEqual(['Read', 'mcp__git__log', 'mcp__git__push_all'])
  expect(offered({ tools: ['mcp__git__log'] }, ...ALL)).toEqual(['mcp__git__log'])
  expect(offered({ tools: ['mcp__*__log'] }, ...ALL)).toEqual(['mcp__git__log', 'mcp__github__log'])
  expect(offered({ tools: ['mcp__*u*__*g'] }, ...ALL)).toEqual(['mcp__github__log'])
})

it('exclude_tools takes precedence over tools', () => {
  expect(offered({ excludeTools: ['mcp__git__*'] }, ...ALL)).toEqual(['Read', 'Bash', 'mcp__github__log'])
  expect(offered({ tools: ['mcp__git__*'], excludeTools: ['mcp__*__push*'] }, ...ALL)).toEqual(['mcp__git__log'])
  expect(offered({ excludeTools: ['mcp__*'] }, ...ALL)).toEqual(['Read', 'Bash'])
})

it('a subagent can send a D-Mail, unless its spec excludes it', () => {
  expect(offered({ tools: ['Read'] }, 'SendDMail', 'AskUserQuestion')).toEqual(['SendDMail'])
  expect(offered({ excludeTools: ['SendDMail'] }, 'SendDMail')).toEqual([])
})

it('patterns match only tools of servers, and their ends do not overlap', () => {
  expect(offered({ tools: ['*', 'R*'] }, ...ALL)).toEqual([])
  expect(offered({ tools: ['mcp__git__*__git__log'] }, 'mcp__git__log')).toEqual([])
})

it('naming or excluding Edit also covers apply_patch', () => {
  expect(offered({ tools: ['Read', 'Edit'] }, 'Edit', 'apply_patch', 'Write')).toEqual(['Edit', 'apply_patch'])
  expect(offered({ excludeTools: ['Edit'] }, 'Edit', 'apply_patch', 'Write')).toEqual(['Write'])
  expect(offered({ excludeTools: ['apply_patch'] }, 'Edit', 'apply_patch')).toEqual(['Edit'])
})
