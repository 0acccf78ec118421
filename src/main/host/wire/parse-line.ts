import { wireCancel, wireRequest, type WireId } from '../../../shared/contract/stdio-wire'
import type { z } from 'zod'

/** What a client's line means. `id` is null when none can be made out. */
export type ParsedLine =
  | { kind: 'request'; id: WireId; method: string; input: unknown }
  | { kind: 'cancel'; id: WireId }
  | { kind: 'problem'; id: WireId | null; message: string }

const SHAPES = '{"id":1,"method":"session.list","input":{…}} or {"id":1,"cancel":true}'

/** Reads one line of a client; never throws. */
export function parseLine({ n, text }: { n: number; text: string }): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: 'problem', id: null, message: `Line ${n} is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'problem', id: null, message: `Line ${n} is not an object. A line is ${SHAPES}.` }
  const isCancel = 'cancel' in value
  const parsed = isCancel ? wireCancel.safeParse(value) : wireRequest.safeParse(value)
  if (!parsed.success) return { kind: 'problem', id: idOf(value), message: `Line ${n}: ${words(parsed.error)}. A line is ${SHAPES}.` }
  return 'method' in parsed.data
    ? { kind: 'request', id: parsed.data.id, method: parsed.data.method, input: parsed.data.input }
    : { kind: 'cancel', id: parsed.data.id }
}

function idOf(value: object): WireId | null {
  const id = wireRequest.shape.id.safeParse('id' in value ? value.id : undefined)
  return id.success ? id.data : null
}

function words(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ')
}
