import { isAgentId } from '../../../shared/model/agent'
import { borrowedTerminals, type BorrowedTerminalsOptions, type TerminalLender } from '../task/borrowed-terminals'
import type { TaskStart, TerminalTasks } from '../task/terminal-tasks'
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

export interface LentToolsOptions extends BorrowedTerminalsOptions {
  /** Where a command runs instead of in a lent terminal, because it shares a network with a background command of its session. */
  hostedFor(start: TaskStart): Promise<Pick<TerminalTasks, 'run'> | undefined>
}

/** The same as the tools of a session use it, asked at every use. */
export function lentTools(
  lent: Pick<LentMeans, 'of'>,
  { hostedFor, ...options }: LentToolsOptions,
): (session: Parameters<LentMeans['of']>[0]) => { files?: FileAccess; terminals?: Pick<TerminalTasks, 'run'> } | undefined {
  return (session) => {
    const means = lent.of(session)
    if (!means) return undefined
    const { files, terminals } = means
    if (!terminals) return files && { files }
    const borrowed = borrowedTerminals(terminals, options)
    const run: TerminalTasks['run'] = async (start, maxChars) => ((await hostedFor(start)) ?? borrowed).run(start, maxChars)
    return { ...(files && { files }), terminals: { run } }
  }
}
