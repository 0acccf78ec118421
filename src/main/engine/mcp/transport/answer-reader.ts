import { isDeepStrictEqual } from 'node:util'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isRecord } from '../../../../shared/json-fields'
import { INVALID_RESPONSE_CODE, usable } from './message-reader'

/**
 * The JSON body of a response to a request, in the form that the protocol library accepts. The library would drop a
 * response that is invalid or belongs to another request, and the call would wait for its timeout.
 */
export function checkedAnswer(text: string, request: number): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return failure(request, text.trim() === '' ? 'it is empty' : 'it is not JSON')
  }
  const answers = (Array.isArray(parsed) ? parsed : [parsed]).filter(isAnswer)
  const answer = answers.find(({ id }) => String(id) === String(request))
  if (answer) return corrected(answer) ?? text
  const [other] = answers
  // A server that could not read the id of a request reports what is wrong with it without an id.
  const said = isRecord(other?.error) && other.id === null ? other.error['message'] : undefined
  if (typeof said === 'string') return failure(request, `it names no request, and says: ${said.slice(0, 500)}`)
  return failure(request, other ? 'it is to another request' : 'it is no response of the protocol')
}

/** Reads the responses in the event stream of one request, or in the stream for any request. */
export class AnswerReader {
  readonly #request: number | undefined
  /** The bytes of the event that has not ended yet. */
  #parts: Uint8Array[] = []
  #isAnswered = false
  #canResume = false

  /** `request`: the id of the request that the stream should answer; without an id, it can answer any request. */
  constructor(request: number | undefined) {
    this.#request = request
  }

  /**
   * Whether an expected response has not arrived and would be lost with the stream: a stream whose events have ids is
   * resumed where it broke off.
   */
  get isPending(): boolean {
    return this.#request !== undefined && !this.#isAnswered && !this.#canResume
  }

  /**
   * Takes bytes whose last complete event ends at `end`. Returns events to insert there: responses that the protocol
   * library would drop, repeated in a form that it accepts.
   */
  take(chunk: Uint8Array, end: number): string | undefined {
    if (end === 0) {
      this.#parts.push(chunk)
      return undefined
    }
    const bytes = Buffer.concat([...this.#parts, chunk.subarray(0, end)])
    this.#parts = end < chunk.length ? [chunk.subarray(end)] : []
    this.#canResume ||= /(?:^|[\r\n])id:/.test(bytes.toString('latin1'))
    if (!bytes.includes('"id"')) return undefined
    const events = bytes.toString('utf8').replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n\n')
    const repeated = events.flatMap((event) => this.#repeatedFrom(event))
    return repeated.length > 0 ? repeated.map((text) => `data: ${text}\n\n`).join('') : undefined
  }

  #repeatedFrom(event: string): string[] {
    const fields = event.split('\n')
    const kind =
      fields
        .find((field) => field.startsWith('event:'))
        ?.slice(6)
        .trim() ?? ''
    if (kind !== '' && kind !== 'message') return []
    const data = fields.flatMap((field) => (field.startsWith('data:') ? [field.slice(5)] : [])).join('\n')
    let parsed: unknown
    try {
      parsed = JSON.parse(data)
    } catch {
      return this.#brokenAnswer(data)
    }
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isAnswer).flatMap((answer) => {
      this.#isAnswered ||= String(answer.id) === String(this.#request)
      return corrected(answer) ?? []
    })
  }

  #brokenAnswer(data: string): string[] {
    const id = /"id"\s*:\s*(\d+)\b/.exec(data)?.[1]
    if (id === undefined || /"method"\s*:/.test(data)) return []
    if (this.#request !== undefined && Number(id) !== this.#request) return []
    this.#isAnswered = true
    return [failure(Number(id), 'it is not JSON')]
  }
}

interface Answer {
  id: unknown
  error?: unknown
}

function isAnswer(value: unknown): value is Record<string, unknown> & Answer {
  return isRecord(value) && !('method' in value) && ('id' in value || 'error' in value)
}

/** The response in a form that the protocol library accepts; undefined when it already has that form. */
function corrected(answer: Record<string, unknown> & Answer): string | undefined {
  const id = answer.id
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  const taken = usable({ ...answer, jsonrpc: '2.0' } as unknown as JSONRPCMessage)
  try {
    return isDeepStrictEqual(taken, answer) ? undefined : JSON.stringify(taken)
  } catch {
    return failure(id, 'it is nested too deeply')
  }
}

function failure(id: string | number, why: string): string {
  const error = { code: INVALID_RESPONSE_CODE, message: `The answer cannot be used: ${why}.` }
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
