import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { FileHunks, RestorePoint, RestorePreview, RestoreResult, SessionFile } from '../model/checkpoint'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(10_000)
const request = z.strictObject({
  sessionId,
  /** Things become as they were right after this event: the one before a message of the user or before a restore. 0 goes with `paths`. */
  to: z.int().min(0),
  files: z.boolean().default(false),
  conversation: z.boolean().default(false),
  /** Only these files, to any `to`. */
  paths: z.array(path).min(1).max(10_000).optional(),
  /** Files that may be restored although someone else has changed them since. */
  overwrite: z.union([z.array(path).max(10_000), z.literal('all')]).optional(),
})

/** Going back in a session, and forth again. */
export const checkpointContract = {
  /** Messages of the user, oldest first. */
  points: oc.input(z.strictObject({ sessionId })).output(type<RestorePoint[]>()),
  /** What a restore would do; changes nothing. */
  preview: oc.input(request).output(type<RestorePreview>()),
  /** Files, the conversation, or both. It is itself a checkpoint: restoring to right before its `seq` takes it back. `session.busy` while a turn runs. */
  restore: oc.input(request).output(type<RestoreResult>()),
  /** Files that are not what they were before the session changed them. */
  files: oc.input(z.strictObject({ sessionId })).output(type<SessionFile[]>()),
  /** Where one of them differs. */
  hunks: oc.input(z.strictObject({ sessionId, path })).output(type<FileHunks>()),
  /** Takes one hunk back; `checkpoint.changed` when the file is not what was shown. */
  undoHunk: oc.input(z.strictObject({ sessionId, path, hunkId: z.string().max(100) })).output(type<{ seq: number }>()),
}
