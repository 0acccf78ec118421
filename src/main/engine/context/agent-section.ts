import type { OfferedAgent } from '../tool/session-agents'

const MOST_CHARS = 6000
const DESCRIPTION_CHARS = 300

/** The agent types that the tool's own description does not name, for the system prompt. Undefined when there are none. */
export function agentSection(types: readonly OfferedAgent[]): string | undefined {
  if (types.length === 0) return undefined
  const lines = types.map(
    ({ name, description }) =>
      `- ${name}: ${description.length > DESCRIPTION_CHARS ? `${description.slice(0, DESCRIPTION_CHARS - 1)}…` : description}`,
  )
  return `Further agent types for the Agent tool:\n${lines.join('\n')}`.slice(0, MOST_CHARS)
}
