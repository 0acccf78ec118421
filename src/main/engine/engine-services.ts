import { join } from 'node:path'
import type { Settings } from './config/settings/settings'
import type { Secrets } from './config/key-store/secrets'
import type { EngineOptions } from './engine-api'
import { createLoginEnvironment, type LoginEnvironment } from './environment/login-environment'
import { createEngineDiagnostics, type EngineDiagnostics } from './health/engine-diagnostics'
import { createCatalog, type Catalog } from './model/catalog/catalog'
import { createNetwork, type Network } from './network/network'

export interface EngineServicesDeps extends Pick<EngineOptions, 'version' | 'loginShell' | 'taskHost' | 'systemProxy'> {
  home: string
  settings(): Settings
  secrets: Pick<Secrets, 'get' | 'keyFor'>
  /** Where the environment comes from has changed. */
  onEnvironmentChanged(): void
  log(message: string): void
}

/** What an engine has of the machine it runs on: variables, ways to other machines and their models, and what it can tell about all that. */
export interface EngineServices {
  environment: LoginEnvironment
  network: Network
  catalog: Catalog
  diagnostics: EngineDiagnostics
  /** The settings may have changed. */
  settingsChanged(): void
}

export function createEngineServices(deps: EngineServicesDeps): EngineServices {
  const { home, version, settings, secrets, onEnvironmentChanged, log, loginShell, taskHost, systemProxy } = deps
  const environment = createLoginEnvironment({
    loginShell,
    env: process.env,
    settings: () => settings().environment,
    changed: onEnvironmentChanged,
    log,
  })
  const network = createNetwork({
    settings: () => settings().network,
    env: process.env,
    ...(systemProxy && { systemProxy }),
    log,
  })
  const { fetch, modelFetch } = network
  const listsFile = join(home, 'cache', 'models.json')
  const catalog = createCatalog({
    settings,
    keyFor: secrets.keyFor,
    listsFile,
    ready: environment.ready,
    fetch,
    modelFetch,
  })
  return {
    environment,
    network,
    catalog,
    diagnostics: createEngineDiagnostics({
      home,
      version,
      settings,
      secrets,
      environment,
      catalog,
      taskHost,
      loginShell,
      systemProxy,
    }),
    settingsChanged() {
      environment.settingsChanged()
      network.settingsChanged()
    },
  }
}
