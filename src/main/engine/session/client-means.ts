import { isAgentId } from '../../../shared/model/agent'
import type { TerminalLender } from '../task/borrowed-terminals'
import type { FileAccess } from '../workspace/file-access'

/** What the client of a session (an editor) lets its agent use in place of our own. Permissions, checkpoints and limits stay the engine's. */
export interface ClientMeans {
  files?: FileAccess
  terminals?: TerminalLender
}

/** What clients lend to sessions of this process; subagents use what their family was lent. */
export interface LentMeans {
  /** From now until the function returned is called; a later client takes the place of an earlier one. */
  lend(sessionId: string, means: ClientMeans): () => void
  of(session: { id: string; header: { agent?: { rootId: string } } }): ClientMeans | undefined
}

export function createLentMeans(): LentMeans {
  const lent = new Map<string, ClientMeans>()
  return {
    lend(sessionId, means) {
      lent.set(sessionId, means)
      return () => {
        if (lent.get(sessionId) === means) lent.delete(sessionId)
      }
    },
    of: ({ id, header }) => lent.get(isAgentId(id) && header.agent ? header.agent.rootId : id),
  }
}
