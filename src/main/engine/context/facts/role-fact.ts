import type { ContextFact } from './context-fact'

/** What the agent that a person has chosen for a session is told. */
export interface SessionRole {
  /** As people know it. */
  title: string
  text: string
}

/** The agent that the session runs as; nothing for the usual one. */
export function roleFacts(role: SessionRole | undefined): ContextFact[] {
  if (!role) return []
  return [
    {
      key: 'agent',
      text: `This session runs as the agent "${role.title}", which the person chose. Its instructions:\n<agent_instructions>\n${role.text || 'Work as usual.'}\n</agent_instructions>`,
      changed: 'The person chose another agent for this session. The instructions of the agent before no longer apply.',
      removed: 'The person chose the usual agent for this session. The instructions of the agent before no longer apply.',
    },
  ]
}
