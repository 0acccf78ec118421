import { homedir } from 'node:os'
import type { ApiDeps, Implementer } from './api-deps'
import { safeLink } from '../../shared/model/safe-link'
import { noUpdates } from '../../shared/model/updates'

export function appHandlers(os: Implementer, { engine, host }: ApiDeps) {
  const without = () => noUpdates(engine.version, 'To update, install a newer version the way you installed this one.')
  return {
    info: os.app.info.handler(() => ({
      version: engine.version,
      home: engine.home,
      userHome: homedir(),
      host: host.kind,
      platform: process.platform,
      notices: [...engine.notices, ...(host.notices?.() ?? [])],
    })),
    backups: os.app.backups.handler(() => engine.backups.view()),
    backUp: os.app.backUp.handler(() => engine.backups.take()),
    diagnostics: os.app.diagnostics.handler(async () => engine.diagnostics.report(await host.diagnostics?.())),
    shellEnvironment: os.app.shellEnvironment.handler(() => engine.environment.view()),
    readShellEnvironment: os.app.readShellEnvironment.handler(() => engine.environment.read()),
    updates: os.app.updates.handler(() => host.updates?.view() ?? without()),
    update: os.app.update.handler(async ({ input }) => host.updates?.act(input) ?? without()),
    chooseFolder: os.app.chooseFolder.handler(async () => {
      const path = await host.chooseFolder()
      return path === null ? null : { path }
    }),
    openExternal: os.app.openExternal.handler(async ({ input }) => {
      const url = safeLink(input.url)
      return url !== undefined && (await host.openExternal(url))
    }),
  }
}
