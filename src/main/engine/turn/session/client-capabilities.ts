import { isAgentId } from '../../../../shared/model/session/agent'
import {
  clientTerminals,
  type ClientTerminalsOptions,
  type ClientTerminalProvider,
} from '../../task/run/client-terminals'
import type { TaskStart, TerminalTasks } from '../../task/task-supervisor'
import type { EditorFiles } from '../../workspace/file/editor-files'

/**
 * What the client of a session (an editor) provides for its agent to use instead of Trestle's own files and terminals.
 * Permissions, checkpoints and limits stay with the engine.
 */
export interface SessionClientCapabilities {
  files?: EditorFiles
  terminals?: ClientTerminalProvider
}

/** The capabilities that clients provide for sessions of this process; subagents use those of their root session. */
export interface ClientCapabilityRegistry {
  /** Valid until the returned function is called; a later client replaces an earlier one. */
  register(sessionId: string, capabilities: SessionClientCapabilities): () => void
  of(session: { id: string; header: { agent?: { rootId: string } } }): SessionClientCapabilities | undefined
}

export function createClientCapabilityRegistry(): ClientCapabilityRegistry {
  const bySession = new Map<string, SessionClientCapabilities>()
  return {
    register(sessionId, capabilities) {
      bySession.set(sessionId, capabilities)
      return () => {
        if (bySession.get(sessionId) === capabilities) bySession.delete(sessionId)
      }
    },
    of: ({ id, header }) => bySession.get(isAgentId(id) && header.agent ? header.agent.rootId : id),
  }
}

export interface ClientToolsOptions extends ClientTerminalsOptions {
  /**
   * Where a command runs instead of in a client terminal, because it shares a network with a background command of its
   * session.
   */
  hostedFor(start: TaskStart): Promise<Pick<TerminalTasks, 'run'> | undefined>
}

/**
 * Returns a function that looks up the client capabilities of a session for its tools. Call it at every use: clients
 * come and go.
 */
export function clientTools(
  registry: Pick<ClientCapabilityRegistry, 'of'>,
  { hostedFor, ...options }: ClientToolsOptions,
): (
  session: Parameters<ClientCapabilityRegistry['of']>[0],
) => { files?: EditorFiles; terminals?: Pick<TerminalTasks, 'run'> } | undefined {
  return (session) => {
    const capabilities = registry.of(session)
    if (!capabilities) return undefined
    const { files, terminals } = capabilities
    if (!terminals) return files && { files }
    const inClient = clientTerminals(terminals, options)
    const run: TerminalTasks['run'] = async (start, maxChars) =>
      ((await hostedFor(start)) ?? inClient).run(start, maxChars)
    return { ...(files && { files }), terminals: { run } }
  }
}
