import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { LongLine } from './line-splitter'

/** Most messages in one line: servers of the revision 2025-03-26 may send several at once. */
const MOST_IN_BATCH = 1000

/** The messages of a line; undefined: it is none, something else printed there. */
export function readMessages(line: string): JSONRPCMessage[] | undefined {
  const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line
  if (!/^\s*[{[]/.test(text)) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const all: unknown[] = Array.isArray(parsed) ? parsed.slice(0, MOST_IN_BATCH) : [parsed]
  const messages = all.filter(isMessage).map(usable)
  return messages.length > 0 ? messages : undefined
}

/** Whether it is one by its form; the protocol looks closer. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, id } = value as Record<string, unknown>
  return jsonrpc === '2.0' && (typeof method === 'string' || typeof id === 'string' || typeof id === 'number')
}

/** An answer that is neither a result nor an error fails its request at once: the protocol would wait for another one. */
function usable(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message || message.id === undefined) return message
  const { id, result, error } = message as { id: string | number; result?: unknown; error?: unknown }
  if (isRecord(result)) return message
  if (isRecord(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string') return message
  const said = JSON.stringify(error ?? result)?.slice(0, 200)
  return {
    jsonrpc: '2.0',
    id,
    error: { code: NONSENSE, message: `The answer is neither a result nor an error: ${said ?? 'it is empty'}.` },
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The code of an answer that is none. */
const NONSENSE = -32_052

/** Whose answer a line was that is too long to be read, as far as its two ends tell: so that the call fails at once, with the reason. */
export function failureOfLong({ bytes, head, tail }: LongLine, maxBytes: number): JSONRPCMessage | undefined {
  if (/"method"\s*:/.test(head)) return undefined
  const id = (/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)/.exec(head) ?? /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail))?.[1]
  if (id === undefined) return undefined
  return { jsonrpc: '2.0', id: Number(id), error: { code: TOO_LONG, message: tooLong(bytes, maxBytes) } }
}

/** The code of an answer that is too long to be read. */
export const TOO_LONG = -32_050

export function tooLong(bytes: number | undefined, maxBytes: number): string {
  const most = `${maxBytes / 1_048_576} MiB`
  const size = bytes === undefined ? `more than ${most}` : `${(bytes / 1_048_576).toFixed(0)} MiB`
  return `The answer has ${size}; at most ${most} can be read.`
}
