import { isFields, type Fields } from '../field-of'

const DELTA = ['role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'tool_calls']

/** An event of Chat Completions without what the package refuses because it does not know it; undefined when nothing is left. */
export function chatEvent(event: Fields): Fields | undefined {
  if (event['error'] !== undefined && event['error'] !== null) return event
  const { id, model, usage, choices, x_groq } = event
  const kept = Array.isArray(choices) ? choices.flatMap((choice: unknown) => choiceOf(choice)) : []
  if (kept.length === 0 && !isFields(usage) && !isFields(x_groq)) return undefined
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    choices: kept,
    ...(isFields(usage) && { usage }),
    ...(isFields(x_groq) && { x_groq }),
  }
}

function choiceOf(choice: unknown): Fields[] {
  if (!isFields(choice)) return []
  const { finish_reason: reason, usage } = choice
  const delta = deltaOf(choice['delta'])
  if (!delta && typeof reason !== 'string' && !isFields(usage)) return []
  return [{ ...(delta && { delta }), ...(typeof reason === 'string' && { finish_reason: reason }), ...(isFields(usage) && { usage }) }]
}

/** Undefined when it says nothing that is known. */
function deltaOf(delta: unknown): Fields | undefined {
  if (!isFields(delta)) return undefined
  const entries = DELTA.flatMap((name): [string, unknown][] => {
    const value = name === 'tool_calls' ? callsOf(delta[name]) : delta[name]
    return isReadable(name, value) ? [[name, name === 'role' && value !== '' ? 'assistant' : value]] : []
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function callsOf(calls: unknown): unknown {
  if (!Array.isArray(calls)) return undefined
  const functions = calls.filter((call) => isFields(call) && isFields(call['function']))
  return functions.length === 0 ? undefined : functions
}

function isReadable(name: string, value: unknown): boolean {
  if (name === 'tool_calls') return value !== undefined
  if (typeof value === 'string') return true
  return name === 'content' && Array.isArray(value) && value.every((part) => isFields(part) && typeof part['type'] === 'string')
}
