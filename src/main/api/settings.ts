import type { ApiDeps, Implementer } from './api-deps'

export function settingsHandlers(os: Implementer, { engine: { settings } }: ApiDeps) {
  return {
    get: os.settings.get.handler(() => settings.view()),
    saveProvider: os.settings.saveProvider.handler(({ input }) => settings.saveProvider(input)),
    removeProvider: os.settings.removeProvider.handler(({ input }) => settings.removeProvider(input.id)),
    saveModel: os.settings.saveModel.handler(({ input }) => settings.saveModel(input)),
    removeModel: os.settings.removeModel.handler(({ input }) => settings.removeModel(input.id)),
    setDefaultModel: os.settings.setDefaultModel.handler(({ input }) => settings.setDefaultModel(input.id)),
    setSmallModel: os.settings.setSmallModel.handler(({ input }) => settings.setSmallModel(input.id)),
    setFallbackModel: os.settings.setFallbackModel.handler(({ input }) => settings.setFallbackModel(input.id)),
    offeredModels: os.settings.offeredModels.handler(({ input }) => settings.offeredModels(input)),
    setDefaultMode: os.settings.setDefaultMode.handler(({ input }) => settings.setDefaultMode(input.mode)),
    setToolEnabled: os.settings.setToolEnabled.handler(({ input }) => settings.setToolEnabled(input.name, input.enabled)),
    setNotifications: os.settings.setNotifications.handler(({ input: { enabled, sound } }) =>
      settings.setNotifications({ ...(enabled !== undefined && { enabled }), ...(sound !== undefined && { sound }) }),
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
    setDesktop: os.settings.setDesktop.handler(({ input }) => settings.setDesktop(defined(input))),
    setLoginShell: os.settings.setLoginShell.handler(({ input }) => settings.setLoginShell(input.enabled)),
    testModel: os.settings.testModel.handler(({ input }) => settings.testModel(input.id)),
    findLocal: os.settings.findLocal.handler(() => settings.findLocal()),
  }
}

/** Without the members that are undefined, so that they stay as they are. */
function defined<T extends object>(change: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }
}
