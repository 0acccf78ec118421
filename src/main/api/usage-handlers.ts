import type { ApiDeps, Implementer } from './implementer'

export function usageHandlers(os: Implementer, { engine: { usage, places } }: ApiDeps) {
  return {
    report: os.usage.report.handler(({ input: { by, days, place } }) =>
      places.addUsage(usage.report(by, days), days, place),
    ),
    session: os.usage.session.handler(({ input }) => usage.session(input.sessionId, input.turns)),
  }
}
