import type { RecordedRequest } from './model-script'

type Fields = Record<string, unknown>

/**
 * What a request consists of, in the order in which providers cache it: tools, system prompt, messages. Each piece is
 * the JSON that was sent, without cache marks; messages that a protocol puts together are taken apart again. `without
 * thinking`: as the request is for a model that gets none back.
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

/** What hangs on thinking, beside the pieces that are nothing else: `id` is that of an item of the Responses API. */
const THINKING_FIELDS: ReadonlySet<string> = new Set(['reasoning_content', 'thoughtSignature', 'id'])

function isThinking(piece: unknown): boolean {
  const { type, part } = (piece ?? {}) as { type?: unknown; part?: { type?: unknown; thought?: unknown } }
  return (
    type === 'reasoning' || part?.type === 'thinking' || part?.type === 'redacted_thinking' || part?.thought === true
  )
}

/** Where `later` stops beginning with the whole of `earlier`, as text to read; undefined when it never does. */
export function brokenAt(earlier: readonly string[], later: readonly string[]): string | undefined {
  const index = earlier.findIndex((piece, at) => piece !== later[at])
  if (index < 0) return undefined
  return (
    `piece ${index + 1} of ${earlier.length}:\n` +
    `${earlier[index]?.slice(0, 2000)}\nbecame\n${later[index]?.slice(0, 2000)}`
  )
}

/** Each part of each message with the role it has. */
function partsOf(messages: unknown, field: 'content' | 'parts'): unknown[] {
  return listOf(messages).flatMap((message) => {
    const { role, [field]: parts } = message as Fields
    return (Array.isArray(parts) ? parts : [parts]).map((part: unknown) => ({ role, part }))
  })
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
