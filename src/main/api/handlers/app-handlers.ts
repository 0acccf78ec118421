import { homedir } from 'node:os'
import type { ApiDeps, Implementer } from '../implementer'
import { safeLink } from '../../../shared/safe-link'
import { noUpdates } from '../../../shared/configuration/app'
import { isPagePath } from '../../../shared/contract/page-host'

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
      ...(host.access && { access: host.access }),
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

export function desktopHandlers(os: Implementer, { host: { desktop } }: ApiDeps) {
  return {
    view: os.desktop.view.handler(() => desktop?.view() ?? null),
    setTheme: os.desktop.setTheme.handler(({ input }) => {
      desktop?.setTheme(input.theme)
      return desktop !== undefined
    }),
    setAcceleratedGraphics: os.desktop.setAcceleratedGraphics.handler(
      ({ input }) => desktop?.setAcceleratedGraphics(input.enabled) ?? null,
    ),
    openWindow: os.desktop.openWindow.handler(({ input: { path } }) => {
      const [address = ''] = path.split('?')
      return desktop !== undefined && isPagePath(address) && desktop.openWindow(path)
    }),
    resumeInterrupted: os.desktop.resumeInterrupted.handler(
      ({ input }) => desktop?.resumeInterrupted(input.resume) ?? 0,
    ),
  }
}

export function settingsHandlers(os: Implementer, { engine: { settings } }: ApiDeps) {
  return {
    get: os.settings.get.handler(() => settings.viewSoon()),
    saveProvider: os.settings.saveProvider.handler(({ input }) => settings.saveProvider(input)),
    removeProvider: os.settings.removeProvider.handler(({ input }) => settings.removeProvider(input.id)),
    saveModel: os.settings.saveModel.handler(({ input }) => settings.saveModel(input)),
    removeModel: os.settings.removeModel.handler(({ input }) => settings.removeModel(input.id)),
    setDefaultModel: os.settings.setDefaultModel.handler(({ input }) => settings.setDefaultModel(input.id)),
    setSmallModel: os.settings.setSmallModel.handler(({ input }) => settings.setSmallModel(input.id)),
    setFallbackModel: os.settings.setFallbackModel.handler(({ input }) => settings.setFallbackModel(input.id)),
    offeredModels: os.settings.offeredModels.handler(({ input }) => settings.offeredModels(input)),
    setDefaultMode: os.settings.setDefaultMode.handler(({ input }) => settings.setDefaultMode(input.mode)),
    setFeature: os.settings.setFeature.handler(({ input }) => settings.setFeature(input.feature, input.enabled)),
    setToolEnabled: os.settings.setToolEnabled.handler(({ input }) =>
      settings.setToolEnabled(input.name, input.enabled),
    ),
    setNotifications: os.settings.setNotifications.handler(({ input: { enabled, sound, finished } }) =>
      settings.setNotifications({
        ...(enabled !== undefined && { enabled }),
        ...(sound !== undefined && { sound }),
        ...(finished !== undefined && { finished }),
      }),
    ),
    setToolSearch: os.settings.setToolSearch.handler(({ input: { enabled, minPct, minTokens, matchingThreshold } }) =>
      settings.setToolSearch({
        ...(enabled !== undefined && { enabled }),
        ...(minPct !== undefined && { minPct }),
        ...(minTokens !== undefined && { minTokens }),
        ...(matchingThreshold !== undefined && { matchingThreshold }),
      }),
    ),
    setSandbox: os.settings.setSandbox.handler(({ input }) => settings.setSandbox(input)),
    setDesktop: os.settings.setDesktop.handler(({ input }) => settings.setDesktop(withoutUndefined(input))),
    setAppearance: os.settings.setAppearance.handler(({ input }) => settings.setAppearance(withoutUndefined(input))),
    setEngine: os.settings.setEngine.handler(({ input }) => settings.setEngine(input)),
    setLanguage: os.settings.setLanguage.handler(({ input }) => settings.setLanguage(withoutUndefined(input))),
    setShortcut: os.settings.setShortcut.handler(({ input }) => settings.setShortcut(input.id, input.keys)),
    setEditor: os.settings.setEditor.handler(({ input }) => settings.setEditor(input.command)),
    setBudget: os.settings.setBudget.handler(({ input }) => settings.setBudget(withoutUndefined(input))),
    setLoginShell: os.settings.setLoginShell.handler(({ input }) => settings.setLoginShell(input.enabled)),
    testModel: os.settings.testModel.handler(({ input }) => settings.testModel(input.id)),
    testNewModel: os.settings.testNewModel.handler(({ input }) => settings.testNewModel(input)),
    findLocal: os.settings.findLocal.handler(() => settings.findLocal()),
  }
}

/** Drops undefined members, so that those settings stay unchanged. */
function withoutUndefined<T extends object>(change: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }
}

export function usageHandlers(os: Implementer, { engine: { usage, places } }: ApiDeps) {
  return {
    report: os.usage.report.handler(({ input: { by, days, place } }) =>
      places.addUsage(usage.report(by, days), days, place),
    ),
    session: os.usage.session.handler(({ input }) => usage.session(input.sessionId, input.turns)),
  }
}

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
