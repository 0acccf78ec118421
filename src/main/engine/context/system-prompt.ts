import type { ContextFact } from './facts/context-fact'
import base from './system-prompt.md?raw'

/** What makes a subagent different, whatever its kind. */
const SUBAGENT =
  'You are a subagent: another agent has given you the task in the first message, and reads nothing but your last message. Make that complete and to the point: what you did or found, with the places, and what is left or doubtful. Nobody answers questions in between; where something is unclear, decide sensibly and say what you assumed.'

/** What the model is told before the conversation: how to work, what kind of agent it is, then the facts in their order. `role`: the prompt of a subagent's spec. */
export function systemPrompt(facts: readonly ContextFact[], role?: string): string {
  const sections = [base.trim(), ...(role === undefined ? [] : [`${SUBAGENT}\n\n${role}`.trim()])]
  const short = facts.filter(({ text }) => !text.includes('\n')).map(({ text }) => text)
  const long = facts.filter(({ text }) => text.includes('\n')).map(({ text }) => text)
  return [...sections, ...(short.length === 0 ? [] : [short.join('\n')]), ...long].join('\n\n')
}
