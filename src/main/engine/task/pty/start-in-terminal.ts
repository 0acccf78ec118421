import { closeSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { isOpenFileLimitLow } from '../../process/file-descriptors'
import { spawnedShells } from '../../process/spawn'
import { ShellPool } from './shell-pool'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import { loadNativePty, openTerminal } from './open-terminal'
import type { Starter } from '../running-process'
import { type ShellLauncher, openPtyMasters } from '../../process/shell-process'
import { SandboxedTerminals } from './sandboxed-terminals'
import { CommandTerminal } from './command-terminal'

/** A prepared terminal is released after this long without a command. */
const IDLE_MS = 60_000

/** A terminal and its shell, waiting for a command. */
interface ReadyTerminal {
  /** Identifies the environment and the policy, which must be the same as the command's. */
  key: string
  /** Identifies the policy alone. */
  policy: string
  terminal: CommandTerminal
  launcher: ShellLauncher
  idle: NodeJS.Timeout
  /** When it was last compared with the project; ms. */
  checkedAt: number
}

/** How often, at most, a prepared terminal is compared with the project while no command needs it. */
const CHECK_INTERVAL_MS = 250

/** Starts commands in terminals of their own; rejects if this machine has no terminals. */
export async function terminalStarter(launcher: ShellLauncher = bestLauncher()): Promise<Starter> {
  const native = await loadNativePty()
  const probe = openTerminal(native)
  openPtyMasters.delete(probe.master)
  closeSync(probe.slave)
  closeSync(probe.master)
  const sandboxed = new SandboxedTerminals(native)
  const launcherFor = (sandbox: SandboxPolicy | undefined, env: Record<string, string>): ShellLauncher =>
    sandbox ? sandboxed.launcherFor(sandbox, env) : launcher
  let ready: ReadyTerminal | undefined
  /** The prepared terminal if it matches and is alive; otherwise it is released. */
  const takeReady = (key: string | undefined): CommandTerminal | undefined => {
    const found = ready
    ready = undefined
    clearTimeout(found?.idle)
    if (found && !found.terminal.isOver && found.key === key && found.launcher.isCurrent?.() !== false)
      return found.terminal
    found?.terminal.dismiss()
    return undefined
  }
  return {
    start(start, events) {
      const { env, sandbox } = start
      const terminal = takeReady(keyOf(env, sandbox)) ?? new CommandTerminal(native, launcherFor(sandbox, env), env)
      return terminal.run(start, events)
    },
    warm(envOf, sandbox) {
      if (ready && !ready.terminal.isOver && ready.policy === policyKey(sandbox)) {
        const now = performance.now()
        const isDue = now - ready.checkedAt > CHECK_INTERVAL_MS
        if (isDue) ready.checkedAt = now
        if (!isDue || ready.launcher.isCurrent?.() !== false) {
          ready.idle.refresh()
          return
        }
      }
      takeReady(undefined)
      if (isOpenFileLimitLow()) return
      const env = envOf()
      const launcher = launcherFor(sandbox, env)
      const terminal = terminalOrNone(() => new CommandTerminal(native, launcher, env))
      if (!terminal) return
      const idle = setTimeout(takeReady, IDLE_MS, undefined).unref()
      ready = {
        key: keyOf(env, sandbox),
        policy: policyKey(sandbox),
        terminal,
        launcher,
        idle,
        checkedAt: performance.now(),
      }
    },
    close() {
      takeReady(undefined)
      sandboxed.close()
      launcher.close()
    },
  }
}

/** Preparing may fail: the command that needs it reports why. */
function terminalOrNone(make: () => CommandTerminal): CommandTerminal | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function policyKey(sandbox: SandboxPolicy | undefined): string {
  return sandbox ? JSON.stringify(sandbox) : ''
}

function keyOf(env: Record<string, string>, sandbox: SandboxPolicy | undefined): string {
  return JSON.stringify([env, sandbox])
}

/** macOS has no setsid program, and starts processes without copying page tables. */
function bestLauncher(): ShellLauncher {
  const folders = [
    '/usr/bin',
    '/bin',
    ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/')),
  ]
  const setsid = folders
    .map((folder) => posix.join(folder, 'setsid'))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return process.platform === 'linux' && setsid !== undefined ? new ShellPool(setsid) : spawnedShells
}
