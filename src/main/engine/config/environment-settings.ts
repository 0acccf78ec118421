import type { TableReader } from './table-reader'

/** `[environment]`: where the environment of commands, servers and hooks comes from. */
export interface EnvironmentSettings {
  /** The desktop app reads the environment of the login shell when it was not started from a terminal. */
  loginShell: boolean
  /** Absolute path of the shell to ask; default: the user's. */
  shell?: string
}

export const DEFAULT_ENVIRONMENT: EnvironmentSettings = { loginShell: true }

/** Reads `[environment]`. */
export function readEnvironmentSettings(reader: TableReader | undefined): EnvironmentSettings {
  if (!reader) return DEFAULT_ENVIRONMENT
  const loginShell = reader.flag('login_shell') ?? DEFAULT_ENVIRONMENT.loginShell
  const shell = reader.string('shell', { test: (path) => path.startsWith('/'), must: 'the absolute path of a shell like "/bin/zsh"' })
  reader.finish()
  return { loginShell, ...(shell !== undefined && { shell }) }
}
