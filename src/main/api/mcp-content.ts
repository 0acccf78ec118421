import type { ApiDeps, Implementer } from './api-deps'

export function mcpContentHandlers(os: Implementer, { engine: { mcpContent } }: ApiDeps) {
  return {
    prompts: os.mcpContent.prompts.handler(({ input }) => mcpContent.prompts(input.sessionId, input.server)),
    resources: os.mcpContent.resources.handler(({ input }) => mcpContent.resources(input.sessionId, input.query, input.limit)),
    complete: os.mcpContent.complete.handler(({ input: { sessionId, ...argument } }) => mcpContent.complete(sessionId, argument)),
    read: os.mcpContent.read.handler(({ input }) => mcpContent.read(input.sessionId, input.server, input.uri)),
  }
}
