import type { ApiDeps, Implementer } from './api-deps'

export function approvalHandlers(os: Implementer, { engine }: ApiDeps) {
  return {
    reply: os.approval.reply.handler(({ input: { sessionId, ...answer } }) => engine.sessions.reply(sessionId, answer)),
  }
}
