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

/** What the user said. `steered`: it joined a turn that was already running. */
export interface UserItem {
  kind: 'user'
  id: string
  turnId: string
  at: number
  parts: UserPart[]
  steered: boolean
}

/** A word of the loop itself to the model (a reminder, the last request): shown small, not as the user's. */
interface NoticeItem {
  kind: 'notice'
  id: string
  turnId: string
  at: number
  text: string
  /** It is for people alone; the model was not told. */
  toPerson?: true
}

/**
 * News of background tasks, given to the agent by Trestle. `steered`: it joined a turn that was already running; else
 * it began the turn.
 */
export interface NotificationItem {
  kind: 'news'
  id: string
  turnId: string
  at: number
  tasks: readonly TaskNotification[]
  /** What the model reads. */
  text: string
  steered: boolean
}

/** A stretch of an answer. */
export interface AnswerSegment {
  type: 'text' | 'thinking'
  text: string
}

/** An attempt that broke off. What it had said is superseded: kept to look at, not part of the answer. */
export interface SupersededAttempt {
  attempt: number
  failure: Failure
  text: string
  thinking: string
}

/** The next attempt that is being waited for. */
export interface PendingRetry {
  attempt: number
  of: number
  failure: Failure
  /** When it starts, in ms since the epoch. */
  until: number
}

/** What the model said in one step. It may be empty when the step only called tools. */
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
  /** `true` when the length limit cut it off. */
  cut?: boolean
  durationMs?: number
  /** Tokens of the request. */
  usage?: Usage
  /** It is the last answer of a turn that has ended normally: when, with which event, and how long the turn took. */
  ended?: { seq: number; at: number; durationMs: number }
}

/**
 * Where a call stands. `drafting`: the model is writing its arguments; `ready`: written, and behind something: another
 * call, hooks, the decision whether it may run; `waiting`: a person is asked; `running`: it was allowed; `rejected`:
 * the user (or a policy through the user) said no; `interrupted`: the turn ended without a result.
 */
type ToolState = 'drafting' | 'ready' | 'waiting' | 'running' | 'done' | 'failed' | 'rejected' | 'interrupted'

/** What a running call asked, and how that ended. Without an outcome it waits. */
export interface CallQuestionItem {
  approvalId: string
  preview?: Preview
  outcome?: ApprovalOutcome
  /** The option that was chosen. */
  chosen?: string
  /** What was filled in, as far as it is kept. */
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
  /** When the present state began, in ms since the epoch. */
  at: number
  name: string
  state: ToolState
  /** One line for people; until the call was prepared what is known of it from its arguments, if anything. */
  summary: string
  /** The raw JSON the model wrote; it may not parse. */
  input: string
  /** How many characters of the arguments have arrived while drafting. */
  chars: number
  preview?: Preview
  /** The newest that the running tool had to say, at most twice `PROGRESS_LIMIT` characters. */
  progress: string
  approval?: {
    approvalId: string
    outcome?: ApprovalOutcome
    feedback?: string
    /** Why it ended without a person's answer. */ reason?: string
  }
  /** What was asked in its midst, in the order it was asked. */
  questions?: readonly CallQuestionItem[]
  /** Why it ran, or did not, without asking the user. */
  judged?: Judgement
  /** The subagent that the call has given work to. */
  agent?: { agentId: string; type: string; description: string; background: boolean }
  content?: ResultPart[]
  details?: ToolDetails
  durationMs?: number
}

/**
 * The conversation was made short: a summary stands for what is above. `undone`: a row of its own, for the taking back.
 */
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
  /** Tokens the model takes, where a refusal has shown that they are fewer than configured. */
  learnedWindow?: number
  retry?: PendingRetry
  result?: CompactionResult
  failure?: Failure
}

/** How a turn ended, when it did not simply end. */
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

/** The session went back, or forth again: its files, its conversation, or both. */
export interface RestoredItem {
  kind: 'restored'
  id: string
  turnId: string
  at: number
  /** Going back to right before it takes it back. */
  seq: number
  /** How many paths were restored, and how many were left as they are. */
  files: number
  kept: number
  conversation: boolean
  part?: 'hunk' | 'file' | 'edit'
  /** The files that the user edited. */
  paths?: string[]
  /** The agent went back itself, within its turn. */
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

/** How much progress of a running tool is kept, in characters, when it is cut. */
export const PROGRESS_LIMIT = 32_768

/** What is known about a turn that has ended. */
export interface TurnFigures {
  /** The message that started it; absent: news of tasks did, or it is not loaded. */
  prompt?: UserItem
  /** When it ended, in ms since the epoch. */
  endedAt: number
  durationMs: number
  /** Ids of the models that answered, in that order. */
  models: readonly string[]
  /** Tokens of all its requests; absent: not all of them are known. */
  usage?: Usage
}

const known = new WeakMap<AnswerItem, TurnFigures>()

/**
 * The figures of the turn that the answer at `index` ends; undefined for all other rows. Cached once the beginning of
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
