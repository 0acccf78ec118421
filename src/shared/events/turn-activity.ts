import { toolLabel } from '../tool-label'
import type { AnswerItem, PendingRetry, ToolItem, TranscriptItem } from './transcript-item'

/**
 * What an open turn is doing. `you`: waiting for the user; `retry`: for the next attempt; `tools`: calls are running;
 * `call`: the model is writing a call; `text`, `thinking`: it is writing or thinking; `model`: a request was sent
 * without a response so far; `between`: none of these, such as between two steps.
 */
export type TurnActivity =
  | { kind: 'you' }
  | { kind: 'retry'; retry: PendingRetry }
  | { kind: 'tools' }
  | { kind: 'call' | 'text' | 'thinking' | 'model' | 'between' }

/** The parts of the latest turn that its row needs. */
export interface LatestTurn {
  activity: TurnActivity
  /** Calls being run or written, oldest first. */
  calls: readonly ToolItem[]
  /** What is streaming. */
  answer: AnswerItem | undefined
  startedAt: number | undefined
}

/**
 * What the latest turn is doing. `waits`: something waits for the user, including a subagent or a command that reads
 * from its terminal.
 */
export function latestTurn(items: readonly TranscriptItem[], waits: boolean): LatestTurn {
  const calls: ToolItem[] = []
  let answer: AnswerItem | undefined
  let startedAt: number | undefined
  for (let n = items.length - 1; n >= 0 && startedAt === undefined; n -= 1) {
    const item = items[n]
    if (item?.kind === 'tool' && (item.state === 'running' || item.state === 'drafting')) calls.unshift(item)
    if (item?.kind === 'tool' && item.state === 'waiting') waits = true
    if (item?.kind === 'answer' && item.streaming) answer ??= item
    if ((item?.kind === 'user' || item?.kind === 'news') && !item.steered) startedAt = item.at
  }
  return { activity: activityOf(calls, answer, waits), calls, answer, startedAt }
}

function activityOf(calls: readonly ToolItem[], answer: AnswerItem | undefined, waits: boolean): TurnActivity {
  if (waits) return { kind: 'you' }
  if (answer?.retry) return { kind: 'retry', retry: answer.retry }
  if (calls.some(({ state }) => state === 'running')) return { kind: 'tools' }
  if (calls.length > 0) return { kind: 'call' }
  return { kind: answer ? (answer.segments.at(-1)?.type ?? 'model') : 'between' }
}

/** What a turn is doing, as text for the user. The caller adds the countdown of a retry. */
export function activityText({ activity, calls }: Pick<LatestTurn, 'activity' | 'calls'>): string {
  switch (activity.kind) {
    case 'you':
      return 'Waiting for you'
    case 'tools':
      return runningText(calls.filter(({ state }) => state === 'running'))
    case 'call':
      return 'Preparing a tool call'
    case 'text':
      return 'Writing'
    case 'thinking':
      return 'Thinking'
    case 'between':
      return 'Working'
    default:
      return 'Waiting for model'
  }
}

function runningText([first, ...more]: readonly ToolItem[]): string {
  if (!first) return 'Working'
  if (more.length > 0) return `Running ${more.length + 1} tools`
  if (first.name === 'Bash') return 'Running command'
  return first.agent ? 'Subagent working' : `Running ${toolLabel(first.name)}`
}
