import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  EXPORT_FORMATS,
  type ConversationMatches,
  type ExportedFile,
  type RelinkResult,
} from '../../model/session/conversation'
import type { SessionHeader } from '../../model/session/session'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(10_000)

/** Complete conversations: searching, exporting and importing them. */
export const conversationContract = {
  /**
   * Rows that contain the text: messages, answers, thinking, calls and results. An empty `query` only prepares the
   * search.
   */
  find: oc
    .input(z.strictObject({ sessionId, query: z.string().max(500), matchCase: z.boolean().default(false) }))
    .output(type<ConversationMatches>()),
  /** The conversation as a file: for reading (Markdown, HTML), or for importing elsewhere (JSON). */
  export: oc.input(z.strictObject({ sessionId, format: z.enum(EXPORT_FORMATS) })).output(type<ExportedFile>()),
  /**
   * A new session from the text of a file exported as JSON. `folder`: its project; absent: none. `request.invalid` for
   * any other text; `history.changed`, with the number of the event, when its hashes do not match. `unverified`:
   * imports it anyway.
   */
  import: oc
    .input(
      z.strictObject({
        text: z.string().min(1).max(50_000_000),
        folder: path.optional(),
        unverified: z.boolean().default(false),
      }),
    )
    .output(type<SessionHeader>()),
  /**
   * Sets the current project folder of all sessions of a folder (`from`), or of one session. Running sessions keep
   * theirs.
   */
  relink: oc
    .input(
      z
        .strictObject({ from: path.optional(), sessionId: sessionId.optional(), to: path })
        .refine(
          ({ from, sessionId: id }) => (from === undefined) !== (id === undefined),
          'Give either from or sessionId.',
        ),
    )
    .output(type<RelinkResult>()),
}
