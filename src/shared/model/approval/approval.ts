import type { FormValues, QuestionAnswer } from './form'
import type { PlanComment } from '../turn/plan'
import type { Preview, ProposedText } from './preview'
import type { SandboxLevel, SandboxNetwork } from '../task/sandbox'
import { toolLabel } from '../../tool-label'

/** How much is asked. `auto` asks nothing that a policy does not insist on. */
export const PERMISSION_MODES = ['ask', 'accept-edits', 'auto'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** What a session can be switched to: plan mode is separate from the permission modes and overrides each. */
export const SESSION_MODES = [...PERMISSION_MODES, 'plan'] as const
export type SessionMode = (typeof SESSION_MODES)[number]

/** Approval option kinds, as the Agent Client Protocol names them. */
export type ApprovalKind = 'allow_once' | 'allow_always' | 'reject_once'

export interface ApprovalOption {
  optionId: string
  kind: ApprovalKind
  /** What the button says; for `allow_always` exactly what it will cover. */
  name: string
  /** Where the command runs when this is chosen; absent for what is not a command. */
  sandbox?: SandboxLevel
  /** What the command can connect to then; goes with `sandbox`. */
  network?: SandboxNetwork
}

/** The option that rejects a call and ends its turn, so that the model is not asked what to do instead. */
export const REJECT_STOP = 'reject_stop'

/** How a call is rejected: the turn continues with the reason, or it ends. */
export const REJECT_OPTIONS: readonly ApprovalOption[] = [
  { optionId: 'reject', kind: 'reject_once', name: 'Reject…' },
  { optionId: REJECT_STOP, kind: 'reject_once', name: 'Reject and stop' },
]

/**
 * What a person is asked for, other than whether a call may run. `plan`, `questions`: by a call that does nothing but
 * ask. The others come in the midst of a call and end with the process. From the MCP server it uses: `form`: to fill in
 * a form; `link`: to open a page; `sampling`: whether the server may ask the model, and then whether it gets the
 * answer. From a command: `sandbox`: whether it gets what its sandbox refused. Before a request to the model: `budget`:
 * whether to continue beyond a spending limit; no call has its `callId`. Who does not know one of them answers with its
 * option of the kind `reject_once`.
 */
export type AskKind = 'plan' | 'questions' | MidCallAsk
export type MidCallAsk = 'form' | 'link' | 'sampling' | 'sandbox' | 'budget'

/** One reason why a call is asked about. */
export interface ApprovalReason {
  /** A sentence. */
  text: string
  /** The part of the command it is about, as the preview shows it; absent where the command has only one. */
  part?: string
  /** It cannot be undone, or it changes what runs later: it asks in every mode. */
  danger?: true
}

/** A question to the human: may this call run? It is stored, so it survives a restart. */
export interface Approval {
  approvalId: string
  turnId: string
  callId: string
  tool: string
  /** One line: what would be done. */
  summary: string
  /** Why it is asked: the policy's own words. */
  reason: string
  /** Every reason, dangers first; absent where `reason` is the only one and no danger. */
  reasons?: ApprovalReason[]
  preview?: Preview
  options: ApprovalOption[]
  /** Set when it is not about whether the call may run: only the user answers, and each one separately. */
  asks?: AskKind
  /** ms since the epoch. */
  requestedAt: number
}

/** The text that a call is to write instead of what it proposed; see `ProposedText`. */
export interface EditedProposal {
  path: string
  /** With line feeds only: lines keep the ends that they have. */
  text: string
}

/** What a call that changes one text file proposes, and what it would do with the user's changes. */
export interface ApprovalProposal extends ProposedText {
  /** What would be written, as hooks leave it. */
  preview?: Preview
}

/** What a person answers to a call that asks, besides the option they chose. */
export interface PersonAnswer {
  optionId: string
  feedback?: string
  /** On lines of a plan. */
  comments?: PlanComment[]
  /** One for each question. */
  answers?: QuestionAnswer[]
  /** What was filled in, by the keys of the fields. */
  values?: FormValues
}

/** How an approval ended. `cancelled`: the turn was stopped first, or no user could be asked. */
export type ApprovalOutcome = 'allow_once' | 'allow_always' | 'reject_once' | 'cancelled'

/** What rule, policy or mode decided about a call without asking, and why. */
export interface Judgement {
  decision: 'allow' | 'deny'
  /** A sentence. */
  reason: string
  /** Where an allowed command runs. */
  sandbox?: SandboxLevel
  /** The rule that decided, and where it is defined. */
  rule?: {
    decision: 'allow' | 'ask' | 'deny'
    pattern: string
    scope: 'session' | 'user' | 'project'
    file: string
    line?: number
  }
}

/** An approval that waits, as the inbox lists it: everything but its preview. */
export interface InboxEntry {
  sessionId: string
  sessionTitle: string
  folder: string
  approvalId: string
  tool: string
  summary: string
  reason: string
  options: ApprovalOption[]
  /** As in the approval. */
  asks?: AskKind
  /** One of its reasons is a danger: it is answered separately, and never with a single key. */
  dangerous?: true
  /** ms since the epoch. */
  requestedAt: number
  /** Equal for requests that are alike: the same tool asking for the same reason. */
  group: string
  /** Set when a subagent asks: its type, its task, and the root session. */
  agent?: { type: string; description: string; rootId: string }
  /** Set when another process holds the session: where it must be answered. */
  elsewhere?: string
  /** The place of its session; absent: this machine. */
  place?: string
}

/** One thing "allow always" can cover. */
export interface RuleChoice {
  /**
   * The rules as they would be written, one a line (a line of several commands needs several), e.g. `Bash(npm run
   * test:*)`.
   */
  pattern: string
  /** What it covers, as text. */
  label: string
  /** The session's past commands, newest first: what was decided then, and what this rule would have decided. */
  past: { command: string; before: 'allow' | 'ask' | 'deny'; after: 'allow' | 'ask' | 'deny' }[]
}

const REQUEST_NAMES: Record<AskKind, string> = {
  plan: 'Plan',
  questions: 'Question',
  form: 'Form',
  link: 'Page to open',
  sampling: 'Model use',
  sandbox: 'Blocked by the sandbox',
  budget: 'Spending limit',
}

/** What a request is called on screen: what is asked for, else the tool. */
export function requestName({ tool, asks }: Pick<Approval, 'tool' | 'asks'>): string {
  return asks ? REQUEST_NAMES[asks] : toolLabel(tool)
}

/** The key that rejects, wherever a request is answered by keys, and the one that asks for changes to a plan. */
export const REJECT_KEY = '0'
export const REVISE_KEY = '9'

/** The keys of options that are always the same, by their ids: what allows counts from 1 beside them. */
export function fixedKeys(options: readonly ApprovalOption[]): Map<string, string> {
  const rejecting = options.filter(({ optionId, kind }) => kind === 'reject_once' && optionId !== 'revise')
  const reject = rejecting.find(({ optionId }) => optionId === 'reject') ?? rejecting[0]
  return new Map([
    ...(reject ? [[reject.optionId, REJECT_KEY] as const] : []),
    ...(options.some(({ optionId }) => optionId === 'revise') ? [['revise', REVISE_KEY] as const] : []),
  ])
}

/**
 * Whether one of its reasons is a danger. Such a request is never allowed with a single key, nor together with others.
 */
export function isDangerous({ reasons }: Pick<Approval, 'reasons'>): boolean {
  return reasons?.some(({ danger }) => danger) ?? false
}

/** Whether it comes from the midst of a call that runs: such a request does not outlive the process. */
export function isMidCall({ asks }: Pick<Approval, 'asks'>): boolean {
  return asks === 'form' || asks === 'link' || asks === 'sampling' || asks === 'sandbox' || asks === 'budget'
}
