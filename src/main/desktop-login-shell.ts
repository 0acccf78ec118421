import type { LoginShellOptions } from './engine/environment/login-environment'
import { plainNode } from './engine/runtime/plain-node'

/** Set in the environment of a desktop app that `trestle desktop` starts: it has the environment of that terminal. */
export const STARTED_BY_COMMAND = 'TRESTLE_CLI'

/**
 * Whether the desktop app was started from a dock, a menu or a launcher, whose environment lacks what the user's shell sets, and what to read the shell's
 * environment with then. Windows gives programs the user's whole environment however they are started.
 */
export function desktopLoginShell({ env, platform }: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform }): LoginShellOptions | undefined {
  const hasTerminal = (env['TERM'] ?? 'dumb') !== 'dumb'
  if (platform === 'win32' || env[STARTED_BY_COMMAND] !== undefined || hasTerminal) return undefined
  return { node: { path: plainNode() } }
}
