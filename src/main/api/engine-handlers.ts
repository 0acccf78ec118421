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
