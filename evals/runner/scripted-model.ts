import type { ModelScript, RecordedRequest, ScriptStep } from '../../test/support/model-script'
import { startModelServer } from '../../test/support/model-server.ts'
import type { Solution, SolutionStep, Values } from './task'

/** Words of the request for a summary, in both of its forms. */
const ASKS_FOR_SUMMARY = 'You write the memory of an agent'
const BYTES_PER_TOKEN = 4

export interface ScriptedModel {
  baseUrl: string
  /** Deviations from the solution: steps that were not requested, and requests without a step. */
  problems(): string[]
  close(): Promise<void>
}

/**
 * A server that plays a solution. Its counts of tokens are like a provider's: what a request shares with the one before
 * was cached.
 */
export async function startScriptedModel(solution: Solution, values: Values): Promise<ScriptedModel> {
  const parts = new Map<string, SolutionStep[]>([
    ['', [...solution.steps]],
    ...Object.entries(solution.agents ?? {}).map(([key, steps]) => [key, [...steps]] as [string, SolutionStep[]]),
  ])
  const missing: string[] = []
  const latest = new Map<string, string>()

  function answer(request: RecordedRequest): { part: string; step: ScriptStep | undefined } {
    const messages = request.body['messages'] as ChatMessage[]
    const part = partOf(textOf(messages.find(({ role }) => role === 'user')), solution)
    const last = textOf(messages.findLast(({ role }) => role === 'user'))
    if ([last, textOf(messages[0])].some((text) => text.includes(ASKS_FOR_SUMMARY)))
      return { part, step: { text: solution.summary ?? 'The work continues as the user asked.' } }
    const step = parts.get(part)!.shift()
    if (step === undefined)
      missing.push(`The solution has no step left for a request${part === '' ? '' : ` of the subagent "${part}"`}.`)
    const said = messages.map(textOf).join('\n')
    return { part, step: typeof step === 'function' ? step({ said, values }) : step }
  }

  const script: ModelScript = (request) => {
    const { part, step } = answer(request)
    if (!step) return undefined
    const text = JSON.stringify(request.body['tools'] ?? []) + JSON.stringify(request.body['messages'])
    const shared = sharedLength(text, latest.get(part) ?? '')
    latest.set(part, text)
    const output = Math.ceil(JSON.stringify(step).length / BYTES_PER_TOKEN)
    const usage = {
      input: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN),
      cached: Math.floor(shared / BYTES_PER_TOKEN),
      output,
    }
    return { usage, deltaChars: 2000, ...step }
  }
  const server = await startModelServer({ script })
  return {
    baseUrl: server.baseUrl,
    problems: () => [
      ...missing,
      ...[...parts].flatMap(([part, left]) =>
        left.length === 0
          ? []
          : [`${left.length} steps of the solution${part === '' ? '' : ` for "${part}"`} were not asked for.`],
      ),
    ],
    close: () => server.close(),
  }
}

interface ChatMessage {
  role: string
  content?: unknown
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}

function partOf(prompt: string, { agents = {} }: Solution): string {
  return Object.keys(agents).find((key) => prompt.includes(key)) ?? ''
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at += 1
  return at
}
