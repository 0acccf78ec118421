import type { AgentState, SessionAgent, SubagentType } from './agent'
import type { Approval, PermissionMode } from '../approval/approval'
import type { CompactionMark } from '../turn/context'
import type { Cut } from './checkpoint'
import type { Effort } from '../turn/effort'
import type { SealedSession } from '../place/move'
import type { Failure } from '../../errors'
import type { Usage, UserPart } from '../turn/message'
import type { PlanState, Todo } from '../turn/plan'
import type { SandboxDenial, SandboxStatus } from '../task/sandbox'
import type { SessionSchedule } from '../assistant/schedule'
import type { PendingNotification } from '../task/task'
import type { SessionWorktree } from '../project/worktree'

/** Sources of text that neither the user nor the project wrote. */
export type ThirdParty = 'web' | 'mail' | 'server'

/** What the imported file says about the original session. */
export interface ImportedFrom {
  sessionId: string
  /** Its project folder, on the computer it was exported from. */
  folder: string
  /** Whether hashes in the file proved that its events are unchanged; absent: the file had no hashes. */
  verified?: boolean
}

/** What a session is doing, for the dot in the list. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'failed' | 'done' | 'interrupted'

/** A prompt that waits for the running turn to end. */
export interface QueuedPrompt {
  promptId: string
  parts: UserPart[]
  /** For the turn that it starts. */
  effort?: Effort
  /** It should join the running turn before its next step. */
  joins?: true
}

/**
 * The part of a session that is not its transcript: small, kept in its store row, and itself a fold of the
 * events (`applyHeader`), so it can be rebuilt from them.
 */
export interface SessionHeader {
  sessionId: string
  /** Real path of the project folder. */
  folder: string
  /** Folders outside the project that tools can access without asking. */
  addedFolders: string[]
  title: string
  /** `true` once the user (not the first prompt) chose the title. */
  titleIsCustom: boolean
  /** `provider/model` id, or undefined for the default model. */
  model?: string
  /** The reasoning effort in this session; absent: the default of the agent, the model's settings or its vendor. */
  effort?: Effort
  /** The same for the open turn only. */
  turnEffort?: Effort
  mode: PermissionMode
  /** What commands can reach; absent until the first turn has started. */
  sandbox?: SandboxStatus
  /** Access that the user allowed for sandboxed commands in this session; absent: none. */
  sandboxAllowed?: SandboxDenial[]
  createdAt: number
  updatedAt: number
  /** `seq` of the latest event folded in. */
  seq: number
  archived: boolean
  turnId?: string
  /** How the latest turn ended. */
  lastStop?: StopReason
  lastFailure?: Failure
  queue: QueuedPrompt[]
  approvals: Approval[]
  /** Keys of what the user allowed for the session, in logs older than rules for sessions. */
  allowed: string[]
  /** Patterns of the rules that allow calls in the session; absent: none. */
  rules?: string[]
  todos: Todo[]
  plan?: PlanState
  /** Restores of the conversation, oldest first; absent: no restores. */
  cuts?: Cut[]
  /** The number of the latest checkpoint; absent: none. */
  checkpoint?: number
  /** Pending notifications to the agent about its background tasks, oldest first. */
  news: PendingNotification[]
  /** Tokens of the latest request, for the context meter. */
  context?: Usage
  /** The model's context window, where a provider's refusal has shown that it is smaller than configured. */
  learnedWindow?: number
  /** Tokens of all requests. */
  spent: Usage
  /** The compaction that replaces everything before it. */
  compacted?: CompactionMark
  /** The range of events from each undone compaction to its undoing: answers in it had another prefix; absent: none. */
  undone?: { from: number; to: number }[]
  /** The `seq` of the `prefix.frozen` that requests start with; absent: the next turn freezes one. */
  prefixSeq?: number
  /**
   * `seq` of every trim, including those before a compaction and those removed by going back in the conversation;
   * absent: none.
   */
  trims?: number[]
  /** A compaction is running. */
  compacting?: { compactionId: string; at: number }
  turns: number
  /**
   * The latest turn that read text of each kind of third party: web pages, mail, results of servers. Absent: no turn.
   */
  thirdParty?: Partial<Record<ThirdParty, string>>
  /** Ids (`server::tool`) of tools loaded by tool search, in order; absent: none. */
  loadedTools?: string[]
  /** The agent of a user's session; absent: Trestle's default. */
  runsAs?: SessionAgent
  /** Set when the session is a run of a schedule. */
  schedule?: SessionSchedule
  /** Set when the session was imported from a file. */
  imported?: ImportedFrom
  /** Set while it continues at another place. */
  sealed?: SealedSession
  /** How often it has moved between places, plus one; absent: never. */
  epoch?: number
  /** Set when this is a subagent's session. */
  agent?: AgentState
  /** Types of subagents that the agent of this session has defined; absent: none. */
  subagentTypes?: SubagentType[]
}

