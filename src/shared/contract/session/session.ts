import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { PERMISSION_MODES } from '../../model/approval/approval'
import type { ContextView, ToolsView } from '../../model/turn/context'
import { EFFORT_CHOICES, EFFORTS } from '../../model/turn/effort'
import type { RecordedEvent } from '../../events/event'
import {
  type SearchHit,
  type SessionHeader,
  type SessionSummary,
  MARK_LIMITS,
  type SessionMarks,
} from '../../model/session/session'
import { newWorktree } from '../project/worktree'
import type {
  FileHunks,
  RestorePoint,
  RestorePreview,
  RestoreResult,
  SessionFile,
} from '../../model/session/checkpoint'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(10_000)
const request = z.strictObject({
  sessionId,
  /**
   * Restores the state right after this event: the one before a message of the user or before a restore. 0 is for
   * `paths` only.
   */
  to: z.int().min(0),
  files: z.boolean().default(false),
  conversation: z.boolean().default(false),
  /** Only these files, to any `to`. */
  paths: z.array(path).min(1).max(10_000).optional(),
  /** Files to restore even if another program has changed them since. */
  overwrite: z.union([z.array(path).max(10_000), z.literal('all')]).optional(),
})

/** Restoring earlier states of a session, and undoing that. */
export const checkpointContract = {
  /** Messages of the user, oldest first. */
  points: oc.input(z.strictObject({ sessionId })).output(type<RestorePoint[]>()),
  /** What a restore would do; changes nothing. */
  preview: oc.input(request).output(type<RestorePreview>()),
  /**
   * Restores files, the conversation, or both. It is itself a checkpoint: restoring to right before its `seq` undoes
   * it. `session.busy` while a turn runs.
   */
  restore: oc.input(request).output(type<RestoreResult>()),
  /** Files that differ from before the session changed them. */
  files: oc.input(z.strictObject({ sessionId })).output(type<SessionFile[]>()),
  /** The differences of one of them. */
  hunks: oc.input(z.strictObject({ sessionId, path })).output(type<FileHunks>()),
  /** Undoes one hunk; `checkpoint.changed` when the file differs from what was shown. */
  undoHunk: oc.input(z.strictObject({ sessionId, path, hunkId: z.string().max(100) })).output(type<{ seq: number }>()),
}

const id = z.string().min(1).max(100)
const textPart = z.strictObject({
  type: z.literal('text'),
  text: z.string().max(2_000_000),
  file: z.strictObject({ name: z.string().max(500), path: z.string().max(4000), size: z.int().min(0) }).optional(),
})
const mediaPart = z.strictObject({
  type: z.literal('media'),
  mediaType: z.string().regex(/^(?:(?:image|video)\/[\w.+-]+|application\/pdf)$/),
  data: z.base64(),
  name: z.string().optional(),
})
export const promptParts = z
  .array(z.discriminatedUnion('type', [textPart, mediaPart]))
  .min(1)
  .max(50)

/** A slice of a session's log; `hasMore` if there are older events. */
export interface EventWindow {
  events: RecordedEvent[]
  hasMore: boolean
}

const agentChoice = z.union([
  z.strictObject({ name: z.string().min(1).max(100) }),
  z.strictObject({ file: z.string().min(1) }),
])

