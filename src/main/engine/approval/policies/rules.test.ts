import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rulesOf } from '../../../../../test/support/judge-command'
import type { PreparedCall } from '../../tool/tool'
import { createWorkspace } from '../../workspace/workspace'
import { judge } from './judge'
import { POLICIES } from './index'
import type { JudgedCall } from '../rules/policy'

const root = '/usr'
const workspace = createWorkspace({ root })
const annotations = { readOnly: false, destructive: true, idempotent: false, openWorld: false }

/** The decision on a patch of these files under the rules. */
function patching(paths: readonly string[], rules: readonly string[], more: Partial<JudgedCall> = {}): string {
  const accesses = paths.map((path) => ({
    kind: 'file' as const,
    path: join(root, path),
    written: join(root, path),
    write: true,
  }))
  const call: PreparedCall = { summary: '', accesses, run: () => Promise.reject(new Error('never')) }
  const judged: JudgedCall = {
    tool: { name: 'apply_patch', annotations },
    call,
    mode: 'ask',
    workspace,
    home: '/home/absent/.trestle',
    ownOutput: [],
    rules: rulesOf(...rules),
    isRemembered: () => false,
    ...more,
  }
  return judge(POLICIES, judged).decision
}

it.each(['Edit', 'Write', 'Patch', 'apply_patch'])(
  'a rule that denies %s denies a patch when one of its files matches',
  (tool) => {
    const rules = ['allow Edit(**)', `deny ${tool}(src/kept/**)`]
    expect(patching(['src/a.ts', 'src/kept/b.ts'], rules, { mode: 'auto' })).toBe('deny')
    expect(patching(['src/a.ts', 'src/b.ts'], rules)).toBe('allow')
    expect(patching(['src/a.ts'], [`deny ${tool}`], { mode: 'auto' })).toBe('deny')
    expect(patching(['src/a.ts'], ['deny E*'], { mode: 'auto' })).toBe('deny')
  },
)

it('a rule that asks for an Edit asks for a patch, in any mode', () => {
  expect(patching(['a.ts', 'package.json'], ['ask Edit(package.json)'], { mode: 'auto' })).toBe('ask')
  expect(patching(['a.ts'], ['ask Edit(package.json)'], { mode: 'auto' })).toBe('allow')
})

it('rules allow a patch only when each of its files is allowed, by one rule or another', () => {
  const rules = ['allow Edit(src/**)', 'allow Write(docs/**)']
  expect(patching(['src/a.ts'], rules)).toBe('allow')
  expect(patching(['src/a.ts', 'docs/a.md'], rules)).toBe('allow')
  expect(patching(['src/a.ts', 'docs/a.md', 'package.json'], rules)).toBe('ask')
  expect(patching(['src/a.ts', '../etc/hosts'], rules)).toBe('ask')
})

it('rules for other tools do not apply to patches', () => {
  expect(patching(['a.ts'], ['allow Read(**)', 'allow Bash(*)'])).toBe('ask')
  expect(patching(['a.ts'], ['deny Read(**)'], { mode: 'auto' })).toBe('allow')
})

it('accept-edits mode accepts a patch inside the project only', () => {
  expect(patching(['a.ts', 'b.ts'], [], { mode: 'accept-edits' })).toBe('allow')
  expect(patching(['a.ts', '../etc/hosts'], [], { mode: 'accept-edits' })).toBe('ask')
})

it('plan mode allows a patch of the plan file only', () => {
  const plan = { file: join(root, 'plans/plan-1.md') }
  expect(patching(['plans/plan-1.md'], [], { plan })).toBe('allow')
  expect(patching(['plans/plan-1.md', 'a.ts'], ['allow *'], { plan, mode: 'auto' })).toBe('deny')
})
