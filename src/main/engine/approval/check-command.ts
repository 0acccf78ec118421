import type { PermissionMode } from '../../../shared/model/approval'
import type { PreparedCall } from '../tool/tool'
import { createWorkspace } from '../workspace/workspace'
import type { CommandSandbox } from '../../../shared/model/sandbox'
import { judge, judgeParts } from './policies/judge'
import { POLICIES } from './policies'
import type { CommandSandboxes, JudgedCall, Verdict } from './rules/policy'
import type { PermissionRule } from '../permission/permission-rule'
import { inspectCommand } from './command/inspect-command'

/** A verdict in printable form. */
export interface CheckedCommand {
  verdict: Verdict['decision']
  reason: string
  /** The sandbox it would run in; absent when it is denied or no sandbox applies. */
  sandbox?: CommandSandbox
  segments: { command: string; verdict: Verdict['decision']; reason: string }[]
  rule?: {
    decision: PermissionRule['decision']
    pattern: string
    scope: PermissionRule['scope']
    file: string
    line?: number
  }
}

export interface CheckContext {
  rules: readonly PermissionRule[]
  /** `plan`: as in plan mode. */
  mode: PermissionMode | 'plan'
  /** Real path of the project folder. */
  cwd: string
  home: string
  /** Absent: as without sandboxes. */
  sandboxes?: CommandSandboxes
}

/**
 * What a running turn would decide about this command: the same parts, judged by the same policies in the same order.
 */
export async function checkCommand(
  command: string,
  { rules, mode, cwd, home, sandboxes }: CheckContext,
): Promise<CheckedCommand> {
  const workspace = createWorkspace({ root: cwd })
  const parts = await inspectCommand(command, workspace.root, workspace)
  const call: PreparedCall = {
    summary: command,
    accesses: [{ kind: 'command', command, cwd: workspace.root }],
    run: () => Promise.reject(new Error('A command that is only checked never runs.')),
  }
  const plan = mode === 'plan'
  const judged: JudgedCall = {
    tool: { name: 'Bash', annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true } },
    call,
    mode: plan ? 'ask' : mode,
    ...(plan && { plan: { file: '' } }),
    workspace,
    home,
    ownOutput: [],
    rules,
    parts,
    isRemembered: () => false,
    ...(sandboxes && { sandboxes }),
  }
  const verdicts = judgeParts(POLICIES, judged)
  const { decision, reason, rule, sandbox } = judge(POLICIES, judged)
  return {
    verdict: decision,
    reason,
    ...(sandbox && decision !== 'deny' && { sandbox }),
    segments: verdicts.map(({ part, verdict }) => ({
      command: part.source,
      verdict: verdict.decision,
      reason: verdict.reason,
    })),
    ...(rule && {
      rule: {
        decision: rule.decision,
        pattern: rule.pattern,
        scope: rule.scope,
        file: rule.file,
        ...(rule.line !== undefined && { line: rule.line }),
      },
    }),
  }
}
