import type { RecordedRequest } from './model-script'

type Fields = Record<string, unknown>

/**
 * The pieces of a request, in the order in which providers cache it: tools, system prompt, messages. Each piece is the
 * JSON that was sent, without cache marks; messages that a protocol merges are split again. `without thinking`: the
 * request for a model that gets no thinking back.
 */
export function piecesOf(
  { wire, body }: Pick<RecordedRequest, 'wire' | 'body'>,
  leavesOut?: 'without thinking',
): string[] {
  const pieces: unknown[] = []
  switch (wire) {
    case 'chat':
      pieces.push(...listOf(body['tools']), ...listOf(body['messages']))
      break
    case 'responses':
      pieces.push(...listOf(body['tools']), body['instructions'], ...listOf(body['input']))
      break
    case 'anthropic':
      pieces.push(...listOf(body['tools']), ...listOf(body['system']), ...partsOf(body['messages'], 'content'))
      break
    case 'gemini': {
      const tools = listOf(body['tools']).flatMap((tool) => listOf((tool as Fields)['functionDeclarations']))
      pieces.push(...tools, body['systemInstruction'], ...partsOf(body['contents'], 'parts'))
    }
  }
  const isLeftOut = (key: string): boolean =>
    key === 'cache_control' || (leavesOut !== undefined && THINKING_FIELDS.has(key))
  return pieces
    .filter((piece) => leavesOut === undefined || !isThinking(piece))
    .map((piece) => JSON.stringify(piece, (key, value: unknown) => (isLeftOut(key) ? undefined : value)) ?? '')
}

/** Fields that depend on thinking, in addition to separate pieces: `id` belongs to an item of the Responses API. */
const THINKING_FIELDS: ReadonlySet<string> = new Set(['reasoning_content', 'thoughtSignature', 'id'])

function isThinking(piece: unknown): boolean {
  const { type, part } = (piece ?? {}) as { type?: unknown; part?: { type?: unknown; thought?: unknown } }
  return (
    type === 'reasoning' || part?.type === 'thinking' || part?.type === 'redacted_thinking' || part?.thought === true
  )
}

/** Where `later` stops matching the complete `earlier`, as readable text; undefined if it never does. */
export function brokenAt(earlier: readonly string[], later: readonly string[]): string | undefined {
  const index = earlier.findIndex((piece, at) => piece !== later[at])
  if (index < 0) return undefined
  return (
    `piece ${index + 1} of ${earlier.length}:\n` +
    `${earlier[index]?.slice(0, 2000)}\nbecame\n${later[index]?.slice(0, 2000)}`
  )
}

/** Each part of each message with its role. */
function partsOf(messages: unknown, field: 'content' | 'parts'): unknown[] {
  return listOf(messages).flatMap((message) => {
    const { role, [field]: parts } = message as Fields
    return (Array.isArray(parts) ? parts : [parts]).map((part: unknown) => ({ role, part }))
  })
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
