import type { ApiDeps, Implementer } from './api-deps'

export function agentHandlers(os: Implementer, { engine: { agents } }: ApiDeps) {
  return {
    list: os.agent.list.handler(({ input }) => agents.list(input.folder)),
  }
}
