import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { failureOf } from '../../../shared/errors'
import type { Config } from '../config/config'
import { openConfig } from '../config/config'
import { resolveHome } from '../config/home'
import { openKeys, type Secrets } from '../config/key-store/secrets'
import type { KeyStore } from '../config/key-store/key-store'
import type { Settings } from '../config/settings/settings'
import type { EngineChange, EngineOptions } from './engine-options'
import { commandEnv } from '../environment/command-env'
import { createLoginEnvironment, type LoginEnvironment } from '../environment/login-environment'
import { createEngineDiagnostics, type EngineDiagnostics } from '../health/engine-diagnostics'
import { createCatalog, type Catalog } from '../model/catalog/catalog'
import { createClientModels, type ClientModels } from '../model/client-models'
import { createNetwork, type Network } from '../network/network'
import { type PermissionRule, sessionRules } from '../permission/permission-rule'
import { prepareIdentities } from '../process/process-identity'
import type { SessionHeader } from '../../../shared/model/session/session'
import { BackgroundWork } from '../runtime/background-work'
import { openStore, type OpenedStore } from '../store/open/open-store'
import { createFolderSettings } from '../trust/project-settings'
import { createEnginePlugins } from './engine-plugins'
import type { Plugins } from '../plugin/active-plugins'

type Headed = { header: SessionHeader }

/**
 * The foundation for all parts of an engine: the home folder with store, settings and keys, the machine, and
 * notifications.
 */
export interface EngineFoundation extends EngineChanges, EngineServices, OpenedStore {
  home: string
  config: Config
  keyStore: KeyStore
  secrets: Secrets
  /** The user's current settings; `maxSteps` of the options takes precedence. */
  settings(): Settings
  /** The settings of a project: the user's, plus the project's own once it is trusted. */
  settingsFor: ReturnType<typeof createFolderSettings>
  plugins: Plugins
  /** The header whose mode, rules and folders apply: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Headed): SessionHeader
  /**
   * Permission rules that apply to a session: its project's and those granted in the session or in the one it belongs
   * to.
   */
  rulesOf(session: Headed): Promise<PermissionRule[]>
  /** Closing the engine waits for this work. */
  background: BackgroundWork
  /** The environment of commands, without model keys. */
  env(): Record<string, string>
  newId(prefix: string): string
  now(): number
  log(message: string): void
}

/** Opens the home folder and reads settings and keys. Rejects with a `CodedError` if it cannot be used. */
export async function openFoundation(options: EngineOptions): Promise<EngineFoundation> {
  const { maxSteps, log = (message) => process.stderr.write(`trestle: ${message}\n`) } = options
  const home = realpathSync(resolveHome(options.home))
  await prepareIdentities()
  const opened = openStore({ home })
  const config = await openConfig({ home, watch: options.watch ?? true })
  const { keyStore, secrets } = await openKeys({ home, legacy: options.legacyCipher })
  const settings = (): Settings =>
    maxSteps === undefined ? config.settings : { ...config.settings, loop: { ...config.settings.loop, maxSteps } }
  const changes = createEngineChanges(log)
  const { notify } = changes
  const onEnvironmentChanged = (): void => notify({ kind: 'settings' })
  const onModelsChanged = (): void => notify({ kind: 'models' })
  const services = createEngineServices({
    ...options,
    home,
    settings,
    secrets,
    onEnvironmentChanged,
    onModelsChanged,
    log,
  })
  const plugins = createEnginePlugins({ home, notify, warn: changes.warn })
  const settingsFor = createFolderSettings({
    home,
    settings,
    pluginHooks: async (folder) => (await plugins.active(folder)).flatMap(({ hooks }) => hooks),
    onChanged: (folder) => notify({ kind: 'trust', folder }),
  })
  const effectiveHeader = ({ header }: Headed): SessionHeader =>
    (header.agent && opened.store.header(header.agent.rootId)) ?? header
  return {
    ...opened,
    ...changes,
    ...services,
    home,
    config,
    keyStore,
    secrets,
    settings,
    settingsFor,
    plugins,
    effectiveHeader,
    async rulesOf({ header }) {
      // A rule allowed for one subagent of a session applies to all of them, even while another process has that
      // session open.
      const granted = new Set([...(effectiveHeader({ header }).rules ?? []), ...(header.rules ?? [])])
      return [...(await settingsFor(header.folder)).settings.permission.rules, ...sessionRules([...granted])]
    },
    background: new BackgroundWork(),
    env: () => commandEnv(process.env, settings()),
    newId,
    now: () => Date.now(),
    log,
  }
}

interface EngineServicesDeps extends Pick<EngineOptions, 'version' | 'loginShell' | 'taskHost' | 'systemProxy'> {
  home: string
  settings(): Settings
  secrets: Pick<Secrets, 'get' | 'keyFor'>
  /** Called when the source of the environment has changed. */
  onEnvironmentChanged(): void
  /** Called when the models of a client have changed. */
  onModelsChanged(): void
  log(message: string): void
}

/**
 * The machine's resources for an engine: environment variables, the network and its models, and the diagnostics of all
 * three.
 */
interface EngineServices {
  environment: LoginEnvironment
  network: Network
  catalog: Catalog
  clientModels: ClientModels
  diagnostics: EngineDiagnostics
  /** Call when the settings may have changed. */
  settingsChanged(): void
}

function createEngineServices(deps: EngineServicesDeps): EngineServices {
  const {
    home,
    version,
    settings,
    secrets,
    onEnvironmentChanged,
    onModelsChanged,
    log,
    loginShell,
    taskHost,
    systemProxy,
  } = deps
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
  const clientModels = createClientModels({
    file: join(home, 'cache', 'client-models.json'),
    changed: onModelsChanged,
  })
  const listsFile = join(home, 'cache', 'models.json')
  const catalog = createCatalog({
    settings,
    keyFor: secrets.keyFor,
    listsFile,
    ready: environment.ready,
    fetch,
    modelFetch,
    clientModels,
  })
  return {
    environment,
    network,
    catalog,
    clientModels,
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

/** Changes in an engine, for its listeners. */
interface EngineChanges {
  notify(change: EngineChange): void
  /** Notifies the user, once for each text. */
  warn(text: string): void
  /** Returns the function that unsubscribes. */
  onChange(listener: (change: EngineChange) => void): () => void
}

function createEngineChanges(log: (message: string) => void): EngineChanges {
  const listeners = new Set<(change: EngineChange) => void>()
  const warned = new Set<string>()
  const notify = (change: EngineChange): void => {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (error) {
        log(`A listener of the engine failed: ${failureOf(error).message}`)
      }
    }
  }
  return {
    notify,
    warn(text) {
      if (warned.has(text)) return
      warned.add(text)
      log(text)
      notify({ kind: 'notice', text, tone: 'warning' })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** `prefix-<16 hex digits>`: random, so that two processes never create the same id. */
function newId(prefix: string): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`
}
