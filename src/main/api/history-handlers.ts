import type { ApiDeps, Implementer } from './implementer'

export function historyHandlers(os: Implementer, { engine: { histories } }: ApiDeps) {
  return {
    verify: os.history.verify.handler(({ input }) => histories.verify(input.sessionId, input.expect)),
    verifyAll: os.history.verifyAll.handler(() => histories.verifyAll()),
    replay: os.history.replay.handler(({ input }) => histories.replay(input.sessionId)),
    steps: os.history.steps.handler(({ input }) => histories.steps(input.sessionId, input.from, input.limit)),
  }
}
