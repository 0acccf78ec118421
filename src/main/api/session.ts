import type { ApiDeps, Implementer } from './api-deps'

export function sessionHandlers(os: Implementer, { engine: { sessions } }: ApiDeps) {
  return {
    list: os.session.list.handler(({ input }) => sessions.list(input)),
    create: os.session.create.handler(({ input }) => sessions.create(input)),
    open: os.session.open.handler(({ input }) => sessions.open(input.sessionId, input.limit)),
    window: os.session.window.handler(({ input: { sessionId, ...options } }) => sessions.window(sessionId, options)),
    change: os.session.change.handler(({ input: { sessionId, ...change } }) => sessions.change(sessionId, change)),
    remove: os.session.remove.handler(({ input }) => sessions.remove(input.sessionId)),
    search: os.session.search.handler(({ input }) => sessions.search(input.query, input.limit, input.sessionId)),
    fork: os.session.fork.handler(({ input }) => sessions.fork(input.sessionId, input.to)),
    prompt: os.session.prompt.handler(({ input }) => sessions.prompt(input.sessionId, input.parts, input)),
    steer: os.session.steer.handler(({ input: { sessionId, ...rest } }) => sessions.steer(sessionId, rest)),
    editQueued: os.session.editQueued.handler(({ input }) => sessions.editQueued(input.sessionId, input.promptId, input.parts)),
    removeQueued: os.session.removeQueued.handler(({ input }) => sessions.removeQueued(input.sessionId, input.promptId)),
    compact: os.session.compact.handler(async ({ input }) => ({ compacted: await sessions.compact(input.sessionId, input.instruction) })),
    undoCompaction: os.session.undoCompaction.handler(({ input }) => sessions.undoCompaction(input.sessionId, input.compactionId)),
    context: os.session.context.handler(({ input }) => sessions.context(input.sessionId)),
    tools: os.session.tools.handler(({ input }) => sessions.tools(input.sessionId)),
    stop: os.session.stop.handler(({ input }) => sessions.stop(input.sessionId)),
  }
}
