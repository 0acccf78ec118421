import type { RecordedRequest, ScriptedCall, ScriptStep } from './model-script'

interface ChatMessage {
  role: string
  content?: unknown
  tool_calls?: unknown[]
}

/** One agent's part in a script: its answers in order, regardless of other agents' requests in between. */
export type Part = readonly (ScriptStep | ((request: RecordedRequest) => ScriptStep | Promise<ScriptStep>))[]

/**
 * A script for several agents that run in parallel. An agent is identified by the first word of the message that it got
 * from the user or another agent; later messages (such as for a resumed agent) continue the same part.
 */
export function familyScript(
  parts: Record<string, Part>,
): (request: RecordedRequest) => ScriptStep | Promise<ScriptStep> | undefined {
  const at = new Map<string, number>()
  return (request) => {
    const name = firstWord(request)
    const index = at.get(name) ?? 0
    at.set(name, index + 1)
    const step = parts[name]?.[index]
    return typeof step === 'function' ? step(request) : step
  }
}

export function call(name: string, input: Record<string, unknown>): ScriptedCall {
  return { name, input }
}

export function agentCall(prompt: string, more: Record<string, unknown> = {}): ScriptedCall {
  return { name: 'Agent', input: { prompt, description: `Do ${prompt.split(' ')[0]}`, ...more } }
}

/** All text in a request. */
export function said({ body }: RecordedRequest): string {
  return (body['messages'] as ChatMessage[])
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n')
}

export function toolsOf({ body }: RecordedRequest): string[] {
  return ((body['tools'] ?? []) as { function: { name: string } }[]).map(({ function: { name } }) => name)
}

function firstWord(request: RecordedRequest): string {
  const first = (request.body['messages'] as ChatMessage[]).find(({ role }) => role === 'user')
  const text =
    typeof first?.content === 'string'
      ? first.content
      : ((first?.content as { text?: string }[] | undefined)?.[0]?.text ?? '')
  return text.split(/\s/)[0] ?? ''
}
