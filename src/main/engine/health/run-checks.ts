import { release, totalmem, type } from 'node:os'
import { delimiter } from 'node:path'
import { failureOf } from '../../../shared/errors'
import type { HealthCheck, ShellEnvironmentView, DiagnosticsReport } from '../../../shared/configuration/app'
import { openConfig } from '../config/config'
import { createSecrets } from '../config/key-store/secrets'
import type { NodeProgram } from '../environment/login-shell'
import { createCatalog, type Catalog } from '../model/catalog/catalog'
import { commandEnv } from '../environment/command-env'
import type { TaskHostProgram } from '../task/client/host-connector'
import { checkNetwork, checkLoginShell, checkPort, checkTaskHost } from './system-checks'
import { checkGit, checkModules, checkRipgrep, checkSandbox } from './program-checks'
import { checkConfig, checkModel, checkModelsTable, checkSearch, checkServers } from './settings-checks'
import { checkClock, checkDatabase, checkDisk, checkHome } from './storage-checks'
import { recentErrors } from './app-log'

interface HealthContext {
  env: NodeJS.ProcessEnv
  /** Absent: does not check whether background commands can run. */
  taskHost?: TaskHostProgram
  /** How to read the login shell, and what is already known about it. */
  node?: NodeProgram
  loginShell?: ShellEnvironmentView
  systemProxy?(url: string): Promise<string>
  /** The catalog of an engine that can read the keys in the system's key store. */
  catalog?: Pick<Catalog, 'resolve' | 'defaultModel'>
  now?: () => number
}

/** Checks everything that Trestle needs. A failing check never prevents another; nothing is repaired. */
async function runChecks(context: HealthContext): Promise<HealthCheck[]> {
  const { env, taskHost, node, loginShell, systemProxy, now = Date.now } = context
  const { check: homeCheck, home } = checkHome()
  const anywhere = [() => checkGit(env), checkRipgrep, checkModules]
  if (home === undefined) return [homeCheck, ...(await all(anywhere))]
  const config = await openConfig({ home, env })
  config.close()
  const { settings, problems, file } = config
  const secrets = createSecrets({ home, env })
  const catalog = context.catalog ?? createCatalog({ settings: () => settings, keyFor: secrets.keyFor })
  const disk = checkDisk(home)
  const found = await all([
    () => disk,
    () => checkConfig(file, problems),
    () => checkModelsTable(),
    () => checkModel(catalog),
    () => checkSearch(settings, env),
    () => checkDatabase(home),
    () => taskHost && checkTaskHost(home, taskHost, { env: commandEnv(env, settings), disk }),
    () => checkSandbox(settings.sandbox, env),
    ...anywhere,
    () =>
      checkLoginShell(settings.environment, { env, ...(node && { node }), ...(loginShell && { known: loginShell }) }),
    () => checkServers(home, env),
    () => checkNetwork(settings.network, { env, ...(systemProxy && { systemProxy }) }),
    () => checkPort(home),
    () => checkClock(home, now()),
  ])
  return [homeCheck, ...found]
}

/** Runs the checks in order. */
async function all(checks: readonly (() => Promise<HealthCheck> | HealthCheck | undefined)[]): Promise<HealthCheck[]> {
  const found: HealthCheck[] = []
  for (const check of checks) {
    try {
      const result = await check()
      if (result) found.push(result)
    } catch (error) {
      found.push({
        id: 'internal',
        title: 'A check',
        status: 'failed',
        detail: `It could not be made: ${failureOf(error).message}`,
      })
    }
  }
  return found
}

export type DiagnosticsSection = DiagnosticsReport['sections'][number]

export interface ReportContext extends HealthContext {
  version: string
  /** Undefined if there is no usable one. */
  home: string | undefined
  /** Sections from the host: the key store, the browser engine. */
  more?: readonly DiagnosticsSection[]
  redact(text: string): string
}

/** Everything that support needs to know, including the problems found. */
export async function diagnosticsReport(context: ReportContext): Promise<DiagnosticsReport> {
  const { version, home, more = [], redact, now = Date.now, loginShell, env } = context
  const { node, electron, chrome } = process.versions
  const sections: DiagnosticsSection[] = [
    { title: 'Trestle', facts: [fact('Version', version), fact('Home folder', home ?? 'none')] },
    {
      title: 'System',
      facts: [
        fact('Operating system', `${type()} ${release()} (${process.platform}, ${process.arch})`),
        fact('Memory', `${Math.round(totalmem() / 1024 ** 3)} GB`),
        fact('Node', node),
        ...(electron === undefined ? [] : [fact('Electron', `${electron} (Chromium ${chrome ?? '?'})`)]),
      ],
    },
    { title: 'Shell environment', facts: shellFacts(loginShell, env) },
    ...more,
  ]
  const checks = await runChecks(context)
  return {
    at: now(),
    sections: sections.map(({ title, facts }) => ({
      title,
      facts: facts.map(({ name, value }) => fact(name, redact(value))),
    })),
    checks: checks.map((check) => ({ ...check, detail: redact(check.detail) })),
    errors: home === undefined ? [] : recentErrors(home).map(({ at, message }) => ({ at, message: redact(message) })),
  }
}

const STATES: Readonly<Record<ShellEnvironmentView['state'], string>> = {
  inherited: 'From the terminal or program that started Trestle',
  off: 'Login shell turned off in Settings',
  reading: 'Reading the login shell',
  ready: 'From the login shell',
  failed: 'Login shell failed; from the program that started Trestle',
}

function shellFacts(view: ShellEnvironmentView | undefined, env: NodeJS.ProcessEnv): DiagnosticsSection['facts'] {
  return [
    fact('Source', STATES[view?.state ?? 'inherited']),
    ...(view?.shell === undefined ? [] : [fact('Shell', view.shell)]),
    fact('PATH', view ? view.path.join(delimiter) : (env['PATH'] ?? '')),
  ]
}

function fact(name: string, value: string): DiagnosticsSection['facts'][number] {
  return { name, value }
}
