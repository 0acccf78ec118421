import type { LoginShellOptions } from './engine/environment/login-environment'
import { taskHostProgram } from './task-host-program'

/** Set in the environment of a desktop app that `trestle desktop` starts: it has the environment of that terminal. */
export const STARTED_BY_COMMAND = 'TRESTLE_CLI'

/**
 * Whether the desktop app was started from a dock, a menu or a launcher, whose environment lacks what the user's shell sets, and what to read the shell's
 * environment with then. Windows gives programs the user's whole environment however they are started.
 */
export function desktopLoginShell({
  env,
  platform,
  isPackaged,
}: {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  isPackaged: boolean
}): LoginShellOptions | undefined {
  const hasTerminal = (env['TERM'] ?? 'dumb') !== 'dumb'
  if (platform === 'win32' || env[STARTED_BY_COMMAND] !== undefined || hasTerminal) return undefined
  const { program, env: asNode } = taskHostProgram()
  const [path] = program
  // A packaged Electron ignores ELECTRON_RUN_AS_NODE: it would open the app once more.
  const canRun = path !== undefined && !(isPackaged && asNode?.['ELECTRON_RUN_AS_NODE'] !== undefined)
  return canRun ? { node: { path, ...(asNode && { env: asNode }) } } : {}
}
