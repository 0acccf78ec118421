import { describe, expect, it } from 'vitest'
import { rulesOf } from '../../../../../test/support/judge-command'
import type { PreparedCall, ToolAnnotations } from '../../tool/tool'
import { createWorkspace } from '../../workspace/workspace'
import type { JudgedCall } from '../rules/policy'
import { ruleOffers } from '../choices/rule-offers'
import { POLICIES } from './index'
import { judge } from './judge'

const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: true }
const WRITES: ToolAnnotations = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

function calling(rules: readonly string[], more: Partial<JudgedCall> = {}, annotations = READS): JudgedCall {
  const call: PreparedCall = {
    summary: '',
    accesses: [{ kind: 'server', server: 'tracker', local: true, write: !annotations.readOnly }],
    run: () => Promise.reject(new Error('never')),
  }
  return {
    tool: {
      name: 'mcp__tracker__search',
      annotations,
      server: { name: 'tracker', tool: 'search', saysDestructive: false },
    },
    call,
    mode: 'auto',
    workspace: createWorkspace({ root: '/usr' }),
    home: '/home/absent/.trestle',
    ownOutput: [],
    rules: rulesOf(...rules),
    isRemembered: () => false,
    ...more,
  }
}

describe.each([
  ['plan mode', { plan: { file: '/usr/plan.md' } }, 'plan mode is on'],
  ['a read-only agent', { readOnlyAgent: 'explore' }, 'the agent explore may only read'],
])("in %s, a server's tool that is declared read-only", (_, promise, told) => {
  it.each(['ask', 'accept-edits', 'auto'] as const)('asks in the mode %s, and reports whose claim it is', (mode) => {
    const verdict = judge(POLICIES, calling([], { ...promise, mode }))
    expect(verdict).toMatchObject({ decision: 'ask', reason: expect.stringContaining(told) })
    expect(verdict.reason).toContain('The server tracker says that search only reads.')
  })

  it('asks even if a rule allows all tools, or all of the server', () => {
    for (const rule of ['allow mcp__tracker__*', 'allow mcp__*', 'allow *'])
      expect([rule, judge(POLICIES, calling([rule], promise)).decision]).toEqual([rule, 'ask'])
  })

  it('runs when a rule names exactly this tool, which is what "always" offers', () => {
    const offers = ruleOffers(POLICIES, calling([], promise))
    expect(offers.map(({ pattern }) => pattern)).toEqual(['mcp__tracker__search'])
    expect(judge(POLICIES, calling(['allow mcp__tracker__search'], promise)).decision).toBe('allow')
  })

  it('is refused when it is no longer declared read-only, even if a rule names it', () => {
    expect(judge(POLICIES, calling(['allow mcp__tracker__search'], promise, WRITES)).decision).toBe('deny')
  })
})

it('allows all tools of a server by a rule outside plan mode', () => {
  expect(judge(POLICIES, calling(['allow mcp__tracker__*'], { mode: 'ask' })).decision).toBe('allow')
  expect(judge(POLICIES, calling([])).decision).toBe('allow')
})
