import { z } from 'zod'
import { EFFORTS } from '../../../shared/model/turn/effort'
import type { EventBody } from '../../../shared/events/event'

/** The name of the format in the file. */
export const FORMAT = 'trestle-session'
/** Raise it when older versions can no longer read the file. */
export const FORMAT_VERSION = 1

const MAX_TEXT = 20_000_000
const text = z.string().max(MAX_TEXT)
const id = z.string().min(1).max(200)
const name = z.string().min(1).max(200)
const time = z.number().min(0).max(8_640_000_000_000_000)
const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER)

const textPart = z.object({ type: z.literal('text'), text })
const mediaPart = z.object({
  type: z.literal('media'),
  mediaType: z.string().regex(/^(?:(?:image|video)\/[\w.+-]+|application\/pdf)$/),
  data: z.base64().max(MAX_TEXT),
  name: z.string().max(1000).optional(),
  text: text.optional(),
  pages: count.optional(),
})
/** Tasks and files exist only where the session was exported. */
const elsewhere = z.string().transform(() => '')
/** Text that Trestle added to a message stays marked, so that it is not shown as the user's. */
const attached = z.object({ kind: z.enum(['resource', 'prompt']), server: name, name: text }).optional()
const file = z.object({ name: z.string().max(1000), path: elsewhere, size: count }).optional()
const userParts = z.array(
  z.discriminatedUnion('type', [
    textPart.extend({ skill: name.optional(), attached, file }),
    mediaPart.extend({ attached }),
  ]),
)
/** The tasks do not exist here, so a message about them has only its text. */
const news = z
  .array(z.unknown())
  .transform(() => [] as never[])
  .optional()
const resultParts = z.array(z.discriminatedUnion('type', [textPart, mediaPart]))
const usage = z.object({
  input: count,
  output: count,
  cached: count,
  thinking: count,
  written: count.optional(),
  cost: count.optional(),
  isCostPartial: z.literal(true).optional(),
})
/** Without data that must be returned to the provider: it belongs to another account. */
const assistantParts = z.array(
  z.discriminatedUnion('type', [
    textPart,
    z.object({ type: z.literal('thinking'), text }),
    z.object({ type: z.literal('tool_call'), callId: id, name, input: text }),
  ]),
)
const diff = z.object({ path: text, diff: text, added: count, removed: count, note: text.optional() })
/** The kinds of result details that a file can contain; for any other kind, the plain result is shown. */
const details = z
  .discriminatedUnion('kind', [
    diff.extend({ kind: z.literal('diff') }),
    z.object({
      kind: z.literal('output'),
      taskId: elsewhere,
      command: text,
      exitCode: z.int().optional(),
      durationMs: count,
      text,
      outputPath: elsewhere,
      truncated: z.boolean(),
    }),
  ])
  .optional()
  .catch(undefined)
const failure = z.object({
  code: z.string(),
  title: z.string(),
  message: text,
  advice: z.string(),
  retryable: z.boolean(),
})

const stops = z.enum([
  'end_turn',
  'max_tokens',
  'max_turn_requests',
  'repetition',
  'refusal',
  'cancelled',
  'error',
  'interrupted',
])
const finishes = z.enum(['stop', 'tool_calls', 'length', 'refusal', 'other'])

/** The conversation events that a file can contain. Everything else in it is ignored. */
const bodies = {
  'turn.started': z.object({
    type: z.literal('turn.started'),
    turnId: id,
    parts: userParts,
    model: name,
    effort: z.enum(EFFORTS).optional(),
    news,
  }),
  'turn.steered': z.object({
    type: z.literal('turn.steered'),
    turnId: id,
    parts: userParts,
    by: z.enum(['user', 'guard', 'task', 'd-mail']),
  }),
  'step.started': z.object({ type: z.literal('step.started'), turnId: id, stepId: id, n: count, model: name }),
  'step.finished': z.object({
    type: z.literal('step.finished'),
    turnId: id,
    stepId: id,
    parts: assistantParts,
    usage: usage.optional(),
    finish: finishes,
    partial: z.boolean().optional(),
    durationMs: count,
    model: name.optional(),
  }),
  'tool.started': z.object({
    type: z.literal('tool.started'),
    turnId: id,
    stepId: id,
    callId: id,
    name,
    input: text,
    summary: text,
  }),
  'tool.finished': z.object({
    type: z.literal('tool.finished'),
    turnId: id,
    callId: id,
    name,
    content: resultParts,
    isError: z.boolean(),
    details,
    durationMs: count,
  }),
  'todos.changed': z.object({
    type: z.literal('todos.changed'),
    todos: z
      .array(z.object({ title: z.string().max(10_000), status: z.enum(['pending', 'in_progress', 'done']) }))
      .max(1000),
  }),
  'turn.finished': z.object({
    type: z.literal('turn.finished'),
    turnId: id,
    stop: stops,
    failure: failure.optional(),
    steps: count,
    durationMs: count,
  }),
} satisfies Partial<Record<EventBody['type'], z.ZodType>>

export type ImportedType = keyof typeof bodies
export type ImportedEvent = { [Type in ImportedType]: z.output<(typeof bodies)[Type]> }[ImportedType] & { at: number }

/** Whether events of this type are part of exported and imported conversations. */
export function isConversationEvent(type: string): type is ImportedType {
  return Object.hasOwn(bodies, type)
}

const stamp = z.object({ at: time })

/** One event of a file; throws a `ZodError`. */
export function parseEvent(type: ImportedType, value: unknown): ImportedEvent {
  return { ...bodies[type].parse(value), ...stamp.parse(value) }
}

/** The file's data about the session. */
export const sessionInfo = z.object({
  sessionId: id.catch('unknown'),
  title: z.string().max(2000).catch(''),
  folder: z.string().max(10_000).catch(''),
  model: name.optional().catch(undefined),
  createdAt: time.optional().catch(undefined),
})

export type SessionInfo = z.output<typeof sessionInfo>
