import type { ApprovalOutcome, Judgement } from '../model/approval/approval'
import type { DMail } from '../model/session/checkpoint'
import type { CompactionReason, CompactionResult } from '../model/turn/context'
import type { Failure } from '../errors'
import type { FormValues } from '../model/approval/form'
import type { ResultPart, Usage, UserPart } from '../model/turn/message'
import type { Preview, ToolDetails } from '../model/approval/preview'
import type { StopReason } from '../model/session/session'
import type { TaskNotification } from '../model/task/task'
import { addUsage } from './fold-header'

/** A message of the user. `steered`: it joined a running turn. */
export interface UserItem {
  kind: 'user'
  id: string
  turnId: string
  at: number
  parts: UserPart[]
  steered: boolean
}

/** A message from the loop to the model (a reminder, the last request): shown small, not as the user's. */
interface NoticeItem {
  kind: 'notice'
  id: string
  turnId: string
  at: number
  text: string
  /** It is only for the user; the model does not get it. */
  toPerson?: true
}

/**
 * Notifications about background tasks, which Trestle sent to the agent. `steered`: they joined a running turn;
 * otherwise they started the turn.
 */
export interface NotificationItem {
  kind: 'news'
  id: string
  turnId: string
  at: number
  tasks: readonly TaskNotification[]
  /** The text for the model. */
  text: string
  steered: boolean
}

/** A section of an answer. */
export interface AnswerSegment {
  type: 'text' | 'thinking'
  text: string
}

/** An attempt that failed. Its output is superseded: kept for viewing, but not part of the answer. */
export interface SupersededAttempt {
  attempt: number
  failure: Failure
  text: string
  thinking: string
}

/** The next attempt, which is pending. */
export interface PendingRetry {
  attempt: number
  of: number
  failure: Failure
  /** When it starts, in ms since the epoch. */
  until: number
}

/** The model's output in one step. It can be empty when the step only called tools. */
export interface AnswerItem {
  kind: 'answer'
  id: string
  turnId: string
  stepId: string
  at: number
  model: string
  segments: readonly AnswerSegment[]
  streaming: boolean
  /** It was stopped or failed in mid-stream. */
  partial: boolean
  attempts: readonly SupersededAttempt[]
  retry?: PendingRetry
  durationMs?: number
  /** Tokens of the request. */
  usage?: Usage
  /** Set for the last answer of a turn that ended normally: when, with which event, and how long the turn took. */
  ended?: { seq: number; at: number; durationMs: number }
}

/**
 * The state of a call. `drafting`: the model is writing its arguments; `ready`: written, and waiting for another call,
 * hooks, or the decision whether it may run; `waiting`: for the user's approval; `running`: it was allowed; `rejected`:
 * its request was rejected or cancelled; `interrupted`: the turn ended without a result.
 */
type ToolState = 'drafting' | 'ready' | 'waiting' | 'running' | 'done' | 'failed' | 'rejected' | 'interrupted'

/** A question that a running call asked, and its outcome. Without an outcome, it is pending. */
export interface CallQuestionItem {
  approvalId: string
  preview?: Preview
  outcome?: ApprovalOutcome
  /** The chosen option. */
  chosen?: string
  /** The entered values that are kept. */
  values?: FormValues
  /** Why there is no answer. */
  reason?: string
}

/** One tool call from its first character to its result. */
export interface ToolItem {
  kind: 'tool'
  id: string
  turnId: string
  stepId: string
  callId: string
  /** When the current state started, in ms since the epoch. */
  at: number
  name: string
  state: ToolState
  /** One line for people; until the call was prepared, what its arguments reveal, if anything. */
  summary: string
  /** The raw JSON the model wrote; it may not parse. */
  input: string
  /** How many characters of the arguments have arrived while drafting. */
  chars: number
  preview?: Preview
  /** The newest progress of the running tool, at most twice `PROGRESS_LIMIT` characters. */
  progress: string
  approval?: {
    approvalId: string
    outcome?: ApprovalOutcome
    feedback?: string
    /** Why it ended without the user's answer. */ reason?: string
  }
  /** Questions during the call, in order. */
  questions?: readonly CallQuestionItem[]
  /** Why it ran, or did not run, without asking the user. */
  judged?: Judgement
  /** The subagent that the call started. */
  agent?: { agentId: string; type: string; description: string; background: boolean }
  content?: ResultPart[]
  details?: ToolDetails
  durationMs?: number
}

