import type { ContextFact } from './facts/context-fact'
import base from './system-prompt.md?raw'

/** What makes a subagent different, whatever its kind. */
const SUBAGENT =
  'You are a subagent: another agent has given you the task in the first message, and reads nothing but your last message. Make that complete and to the point: what you did or found, with the places, and what is left or doubtful. Nobody answers questions in between; where something is unclear, decide sensibly and say what you assumed.'

/** What the model is told before the conversation: how to work, what it is where it is a subagent, and the facts about its surroundings. */
export function systemPrompt(facts: readonly ContextFact[], role?: string): string {
  const sections = [base.trim(), ...(role === undefined ? [] : [`${SUBAGENT}\n\n${role}`.trim()])]
  let wasLine = false
  for (const { text } of facts) {
    const isLine = !text.includes('\n')
    // Facts of one line stand together.
    if (isLine && wasLine) sections.push(`${sections.pop()}\n${text}`)
    else sections.push(text)
    wasLine = isLine
  }
  return sections.join('\n\n')
}
