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

it('a spec that names a whole server, or some of its tools, offers these and no others', () => {
  expect(offered({}, ...ALL)).toEqual(ALL)
  expect(offered({ tools: ['Read', 'mcp__git__*'] }, ...ALL)).toEqual(['Read', 'mcp__git__log', 'mcp__git__push_all'])
  expect(offered({ tools: ['mcp__git__log'] }, ...ALL)).toEqual(['mcp__git__log'])
  expect(offered({ tools: ['mcp__*__log'] }, ...ALL)).toEqual(['mcp__git__log', 'mcp__github__log'])
  expect(offered({ tools: ['mcp__*u*__*g'] }, ...ALL)).toEqual(['mcp__github__log'])
})

it('what a spec leaves out stays out, also where it names it otherwise', () => {
  expect(offered({ excludeTools: ['mcp__git__*'] }, ...ALL)).toEqual(['Read', 'Bash', 'mcp__github__log'])
  expect(offered({ tools: ['mcp__git__*'], excludeTools: ['mcp__*__push*'] }, ...ALL)).toEqual(['mcp__git__log'])
  expect(offered({ excludeTools: ['mcp__*'] }, ...ALL)).toEqual(['Read', 'Bash'])
})

it('a subagent can send a D-Mail, unless its spec leaves that out', () => {
  expect(offered({ tools: ['Read'] }, 'SendDMail', 'AskUserQuestion')).toEqual(['SendDMail'])
  expect(offered({ excludeTools: ['SendDMail'] }, 'SendDMail')).toEqual([])
})

it('a pattern is about tools of servers alone, and its ends do not overlap', () => {
  expect(offered({ tools: ['*', 'R*'] }, ...ALL)).toEqual([])
  expect(offered({ tools: ['mcp__git__*__git__log'] }, 'mcp__git__log')).toEqual([])
})

it('a spec that names Edit, or leaves it out, means apply_patch with it', () => {
  expect(offered({ tools: ['Read', 'Edit'] }, 'Edit', 'apply_patch', 'Write')).toEqual(['Edit', 'apply_patch'])
  expect(offered({ excludeTools: ['Edit'] }, 'Edit', 'apply_patch', 'Write')).toEqual(['Write'])
  expect(offered({ excludeTools: ['apply_patch'] }, 'Edit', 'apply_patch')).toEqual(['Edit'])
})
