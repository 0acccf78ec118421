import type { ShellResult } from './launcher'
import { createLocalShell } from './local-shell'
import { runScript, startChannel } from './shell-run'

export interface LocalCommandOptions {
  signal?: AbortSignal | undefined
  env?: NodeJS.ProcessEnv
}

/** Runs a program of this machine to its end; exit code 127 if it is not installed. */
export function runLocal(
  program: string,
  args: readonly string[],
  { signal, env }: LocalCommandOptions = {},
): Promise<ShellResult> {
  const shell = { ...createLocalShell(), start: () => startChannel(program, args, env ? { env } : {}) }
  return runScript(shell, '', signal ? { signal } : {})
}
