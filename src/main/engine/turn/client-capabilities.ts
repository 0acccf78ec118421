import { isAgentId } from '../../../shared/model/agent'
import { clientTerminals, type ClientTerminalsOptions, type ClientTerminalProvider } from '../task/client-terminals'
import type { TaskStart, TerminalTasks } from '../task/task-supervisor'
import type { EditorFiles } from '../workspace/file/editor-files'

/** What the client of a session (an editor) lets its agent use in place of our own. Permissions, checkpoints and limits stay the engine's. */
export interface SessionClientCapabilities {
  files?: EditorFiles
  terminals?: ClientTerminalProvider
}

/** What clients lend to sessions of this process; subagents use what their family was lent. */
export interface ClientCapabilityRegistry {
  /** From now until the function returned is called; a later client takes the place of an earlier one. */
  register(sessionId: string, means: SessionClientCapabilities): () => void
  of(session: { id: string; header: { agent?: { rootId: string } } }): SessionClientCapabilities | undefined
}

export function createClientCapabilityRegistry(): ClientCapabilityRegistry {
  const lent = new Map<string, SessionClientCapabilities>()
  return {
    register(sessionId, means) {
      lent.set(sessionId, means)
      return () => {
        if (lent.get(sessionId) === means) lent.delete(sessionId)
      }
    },
    of: ({ id, header }) => lent.get(isAgentId(id) && header.agent ? header.agent.rootId : id),
  }
}

export interface ClientToolsOptions extends ClientTerminalsOptions {
  /** Where a command runs instead of in a lent terminal, because it shares a network with a background command of its session. */
  hostedFor(start: TaskStart): Promise<Pick<TerminalTasks, 'run'> | undefined>
}

/** The same as the tools of a session use it, asked at every use. */
export function clientTools(
  lent: Pick<ClientCapabilityRegistry, 'of'>,
  { hostedFor, ...options }: ClientToolsOptions,
): (
  session: Parameters<ClientCapabilityRegistry['of']>[0],
) => { files?: EditorFiles; terminals?: Pick<TerminalTasks, 'run'> } | undefined {
  return (session) => {
    const means = lent.of(session)
    if (!means) return undefined
    const { files, terminals } = means
    if (!terminals) return files && { files }
    const borrowed = clientTerminals(terminals, options)
    const run: TerminalTasks['run'] = async (start, maxChars) =>
      ((await hostedFor(start)) ?? borrowed).run(start, maxChars)
    return { ...(files && { files }), terminals: { run } }
  }
}
