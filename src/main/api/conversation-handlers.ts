import type { ApiDeps, Implementer } from './implementer'

export function conversationHandlers(os: Implementer, { engine: { conversations } }: ApiDeps) {
  return {
    find: os.conversation.find.handler(({ input: { sessionId, ...query } }) => conversations.find(sessionId, query)),
    export: os.conversation.export.handler(({ input }) => conversations.export(input.sessionId, input.format)),
    import: os.conversation.import.handler(({ input }) =>
      conversations.import(input.text, input.folder, { unverified: input.unverified }),
    ),
    relink: os.conversation.relink.handler(({ input: { from, sessionId, to } }) =>
      conversations.relink(sessionId === undefined ? { folder: from! } : { sessionId }, to),
    ),
  }
}
