import { failureOf } from '../../../shared/model/errors'
import type { HealthCheck } from '../../../shared/model/health'
import type { ShellEnvironmentView } from '../../../shared/model/shell-environment'
import { openConfig } from '../config/config'
import { createSecrets } from '../config/secrets'
import type { NodeProgram } from '../environment/shell-command'
import { createCatalog, type Catalog } from '../model/catalog'
import { commandEnv } from '../task/command-env'
import type { TaskHostProgram } from '../task/custody/connect-task-host'
import { checkNetwork } from './network-check'
import { checkLoginShell, checkPort, checkTaskHost } from './process-checks'
import { checkGit, checkModules, checkRipgrep, checkSandbox } from './program-checks'
import { checkConfig, checkModel, checkSearch, checkServers } from './settings-checks'
import { checkClock, checkDatabase, checkDisk, checkHome } from './storage-checks'

export interface HealthContext {
  env: NodeJS.ProcessEnv
  /** Absent: it is not looked whether background commands can run. */
  taskHost?: TaskHostProgram
  /** What the login shell is read with, and what is known of it already. */
  node?: NodeProgram
  loginShell?: ShellEnvironmentView
  systemProxy?(url: string): Promise<string>
  /** Of an engine that can read the keys of the system's key store. */
  catalog?: Pick<Catalog, 'resolve' | 'defaultModel'>
  now?: () => number
}

/** Looks at everything that Trestle needs. One check that fails never keeps another from being made; nothing is repaired. */
export async function runChecks(context: HealthContext): Promise<HealthCheck[]> {
  const { env, taskHost, node, loginShell, systemProxy, now = Date.now } = context
  const { check: homeCheck, home } = checkHome()
  const anywhere = [() => checkGit(env), checkRipgrep, checkModules]
  if (home === undefined) return [homeCheck, ...(await all(anywhere))]
  const config = await openConfig({ home, env })
  config.close()
  const { settings, problems, file } = config
  const secrets = createSecrets({ home, env })
  const catalog = context.catalog ?? createCatalog({ settings: () => settings, keyFor: secrets.keyFor })
  const found = await all([
    () => checkDisk(home),
    () => checkConfig(file, problems),
    () => checkModel(catalog),
    () => checkSearch(settings, env),
    () => checkDatabase(home),
    () => taskHost && checkTaskHost(home, taskHost, commandEnv(env, settings)),
    () => checkSandbox(settings.sandbox, env),
    ...anywhere,
    () => checkLoginShell(settings.environment, { env, ...(node && { node }), ...(loginShell && { known: loginShell }) }),
    () => checkServers(home, env),
    () => checkNetwork(settings.network, { env, ...(systemProxy && { systemProxy }) }),
    () => checkPort(home),
    () => checkClock(home, now()),
  ])
  return [homeCheck, ...found]
}

/** In order. */
async function all(checks: readonly (() => Promise<HealthCheck> | HealthCheck | undefined)[]): Promise<HealthCheck[]> {
  const found: HealthCheck[] = []
  for (const check of checks) {
    try {
      const result = await check()
      if (result) found.push(result)
    } catch (error) {
      found.push({ id: 'internal', title: 'A check', status: 'failed', detail: `It could not be made: ${failureOf(error).message}` })
    }
  }
  return found
}
