import type { AgentChoice, SessionAgent } from '../../../shared/model/agent'
import { failureOf } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session'
import type { SessionManager } from '../session/sessions'
import { createAgentRuns, type AgentRuns, type AgentRunsDeps } from './agent-runs'
import { createAgentSpecs, type AgentSpecs, builtInAgents, chooseAgent } from './agent-specs'
import { problemText, SMALL_MODEL } from './agent-spec'
import { createSubagents, type Subagents, type SubagentsDeps } from './subagents'

export interface AgentsDeps extends AgentRunsDeps, Omit<SubagentsDeps, 'specs' | 'runs' | keyof AgentRunsDeps> {
  sessions: Pick<SessionManager, 'createAgent' | 'withSession' | 'reconsider'>
  /** Tells the user, once for each text. */
  warn(text: string): void
}

/** Everything about subagents that an engine has. */
export interface Agents {
  runs: AgentRuns
  specs: AgentSpecs
  subagents: Subagents
  /** The agent that a person has chosen for a session in the folder; what is wrong with its file is told, and throws when the agent cannot be used. */
  choose(choice: AgentChoice, folder: string): Promise<{ agent: SessionAgent; model?: string }>
  /** To be told of what is recorded: what is allowed for the session at the request of a subagent is allowed for the person's session. */
  onRecorded(header: SessionHeader, before: SessionHeader | undefined): void
}

export function createAgents(deps: AgentsDeps): Agents {
  const { home, sessions, log } = deps
  const runs = createAgentRuns(deps)
  const specs = createAgentSpecs({ home, builtIn: builtInAgents() })

  function allowForFamily(rootId: string, agentId: string, patterns: string[]): void {
    void sessions
      .withSession(rootId, (root) => {
        root.record({ type: 'rules.allowed', patterns, agentId })
        return sessions.reconsider()
      })
      // Where another process has it, the rule counts for this subagent alone.
      .catch((error: unknown) => log(`A rule stays with ${agentId}: ${failureOf(error).message}`))
  }

  return {
    runs,
    specs,
    subagents: createSubagents({ ...deps, specs, runs }),
    async choose(choice, folder) {
      const { agent, model, problems } = await chooseAgent(specs, choice, folder)
      for (const problem of problems) deps.warn(problemText(problem))
      // A session has the model that its person chose: only a model with a name of its own takes its place.
      return { agent, ...(model !== undefined && model !== SMALL_MODEL && { model }) }
    },
    onRecorded({ agent, rules, sessionId }, before) {
      if (before && agent && rules && rules !== before.rules) allowForFamily(agent.rootId, sessionId, rules)
    },
  }
}