export const sessionContract = {
  /** Newest first; archived ones only if requested. */
  list: oc
    .input(
      z.strictObject({
        folder: z.string().optional(),
        archived: z.boolean().default(false),
        limit: z.int().min(1).max(10_000).default(1000),
      }),
    )
    .output(type<SessionSummary[]>()),
  /** Which sessions the user has read and pinned. */
  marks: oc.output(type<SessionMarks>()),
  /** Marks sessions as read up to a change (ms), or pins them. */
  mark: oc
    .input(
      z.strictObject({
        seen: z
          .array(z.tuple([id, z.number()]))
          .max(MARK_LIMITS.seen)
          .optional(),
        pin: z.array(id).max(MARK_LIMITS.pinned).optional(),
        unpin: z.array(id).max(MARK_LIMITS.pinned).optional(),
      }),
    )
    .output(type<void>()),
  /**
   * Creates an empty session in the folder; without one, in its own private folder. Fails if the folder does not exist.
   */
  create: oc
    .input(
      z.strictObject({
        folder: z.string().min(1).optional(),
        model: z.string().optional(),
        effort: z.enum(EFFORTS).optional(),
        mode: z.enum(PERMISSION_MODES).optional(),
        /** The agent: the name of a spec, or an absolute path of a spec file. */
        agent: agentChoice.optional(),
        /** Works in a new worktree of the folder's repository. */
        worktree: newWorktree.optional(),
      }),
    )
    .output(type<SessionHeader>()),
  /** The header and the latest window of events. Subscribe with `since = header.seq` to continue from there. */
  open: oc
    .input(z.strictObject({ sessionId: id, limit: z.int().min(1).max(5000).default(400) }))
    .output(type<EventWindow & { header: SessionHeader }>()),
  /** Older events, for scrolling up. */
  window: oc
    .input(z.strictObject({ sessionId: id, before: z.int().min(1), limit: z.int().min(1).max(5000).default(400) }))
    .output(type<EventWindow>()),
  change: oc
    .input(
      z.strictObject({
        sessionId: id,
        title: z.string().trim().min(1).max(200).optional(),
        model: z.string().optional(),
        /**
         * The model's reasoning effort; `default`: the vendor's default. An unsupported level selects the nearest one.
         */
        effort: z.enum(EFFORT_CHOICES).optional(),
        mode: z.enum(PERMISSION_MODES).optional(),
        /** The agent from the next turn on; `null`: the default. */
        agent: agentChoice.nullable().optional(),
        addedFolders: z.array(z.string()).optional(),
        archived: z.boolean().optional(),
      }),
    )
    .output(type<SessionHeader>()),
  remove: oc.input(z.strictObject({ sessionId: id })).output(type<void>()),
  /** Messages that match, newest first; `sessionId`: only of that session. */
  search: oc
    .input(
      z.strictObject({
        query: z.string().min(1).max(500),
        limit: z.int().min(1).max(100).default(30),
        sessionId: id.optional(),
      }),
    )
    .output(type<SearchHit[]>()),
  /** A new session with the conversation up to the event `to`; default: all of it. Files stay unchanged. */
  fork: oc.input(z.strictObject({ sessionId: id, to: z.int().min(1).optional() })).output(type<SessionHeader>()),
  /** Starts a turn, or queues the prompt while one runs. `effort`: the reasoning effort for that turn only. */
  prompt: oc
    .input(
      z.strictObject({
        sessionId: id,
        parts: promptParts,
        effort: z.enum(EFFORTS).optional(),
        /**
         * The turn does not ask, as in print mode: what needs approval is denied. `session.busy` while a turn is open.
         */
        unattended: z.strictObject({ maxSteps: z.int().min(1).max(100_000).optional() }).optional(),
      }),
    )
    .output(type<{ queued: boolean; promptId?: string }>()),
  /**
   * Joins the running turn before its next step; starts a turn if none is running. `promptId`: removes it from the
   * queue.
   */
  steer: oc
    .input(z.strictObject({ sessionId: id, parts: promptParts.optional(), promptId: id.optional() }))
    .output(type<void>()),
  editQueued: oc.input(z.strictObject({ sessionId: id, promptId: id, parts: promptParts })).output(type<void>()),
  removeQueued: oc.input(z.strictObject({ sessionId: id, promptId: id })).output(type<void>()),
  /** Moves a queued prompt to another position in the queue, from 0. */
  moveQueued: oc
    .input(z.strictObject({ sessionId: id, promptId: id, to: z.int().min(0).max(10_000) }))
    .output(type<void>()),
  /**
   * Lets the model summarize the conversation, with what the user wants to keep, and continues from the summary. Only
   * while no turn runs; returns when it is done, or was stopped.
   */
  compact: oc
    .input(z.strictObject({ sessionId: id, instruction: z.string().trim().min(1).max(10_000).optional() }))
    .output(type<{ compacted: boolean }>()),
  /** Undoes the latest compaction: the model sees the earlier messages again. */
  undoCompaction: oc.input(z.strictObject({ sessionId: id, compactionId: id })).output(type<void>()),
  /** The parts of the next request, and the largest ones. */
  context: oc.input(z.strictObject({ sessionId: id })).output(type<ContextView>()),
  /**
   * Every tool of the session with its token cost: sent with each request, loaded on demand, or off. Starts nothing.
   */
  tools: oc.input(z.strictObject({ sessionId: id })).output(type<ToolsView>()),
  /** Stops the running turn; returns when it has ended. Harmless when none is running. */
  stop: oc.input(z.strictObject({ sessionId: id })).output(type<void>()),
}
