import type { PermissionMode } from '../../../shared/model/approval/approval'
import type { PreparedCall } from '../tool/tool'
import { createWorkspace } from '../workspace/workspace'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
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
  /** `plan`: judge as in plan mode. */
  mode: PermissionMode | 'plan'
  /** Real path of the project folder. */
  cwd: string
  home: string
  /** Absent: judge as if there were no sandboxes. */
  sandboxes?: CommandSandboxes
}

/**
 * What a running turn would decide about this command: the same parts, judged by the same policies in the same order.
 */
export async function checkCommand(command: string, context: CheckContext): Promise<CheckedCommand> {
  const judged = await judgedCommand(command, context)
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

/** A command as a turn's gate would judge it. It can only be judged, not run. */
export async function judgedCommand(command: string, context: CheckContext): Promise<JudgedCall> {
  const { root } = createWorkspace({ root: context.cwd })
  const judged = judgedTool(
    { name: 'Bash', annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true } },
    { summary: command, accesses: [{ kind: 'command', command, cwd: root }] },
    context,
  )
  return { ...judged, parts: await inspectCommand(command, root, judged.workspace) }
}

/** The same for a call of a tool. */
export function judgedTool(
  tool: JudgedCall['tool'],
  call: Pick<PreparedCall, 'summary' | 'accesses'>,
  { rules, mode, cwd, home, sandboxes }: CheckContext,
): JudgedCall {
  const plan = mode === 'plan'
  return {
    tool,
    call: { ...call, run: () => Promise.reject(new Error('A call that is only checked never runs.')) },
    mode: plan ? 'ask' : mode,
    ...(plan && { plan: { file: '' } }),
    workspace: createWorkspace({ root: cwd }),
    home,
    ownOutput: [],
    rules,
    isRemembered: () => false,
    ...(sandboxes && { sandboxes }),
  }
}
