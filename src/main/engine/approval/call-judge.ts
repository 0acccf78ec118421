import type { Approval, PermissionMode } from '../../../shared/model/approval/approval'
import type { GateCall } from '../loop/call-lifecycle'
import type { PermissionRule } from '../permission/permission-rule'
import type { Workspace } from '../workspace/workspace'
import type { JUDGING } from './judging'
import type { CommandSandboxes, JudgedCall, Policy, Verdict } from './rules/policy'
import type { ToolPins } from './rules/tool-pins'

/** The session whose calls are judged. Its methods return the current state. See `JudgedCall`. */
export interface JudgedSession {
  mode(): PermissionMode
  /** In plan mode, the only file that may change; for a subagent, the plan file of its parent. */
  plan(): { file: string } | undefined
  readOnlyAgent?(): string | undefined
  home: string
  ownOutput: readonly string[]
  /** The session's current folders. */
  workspace(): Workspace
  /** The current rules. */
  rules(): Promise<readonly PermissionRule[]>
  /**
   * What sandboxes can currently do for the session's commands. Default: no sandboxes, and verdicts do not mention
   * them.
   */
  sandboxes?(forCommand: boolean): Promise<CommandSandboxes | undefined>
  /** Default: no. */
  hasReadMail?(): boolean
  hasReadThirdParty?(): boolean
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
}

type Judging = typeof JUDGING

/** Judges calls by the policies, using the session's state at that moment. */
export class CallJudge {
  readonly #session: JudgedSession
  readonly #toolPins: ToolPins | undefined
  readonly #givenPolicies: readonly Policy[] | undefined
  /** Loaded by `judgedCall` on the first call; nothing is judged before that. */
  #by!: Judging
  // The calls of one answer are judged together: the rules and sandboxes are read once for all of them.
  readonly #rules = sharedWhilePending(() => this.#session.rules())
  readonly #sandboxes = sharedWhilePending(async () => this.#session.sandboxes?.(false))
  readonly #commandSandboxes = sharedWhilePending(async () => this.#session.sandboxes?.(true))

  /** `policies` defaults to all of them. */
  constructor(session: JudgedSession, toolPins: ToolPins | undefined, policies: readonly Policy[] | undefined) {
    this.#session = session
    this.#toolPins = toolPins
    this.#givenPolicies = policies
  }

  get policies(): readonly Policy[] {
    return this.#by.policies
  }

  /** A call with the context it is judged in. */
  async judgedCall({ tool, call }: Pick<GateCall, 'tool' | 'call'>): Promise<JudgedCall> {
    this.#by ??= await loadJudging(this.#givenPolicies)
    const session = this.#session
    const workspace = session.workspace()
    const [rules, parts, toolChange] = await Promise.all([
      this.#rules(),
      this.#by.commandPartsOf(call, workspace),
      this.#toolPins?.changeOf(tool),
    ])
    const sandboxes = await (parts === undefined ? this.#sandboxes() : this.#commandSandboxes())
    const plan = session.plan()
    const readOnlyAgent = session.readOnlyAgent?.()
    return {
      tool,
      call,
      mode: session.mode(),
      ...(readOnlyAgent !== undefined && { readOnlyAgent }),
      workspace,
      rules,
      ...(parts && { parts }),
      ...(sandboxes && { sandboxes }),
      ...(plan && { plan }),
      ...(toolChange && { toolChange }),
      ...(session.hasReadMail && { hasReadMail: () => session.hasReadMail!() }),
      ...(session.hasReadThirdParty && { hasReadThirdParty: () => session.hasReadThirdParty!() }),
      isRemembered: session.isRemembered,
      home: session.home,
      ownOutput: session.ownOutput,
    }
  }

  /** What the policies decide, even for a call that is itself a question. */
  ruleVerdict(judged: JudgedCall): Verdict {
    return this.#by.judge(this.#by.policies, judged)
  }

  /** A call that is itself a question always asks, even if something would allow it. */
  verdictOn(judged: JudgedCall): Verdict {
    const verdict = this.ruleVerdict(judged)
    const { asks } = judged.call
    return asks && verdict.decision !== 'deny' ? { decision: 'ask', reason: asks.reason, everyTime: true } : verdict
  }

  /** All reasons to ask for approval; `changed` is an additional one. */
  reasonsOf(judged: JudgedCall, changed: string | undefined): Pick<Approval, 'reasons'> {
    return this.#by.approvalReasons(this.#by.policies, judged, changed)
  }
}

/** Callers that ask while an earlier request is still pending share its answer. */
function sharedWhilePending<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let pending: Promise<Answer> | undefined
  return () =>
    (pending ??= ask().finally(() => {
      pending = undefined
    }))
}

async function loadJudging(policies: readonly Policy[] | undefined): Promise<Judging> {
  const { JUDGING: judging } = await import('./judging')
  return policies ? { ...judging, policies } : judging
}