/** The conversation was compacted: a summary replaces what is above. `undone`: a separate row, for undoing it. */
export interface CompactionItem {
  kind: 'compaction'
  id: string
  /** Empty between turns. */
  turnId: string
  at: number
  compactionId: string
  state: 'running' | 'done' | 'failed' | 'stopped' | 'interrupted' | 'undone'
  reason?: CompactionReason
  instruction?: string
  /** The model's context window, where a refusal has shown that it is smaller than configured. */
  learnedWindow?: number
  retry?: PendingRetry
  result?: CompactionResult
  failure?: Failure
}

/** How a turn ended, if not normally. */
export interface EndItem {
  kind: 'end'
  id: string
  turnId: string
  at: number
  stop: Exclude<StopReason, 'end_turn'>
  failure?: Failure
  steps: number
  durationMs: number
}

/** The session was restored to another state: its files, its conversation, or both. */
export interface RestoredItem {
  kind: 'restored'
  id: string
  turnId: string
  at: number
  /** Restoring to right before it undoes it. */
  seq: number
  /** How many paths were restored, and how many were left unchanged. */
  files: number
  kept: number
  conversation: boolean
  part?: 'hunk' | 'file' | 'edit'
  /** The files that the user edited. */
  paths?: string[]
  /** The agent went back on its own, within its turn. */
  dMail?: DMail
}

/** One row of the transcript. `id` is unique in the session and never changes. */
export type TranscriptItem =
  | UserItem
  | NoticeItem
  | NotificationItem
  | AnswerItem
  | ToolItem
  | CompactionItem
  | EndItem
  | RestoredItem

/** Maximum progress of a running tool that is kept after cutting, in characters. */
export const PROGRESS_LIMIT = 32_768

/** Figures of a turn that has ended. */
export interface TurnFigures {
  /** The message that started it; absent: task notifications started it, or it is not loaded. */
  prompt?: UserItem
  /** When it ended, in ms since the epoch. */
  endedAt: number
  durationMs: number
  /** Ids of the models that answered, in that order. */
  models: readonly string[]
  /** Tokens of all its requests; absent: some of them are unknown. */
  usage?: Usage
}

const known = new WeakMap<AnswerItem, TurnFigures>()

/**
 * The figures of the turn that ends with the answer at `index`; undefined for all other rows. Cached once the start of
 * the turn is loaded.
 */
export function turnFigures(items: readonly TranscriptItem[], index: number): TurnFigures | undefined {
  const answer = items[index]
  if (answer?.kind !== 'answer' || !answer.ended) return undefined
  const cached = known.get(answer)
  if (cached) return cached
  const answers: AnswerItem[] = []
  let start: TranscriptItem | undefined
  for (let n = index; n >= 0 && !start; n -= 1) {
    const item = items[n]
    if (item?.turnId !== answer.turnId) {
      // Rows between turns have no turn.
      if (item && item.turnId !== '') break
      continue
    }
    if (item.kind === 'answer') answers.unshift(item)
    if ((item.kind === 'user' || item.kind === 'news') && !item.steered) start = item
  }
  const usages = answers.flatMap(({ usage }) => (usage ? [usage] : []))
  const figures: TurnFigures = {
    endedAt: answer.ended.at,
    durationMs: answer.ended.durationMs,
    models: [...new Set(answers.map(({ model }) => model))],
    ...(start?.kind === 'user' && { prompt: start }),
    ...(start && usages.length > 0 && { usage: usages.reduce(addUsage) }),
  }
  if (start) known.set(answer, figures)
  return figures
}
