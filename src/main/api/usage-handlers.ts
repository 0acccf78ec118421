import type { ApiDeps, Implementer } from './implementer'

export function usageHandlers(os: Implementer, { engine: { usage } }: ApiDeps) {
  return {
    report: os.usage.report.handler(({ input }) => usage.report(input.by, input.days)),
    session: os.usage.session.handler(({ input }) => usage.session(input.sessionId, input.turns)),
  }
}
