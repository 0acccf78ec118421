import type { AgentChoice, SessionAgent } from '../../../shared/model/session/agent'
import { failureOf } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { SessionManager } from '../session/sessions'
import { createAgentSpecs, type AgentSpecs, builtInAgents, chooseAgent } from './agent-specs'
import { problemText, SMALL_MODEL } from './agent-spec'
import type { ActivePlugins } from '../plugin/active-plugins'
import { createSubagents, type Subagents, type SubagentsDeps } from './subagents'

export interface AgentsDeps extends Omit<SubagentsDeps, 'specs'> {
  sessions: Pick<SessionManager, 'createAgent' | 'withSession' | 'reconsider'>
  /** The plugins that are active in a folder. */
  plugins?: ActivePlugins
  /** Shows the user a warning; the same text only once. */
  warn(text: string): void
  log(message: string): void
}

/** The agents and subagents of an engine. */
export interface Agents {
  specs: AgentSpecs
  subagents: Subagents
  /**
   * Resolves the agent that the user chose for a session in the folder. Warns about problems in its file, and throws
   * when it cannot be used.
   */
  choose(choice: AgentChoice, folder: string): Promise<{ agent: SessionAgent; model?: string }>
  /**
   * Call after events were recorded: rules allowed for the session at a subagent's request also apply to the user's
   * session.
   */
  onRecorded(header: SessionHeader, before: SessionHeader | undefined): void
}

export function createAgents(deps: AgentsDeps): Agents {
  const { home, sessions, log, plugins } = deps
  const specs = createAgentSpecs({ home, builtIn: builtInAgents(), ...(plugins && { plugins }) })

  function allowForFamily(rootId: string, agentId: string, patterns: string[]): void {
    void sessions
      .withSession(rootId, (root) => {
        root.record({ type: 'rules.allowed', patterns, agentId })
        return sessions.reconsider()
      })
      // If another process holds it, the rule applies only to this subagent.
      .catch((error: unknown) => log(`A rule stays with ${agentId}: ${failureOf(error).message}`))
  }

  return {
    specs,
    subagents: createSubagents({ ...deps, specs }),
    async choose(choice, folder) {
      const { agent, model, problems } = await chooseAgent(specs, choice, folder)
      for (const problem of problems) deps.warn(problemText(problem))
      // A session keeps the user's model unless the spec names a specific one.
      return { agent, ...(model !== undefined && model !== SMALL_MODEL && { model }) }
    },
    onRecorded({ agent, rules, sessionId }, before) {
      if (before && agent && rules && rules !== before.rules) allowForFamily(agent.rootId, sessionId, rules)
    },
  }
}
