import type { Conversation } from '../conversation'

/** What becomes of a line after its command: it is done with, the talk ends, it was no command and is said to the agent, or something is to be said anew. */
export type CommandEnd = 'done' | 'quit' | 'message' | { draft: string }

/** Something that `/name` at the beginning of a line does. */
export interface ChatCommand {
  name: string
  /** What may stand behind the name. */
  argument?: string
  help: string
  run(conversation: Conversation, argument: string): Promise<CommandEnd | void>
}
