import type { FormValues, QuestionAnswer } from './form'
import type { PlanComment } from '../turn/plan'
import type { Preview, ProposedText } from './preview'
import type { SandboxLevel, SandboxNetwork } from '../task/sandbox'
import { toolLabel } from '../../tool-label'

/** How much needs approval. `auto` asks only if a policy requires it. */
export const PERMISSION_MODES = ['ask', 'accept-edits', 'auto'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** The modes of a session: plan mode is separate from the permission modes and overrides them. */
export const SESSION_MODES = [...PERMISSION_MODES, 'plan'] as const
export type SessionMode = (typeof SESSION_MODES)[number]

/** Approval option kinds, with the names of the Agent Client Protocol. */
export type ApprovalKind = 'allow_once' | 'allow_always' | 'reject_once'

export interface ApprovalOption {
  optionId: string
  kind: ApprovalKind
  /** The label of the button; for `allow_always` exactly what it will cover. */
  name: string
  /** Where the command runs when this is chosen; absent for what is not a command. */
  sandbox?: SandboxLevel
  /** What the command can connect to then; goes with `sandbox`. */
  network?: SandboxNetwork
}

/** The option that rejects a call and ends its turn, without asking the model what to do instead. */
export const REJECT_STOP = 'reject_stop'

/** How a call is rejected: the turn continues with the reason, or it ends. */
export const REJECT_OPTIONS: readonly ApprovalOption[] = [
  { optionId: 'reject', kind: 'reject_once', name: 'Reject…' },
  { optionId: REJECT_STOP, kind: 'reject_once', name: 'Reject and stop' },
]

/**
 * What the user is asked, if not whether a call may run. `plan`, `questions`: by a call that does nothing else. The
 * others are asked during a call and end with the process. By the MCP server it uses: `form`: to fill in a form;
 * `link`: to open a page; `sampling`: whether the server may use the model, and then whether it gets the answer. By a
 * command: `sandbox`: whether it gets the access that its sandbox blocked. Before a request to the model: `budget`:
 * whether to exceed a spending limit; its `callId` belongs to no call. A client that does not know a kind answers with
 * its option of the kind `reject_once`.
 */
export type AskKind = 'plan' | 'questions' | MidCallAsk
export type MidCallAsk = 'form' | 'link' | 'sampling' | 'sandbox' | 'budget'

/** One reason why a call needs approval. */
export interface ApprovalReason {
  /** A sentence. */
  text: string
  /** The part of the command it is about, as shown in the preview; absent if the command has only one. */
  part?: string
  /** It cannot be undone, or it changes what runs later: it needs approval in every mode. */
  danger?: true
}

/** A question to the user: may this call run? It is stored, so it survives a restart. */
export interface Approval {
  approvalId: string
  turnId: string
  callId: string
  tool: string
  /** One line: what would be done. */
  summary: string
  /** Why it needs approval, in the words of the policy. */
  reason: string
  /** Every reason, dangers first; absent if `reason` is the only one and not a danger. */
  reasons?: ApprovalReason[]
  preview?: Preview
  options: ApprovalOption[]
  /** Set when the question is not whether the call may run: only the user can answer, and each one separately. */
  asks?: AskKind
  /** ms since the epoch. */
  requestedAt: number
}

/** The text that a call should write instead of what it proposed; see `ProposedText`. */
export interface EditedProposal {
  path: string
  /** With line feeds only: existing line endings are kept. */
  text: string
}

/** What a call that changes one text file proposes, and its effect with the user's edits. */
export interface ApprovalProposal extends ProposedText {
  /** What would be written, after hooks. */
  preview?: Preview
}

/** The user's answer to a call that asks, in addition to the chosen option. */
export interface PersonAnswer {
  optionId: string
  feedback?: string
  /** Comments on lines of a plan. */
  comments?: PlanComment[]
  /** One for each question. */
  answers?: QuestionAnswer[]
  /** The entered values, by the keys of the fields. */
  values?: FormValues
}

/** How an approval ended. `cancelled`: the turn was stopped first, or no user was available. */
export type ApprovalOutcome = 'allow_once' | 'allow_always' | 'reject_once' | 'cancelled'

/** The rule, policy or mode that decided about a call without asking, and why. */
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

/** A pending approval in the inbox: everything but its preview. */
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
  /** Equal for similar requests: the same tool asking for the same reason. */
  group: string
  /** Set when a subagent asks: its type, its task, and the root session. */
  agent?: { type: string; description: string; rootId: string }
  /** Set when another process runs the session: where it must be answered. */
  elsewhere?: string
  /** The place of its session; absent: this machine. */
  place?: string
}

/** One thing "allow always" can cover. */
export interface RuleChoice {
  /**
   * The rules as they would be written, one per line (a command line with several commands needs several), e.g.
   * `Bash(npm run test:*)`.
   */
  pattern: string
  /** What it covers, as text. */
  label: string
  /** The session's past commands, newest first: the decision at the time, and what this rule would have decided. */
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

/** The name of a request on screen: what is asked, otherwise the tool. */
export function requestName({ tool, asks }: Pick<Approval, 'tool' | 'asks'>): string {
  return asks ? REQUEST_NAMES[asks] : toolLabel(tool)
}

/** The key that rejects wherever a request is answered by keys, and the one that requests changes to a plan. */
export const REJECT_KEY = '0'
export const REVISE_KEY = '9'

/** The keys of options that are always the same, by their ids; options that allow are numbered from 1. */
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

/** Whether it is asked during a running call: such a request does not outlive the process. */
export function isMidCall({ asks }: Pick<Approval, 'asks'>): boolean {
  return asks === 'form' || asks === 'link' || asks === 'sampling' || asks === 'sandbox' || asks === 'budget'
}
