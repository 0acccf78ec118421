import { homedir, userInfo } from 'node:os'
import { delimiter } from 'node:path'
import type { ShellEnvironmentView } from '../../../shared/configuration/app'
import type { EnvironmentSettings } from '../config/settings/host-settings'
import { readLoginShell, type LoginShellAnswer, type LoginShellRequest, type NodeProgram } from './login-shell'

/** Set by hosts that were started without the user's shell, such as from a dock or a launcher. */
export interface LoginShellOptions {
  node?: NodeProgram
  limitMs?: number
}

export interface LoginEnvironmentDeps {
  /** Absent: the environment of this process is already complete. */
  loginShell: LoginShellOptions | undefined
  /**
   * The environment of this process, which receives the variables: child processes and key lookups read them from
   * there.
   */
  env: NodeJS.ProcessEnv
  settings(): EnvironmentSettings
  /** Called when the view has changed. */
  changed(): void
  log(message: string): void
  read?(request: LoginShellRequest): Promise<LoginShellAnswer>
}

/** The environment of the user's login shell, read once in the background and again on request. */
export interface LoginEnvironment {
  /**
   * Resolves when the first or a running read has ended; immediately if there is nothing to wait for. Never rejects.
   */
  ready(): Promise<void>
  view(): ShellEnvironmentView
  /** Reads the environment again. */
  read(): Promise<ShellEnvironmentView>
  /** Call when the settings may have changed. */
  settingsChanged(): void
}

export function createLoginEnvironment(deps: LoginEnvironmentDeps): LoginEnvironment {
  const { loginShell, env, settings, changed, log, read = readLoginShell } = deps
  /** The original values of all replaced variables, by name. */
  const before = new Map<string, string | undefined>()
  let seen: Pick<ShellEnvironmentView, 'state'> & Partial<ShellEnvironmentView> = { state: 'inherited' }
  let reading: Promise<void> | undefined
  let asked = ''

  const restore = (keep: Readonly<Record<string, string>>): void => {
    for (const [name, value] of before) {
      if (Object.hasOwn(keep, name)) continue
      before.delete(name)
      if (value === undefined) delete env[name]
      else env[name] = value
    }
  }
  const apply = (taken: Readonly<Record<string, string>>): void => {
    restore(taken)
    for (const [name, value] of Object.entries(taken)) {
      if (!before.has(name)) before.set(name, env[name])
      env[name] = value
    }
  }
  const view = (): ShellEnvironmentView => ({
    ...seen,
    enabled: settings().loginShell,
    path: (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
  })
  const readOnce = async (node: NodeProgram | undefined, limitMs: number | undefined): Promise<void> => {
    const shell = settings().shell ?? loginShellOf(env)
    const began = performance.now()
    const original = Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, before.has(name) ? before.get(name) : value]),
    )
    const answer = await read({
      shell,
      env: original,
      cwd: homedir(),
      ...(node && { node }),
      ...(limitMs !== undefined && { limitMs }),
    })
    const durationMs = Math.round(performance.now() - began)
    if ('env' in answer) {
      apply(answer.env)
      seen = { state: 'ready', shell, durationMs, variables: Object.keys(answer.env).length }
    } else {
      restore({})
      seen = { state: 'failed', shell, durationMs, ...answer }
      log(`the environment of the login shell could not be read: ${answer.problem}`)
    }
  }
  const start = (): Promise<void> => {
    const current = settings()
    asked = JSON.stringify(current)
    if (!loginShell) return Promise.resolve()
    if (!current.loginShell) {
      restore({})
      seen = { state: 'off' }
      changed()
      return Promise.resolve()
    }
    seen = { state: 'reading', shell: current.shell ?? loginShellOf(env) }
    changed()
    const next = (reading ?? Promise.resolve())
      .then(() => readOnce(loginShell.node, loginShell.limitMs))
      .finally(() => {
        if (reading === next) reading = undefined
        changed()
      })
    reading = next
    return next
  }
  void start()

  return {
    ready: () => reading ?? Promise.resolve(),
    view,
    async read() {
      await start()
      return view()
    },
    settingsChanged() {
      if (JSON.stringify(settings()) !== asked) void start()
    },
  }
}

/** `SHELL` if it is set; a launcher may not set it, but the system knows the user's shell. */
export function loginShellOf(env: NodeJS.ProcessEnv): string {
  const named = env['SHELL'] ?? ''
  if (named.startsWith('/')) return named
  try {
    return userInfo().shell ?? '/bin/sh'
  } catch {
    return '/bin/sh'
  }
}
