import type { ApiDeps, Implementer } from './implementer'

export function engineHandlers(os: Implementer, { host: { role } }: ApiDeps) {
  return {
    status: os.engine.status.handler(async () => (await role?.status()) ?? null),
    stop: os.engine.stop.handler(
      async ({ input: { how, restart = false } }) => (await role?.stop(how, restart)) ?? null,
    ),
    environment: os.engine.environment.handler(async ({ input: { marks } }) =>
      role ? { different: await role.differentVariables(marks) } : null,
    ),
  }
}

export function pairingHandlers(os: Implementer, { engine: { devices } }: ApiDeps) {
  return {
    list: os.device.list.handler(() => devices.view()),
    pair: os.device.pair.handler(({ input }) => devices.pair(input.access)),
    cancelPairing: os.device.cancelPairing.handler(() => devices.cancelPairing()),
    revoke: os.device.revoke.handler(({ input }) => devices.revoke(input.deviceId)),
  }
}

export function historyHandlers(os: Implementer, { engine: { histories } }: ApiDeps) {
  return {
    verify: os.history.verify.handler(({ input }) => histories.verify(input.sessionId, input.expect)),
    verifyAll: os.history.verifyAll.handler(() => histories.verifyAll()),
    replay: os.history.replay.handler(({ input }) => histories.replay(input.sessionId)),
    steps: os.history.steps.handler(({ input }) => histories.steps(input.sessionId, input.from, input.limit)),
  }
}

export function moveHandlers(os: Implementer, { engine: { moves } }: ApiDeps) {
  return {
    address: os.move.address.handler(() => moves.address()),
    out: os.move.out.handler(({ input: { sessionId, file, to, place } }) =>
      moves.out(sessionId, file, { address: to, ...(place !== undefined && { place }) }),
    ),
    in: os.move.in.handler(({ input: { file, folder, head } }) =>
      moves.in(file, { ...(folder !== undefined && { folder }), ...(head !== undefined && { head }) }),
    ),
    refuse: os.move.refuse.handler(({ input }) => moves.refuse(input.moveId)),
    cancel: os.move.cancel.handler(({ input }) => moves.cancel(input.sessionId, input.moveId)),
  }
}
