import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { EditorPush } from '../../model/app/editor-call'

const id = z.string().min(1).max(100)
const text = z.string().max(10_000)
const values = z.record(z.string().min(1).max(500), text)
const common = {
  enabled: z.boolean(),
  startTimeoutMs: z.int().min(1).max(3_600_000),
  callTimeoutMs: z.int().min(1).max(3_600_000),
  disabledTools: z.array(text).max(10_000),
}
const server = z.discriminatedUnion('transport', [
  z.strictObject({
    ...common,
    transport: z.literal('stdio'),
    command: text.min(1),
    args: z.array(text).max(1000),
    env: values,
    cwd: text.optional(),
  }),
  z.strictObject({ ...common, transport: z.literal('http'), url: text.min(1), headers: values }),
  z.strictObject({ ...common, transport: z.literal('sse'), url: text.min(1), headers: values }),
])

/** What an editor provides to a session for as long as it is connected. */
export const editorContract = {
  /**
   * Provides files with unsaved changes, terminals and MCP servers to a session, until the subscription ends. Each
   * event is a call, which `editor.reply` answers. Nothing is stored.
   */
  serve: oc
    .input(
      z.strictObject({
        sessionId: id,
        /** Real paths of the editor's open folders. */
        folders: z.array(z.string().min(1).max(10_000)).max(1000),
        reads: z.boolean(),
        writes: z.boolean(),
        terminals: z.boolean(),
        servers: z.record(z.string().min(1).max(200), server),
      }),
    )
    .output(eventIterator(type<EditorPush>())),
  /** The answer to a call, or a sentence about why it failed. Harmless when the call has ended. */
  reply: oc
    .input(z.strictObject({ requestId: id, value: z.unknown().optional(), error: z.string().max(10_000).optional() }))
    .output(type<void>()),
}
