import type { ApprovalOption } from '../../../shared/model/approval/approval'
import {
  describeDenial,
  SANDBOX_LEVEL_NAMES,
  type CommandSandbox,
  type SandboxDenial,
} from '../../../shared/model/task/sandbox'
import { visibleLine } from '../../../shared/visible-text'
import { findDenial } from '../sandbox/find-denial'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { TaskEnd } from '../task/task-supervisor'
import type { CallContext } from './tool'
import { cutTextStart } from '../../../shared/cut-text'

/** How long the user's answer to a card about the sandbox applies. */
export type AllowScope = 'once' | 'session' | 'always'

/** The sandbox of one session's commands, as Bash needs it. */
export interface SessionSandbox {
  /**
   * What a command in this sandbox can reach; undefined means everything. `opened`: what was allowed for this one
   * command.
   */
  policy(sandbox: CommandSandbox | undefined, opened?: SandboxDenial): Promise<SandboxPolicy | undefined>
  /** Reports whether the search of the project for the last sandbox was complete. */
  searched(isComplete: boolean): void
  /** Whether the user can be offered to allow this for sandboxed commands. */
  canAllow(denied: SandboxDenial): boolean
  /** Saves what the user has allowed, for the session or in config.toml. */
  allow(denied: SandboxDenial, scope: Exclude<AllowScope, 'once'>): Promise<void>
}

const OUTPUT_ON_CARD = 1_500
const OPTION_IDS = {
  once: 'once',
  session: 'session',
  always: 'always',
  unrestricted: 'unrestricted',
  reject: 'reject',
} as const

export interface SandboxedRun {
  command: string
  cwd: string
  sandbox: CommandSandbox | undefined
  /** Runs the command; called a second time when the user allows what was refused. */
  run(policy: SandboxPolicy | undefined): Promise<TaskEnd>
}

/**
 * Runs a command in its sandbox. When it fails because of the sandbox, the user is asked once whether to allow what it
 * needed or to run it without a sandbox; then it runs again. What the sandbox did is added to the end's notes, as text
 * for the model.
 */
export async function runInSandbox(
  session: SessionSandbox,
  ctx: CallContext,
  { command, cwd, sandbox, run }: SandboxedRun,
): Promise<TaskEnd> {
  const policy = await session.policy(sandbox)
  const end = await run(policy)
  if (end.sandboxIsIncomplete !== undefined) session.searched(!end.sandboxIsIncomplete)
  if (!policy || !sandbox || end.task.status !== 'failed') return end
  const denied = findDenial({ policy, cwd, output: end.text, hosts: end.deniedHosts ?? [] })
  if (!denied) return end
  const sentence = visibleLine(describeDenial(denied, sandbox))
  // Plan mode and a read-only agent have no sandbox other than this one.
  if (policy.level === 'read-only')
    return withNote(end, `${sentence} Nothing else is possible here; continue without it.`)
  const options = optionsFor(denied, session.canAllow(denied))
  const answer = await ctx.ask({
    asks: 'sandbox',
    summary: command,
    reason: sentence,
    preview: { kind: 'sandbox', command, sandbox, denied, output: cutTextStart(end.text, OUTPUT_ON_CARD) },
    options,
  })
  if ('none' in answer)
    return withNote(
      end,
      `${sentence} ${answer.why} Do not try to get around this; continue without it, or say what you need.`,
    )
  switch (answer.optionId) {
    case OPTION_IDS.unrestricted:
      return withNote(
        await run(undefined),
        `${sentence} The user let the command run again without a sandbox; this is that run.`,
      )
    case OPTION_IDS.once:
    case OPTION_IDS.session:
    case OPTION_IDS.always: {
      const scope: AllowScope = answer.optionId
      if (scope !== 'once') await session.allow(denied, scope)
      const again = await run(await session.policy(sandbox, denied))
      return withNote(again, `${sentence} The user allowed it, and the command ran again; this is that run.`)
    }
    default:
      return withNote(end, `${sentence} The user did not allow it. Do not try to get around this; continue without it.`)
  }
}

function optionsFor(denied: SandboxDenial, canAllow: boolean): ApprovalOption[] {
  const what = visibleLine(denied.kind === 'host' ? denied.host : denied.path)
  const allow: ApprovalOption[] = [
    { optionId: OPTION_IDS.once, kind: 'allow_once', name: `Allow ${what} once`, sandbox: 'project' },
    { optionId: OPTION_IDS.session, kind: 'allow_always', name: 'Allow for this session', sandbox: 'project' },
    { optionId: OPTION_IDS.always, kind: 'allow_always', name: 'Always allow', sandbox: 'project' },
  ]
  return [
    ...(canAllow ? allow : []),
    { optionId: OPTION_IDS.unrestricted, kind: 'allow_once', name: 'Run once unrestricted', sandbox: 'unrestricted' },
    { optionId: OPTION_IDS.reject, kind: 'reject_once', name: "Don't allow" },
  ]
}

function withNote(end: TaskEnd, note: string): TaskEnd {
  return { ...end, notes: [...end.notes, note] }
}

/** The note about the sandbox of a background command: no call waits for it, so the user is not asked. */
export function backgroundNote({ level, network }: CommandSandbox): string | undefined {
  if (level === 'unrestricted') return undefined
  const reach =
    network === 'none' ? 'It has no network.' : network === 'listed' ? 'It reaches the listed hosts only.' : ''
  return `It runs in the ${SANDBOX_LEVEL_NAMES[level]} sandbox. ${reach}`.trim()
}
