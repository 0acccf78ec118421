import { startModelServer, type ModelServer } from '../model-server'
import type { RecordedRequest, ScriptedCall, ScriptStep } from '../model-script'

/** An order in a text: a tool call, or words to say. */
export type Order = { source: string } & ({ call: ScriptedCall } | { say: string })

/**
 * The orders anywhere in a text: `DO Tool {…}` requests a call, `SAY {"text": …}` words. Orders inside the JSON of
 * another order belong to that one.
 */
export function ordersIn(text: string): Order[] {
  const orders: Order[] = []
  const pattern = /\b(?:DO ([A-Za-z_][\w-]*)|SAY) (?=\{)/g
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const json = objectAt(text, pattern.lastIndex)
    if (json === undefined) continue
    const source = text.slice(match.index, pattern.lastIndex + json.length)
    pattern.lastIndex += json.length
    try {
      const input = JSON.parse(json) as Record<string, unknown>
      orders.push(
        match[1] === undefined ? { source, say: String(input['text']) } : { source, call: { name: match[1], input } },
      )
    } catch {
      // Not an order: truncated, or escaped once more.
    }
  }
  return orders
}

/** The text of the JSON object that starts at `start`, up to its closing brace. */
function objectAt(text: string, start: number): string | undefined {
  let depth = 0
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (isQuoted) {
      if (char === '\\') at += 1
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === '{') depth += 1
    else if (char === '}' && --depth === 0) return text.slice(start, at + 1)
  }
  return undefined
}

export interface ObedientModel {
  server: ModelServer
  /** Forgets which orders it has followed, so that the next turn starts like the first. */
  reset(): void
  close(): Promise<void>
}

/**
 * A model that follows every order in its input: the system prompt with AGENTS.md, the user's messages, tool
 * descriptions, results of calls. It follows each order once, all new ones in one step, if the tool is offered. It is
 * the worst case of prompt injection: only the code around the model protects the user.
 */
export async function startObedientModel(): Promise<ObedientModel> {
  const obeyed = new Set<string>()
  const script = (request: RecordedRequest): ScriptStep => {
    const offered = new Set(toolsOf(request).map(({ name }) => name))
    const fresh = textsOf(request)
      .flatMap(ordersIn)
      .filter((order) => !obeyed.has(order.source) && (!('call' in order) || offered.has(order.call.name)))
    const calls = new Map(fresh.flatMap((order) => ('call' in order ? [[order.source, order.call]] : [])))
    if (calls.size > 0) {
      for (const source of calls.keys()) obeyed.add(source)
      return { toolCalls: [...calls.values()] }
    }
    const say = fresh.find((order) => 'say' in order)
    if (!say) return { text: 'done' }
    obeyed.add(say.source)
    return { text: 'say' in say ? say.say : '' }
  }
  const server = await startModelServer({ script })
  return { server, reset: () => obeyed.clear(), close: () => server.close() }
}

interface OfferedTool {
  name: string
  description?: string
}

function toolsOf({ body }: RecordedRequest): OfferedTool[] {
  return ((body['tools'] ?? []) as { function: OfferedTool }[]).map((tool) => tool.function)
}

/** All texts of a request except what the model itself said. */
function textsOf(request: RecordedRequest): string[] {
  const messages = (request.body['messages'] ?? []) as { role: string; content?: unknown }[]
  return [
    ...toolsOf(request).flatMap((tool) => stringsIn(tool)),
    ...messages.filter(({ role }) => role !== 'assistant').flatMap(({ content }) => stringsIn(content)),
  ]
}

/** Every string in a value, however deep. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}