/** One row of the session list. */
export interface SessionSummary {
  sessionId: string
  folder: string
  title: string
  status: SessionStatus
  /** How many approvals are pending. */
  waiting: number
  updatedAt: number
  archived: boolean
  model?: string
  /** The schedule of which it is a run. */
  scheduleId?: string
  /** The worktree that it works in. */
  worktree?: SessionWorktree
  /** Set when another process runs the session: where it runs. */
  elsewhere?: string
  /** The place it is on; absent: this machine. */
  place?: string
}

/**
 * Why a turn ended: the Agent Client Protocol's reasons, and three of our own: `repetition` (the model kept making the
 * same call), `error` (see the failure) and `interrupted` (the process ended in mid-turn; noticed at the next start).
 */
export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'max_turn_requests'
  | 'repetition'
  | 'refusal'
  | 'cancelled'
  | 'error'
  | 'interrupted'

/** The status for a header. */
export function statusOf(
  header: Pick<SessionHeader, 'turnId' | 'approvals' | 'lastStop' | 'compacting' | 'agent'>,
): SessionStatus {
  if (header.approvals.length > 0) return 'waiting'
  if (header.turnId !== undefined || header.compacting || header.agent?.status === 'running') return 'running'
  switch (header.lastStop) {
    case undefined:
      return 'idle'
    case 'error':
    case 'refusal':
    case 'max_tokens':
      return 'failed'
    case 'interrupted':
      return 'interrupted'
    case 'cancelled':
      return 'idle'
    default:
      return 'done'
  }
}

/** One message that matches a search. `snippet` marks the match with U+0001 and U+0002. */
export interface SearchHit {
  sessionId: string
  title: string
  folder: string
  seq: number
  at: number
  snippet: string
  /** The place that it is on; absent: this machine. */
  place?: string
}

/** Which sessions the user has read and pinned. The same in every host and browser of a home. */
export interface SessionMarks {
  /**
   * Sessions that ended before this time (ms) count as read, so that a new home does not start with a hundred unread
   * sessions.
   */
  since: number
  /** For each read session, its last change at the time it was read (ms). */
  seen: [sessionId: string, at: number][]
  pinned: string[]
}

/** The sessions that the user has read, pinned and unpinned. */
export interface SessionMarksChange {
  seen?: readonly (readonly [sessionId: string, at: number])[] | undefined
  pin?: readonly string[] | undefined
  unpin?: readonly string[] | undefined
}

/** Maximum numbers kept. The oldest read ones are dropped, and count as read like all old ones. */
export const MARK_LIMITS = { seen: 500, pinned: 500 } as const

/** The marks after a change. A session never becomes less read. Pure. */
export function withMarks(marks: SessionMarks, { seen = [], pin = [], unpin = [] }: SessionMarksChange): SessionMarks {
  const all = new Map(marks.seen)
  for (const [sessionId, at] of seen) all.set(sessionId, Math.max(at, all.get(sessionId) ?? 0))
  const byAge = [...all].sort((a, b) => b[1] - a[1])
  const since = Math.max(marks.since, byAge[MARK_LIMITS.seen]?.[1] ?? 0)
  const pinned = new Set(marks.pinned)
  for (const sessionId of pin) pinned.add(sessionId)
  for (const sessionId of unpin) pinned.delete(sessionId)
  return {
    since,
    seen: byAge.slice(0, MARK_LIMITS.seen).filter(([, at]) => at > since),
    pinned: [...pinned].slice(-MARK_LIMITS.pinned),
  }
}

/** Parses stored marks; anything malformed is ignored. `now`: sessions can only be unread from then on. */
export function parseMarks(text: string | undefined, now: number): SessionMarks {
  const fresh: SessionMarks = { since: now, seen: [], pinned: [] }
  if (text === undefined) return fresh
  try {
    const value = JSON.parse(text) as { since?: unknown; seen?: unknown; pinned?: unknown }
    if (typeof value.since !== 'number' || !Array.isArray(value.seen) || !Array.isArray(value.pinned)) return fresh
    return {
      since: value.since,
      seen: value.seen.filter(
        (one): one is [string, number] =>
          Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number',
      ),
      pinned: value.pinned.filter((one) => typeof one === 'string'),
    }
  } catch {
    return fresh
  }
}
