import type { ApiDeps, Implementer } from './api-deps'

export function planHandlers(os: Implementer, { engine: { plans } }: ApiDeps) {
  return {
    enter: os.plan.enter.handler(({ input }) => plans.enter(input.sessionId)),
    leave: os.plan.leave.handler(({ input }) => plans.leave(input.sessionId)),
    view: os.plan.view.handler(({ input }) => plans.view(input.sessionId)),
    revision: os.plan.revision.handler(({ input: { sessionId, ...of } }) => plans.revision(sessionId, of)),
  }
}
