import type { AgentTurn } from '../../src/main/engine/agent/subagents'
import { CodedError } from '../../src/shared/errors'
import type { SessionAgents } from '../../src/main/engine/tool/session-services'

/** For tests without subagents. */
export const noAgents: SessionAgents = {
  types: async () => [],
  problem: async () => 'There are no subagents here.',
  start: async () => Promise.reject(new CodedError('request.invalid', 'There are no subagents here.')),
  run: async () => Promise.reject(new CodedError('request.invalid', 'There are no subagents here.')),
  tools: async () => [],
  define: () => undefined,
}

export const noAgentTurn: AgentTurn = { types: [], offers: ({ name }) => name !== 'Agent' && name !== 'CreateSubagent' }
