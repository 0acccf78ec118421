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

/** A seat that was made ready is let go after so long without a command. */
const IDLE_MS = 60_000

/** A terminal and its leader, waiting for a command. */
interface ReadyTerminal {
  /** Of the environment and the policy: the command must have the same. */
  key: string
  /** Of the policy alone. */
  policy: string
  terminal: CommandTerminal
  launcher: ShellLauncher
  idle: NodeJS.Timeout
  /** When it was last compared with the project; ms. */
  checkedAt: number
}

/** Whether a ready seat still fits the project is looked at this often at most, while no command needs it. */
const CHECK_INTERVAL_MS = 250

/** Starts commands in terminals of their own; rejects when this machine has none to give. */
export async function terminalStarter(leaders: ShellLauncher = bestLauncher()): Promise<Starter> {
  const native = await loadNativePty()
  const probe = openTerminal(native)
  openPtyMasters.delete(probe.master)
  closeSync(probe.slave)
  closeSync(probe.master)
  const sandboxed = new SandboxedTerminals(native)
  const leadersFor = (sandbox: SandboxPolicy | undefined, env: Record<string, string>): ShellLauncher =>
    sandbox ? sandboxed.leaders(sandbox, env) : leaders
  let ready: ReadyTerminal | undefined
  /** The seat that is ready if it fits and is sound; else it is let go. */
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
      const seat = takeReady(keyOf(env, sandbox)) ?? new CommandTerminal(native, leadersFor(sandbox, env), env)
      return seat.run(start, events)
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
      const launcher = leadersFor(sandbox, env)
      const seat = terminalOrNone(() => new CommandTerminal(native, launcher, env))
      if (!seat) return
      const idle = setTimeout(takeReady, IDLE_MS, undefined).unref()
      ready = {
        key: keyOf(env, sandbox),
        policy: policyKey(sandbox),
        terminal: seat,
        launcher,
        idle,
        checkedAt: performance.now(),
      }
    },
    close() {
      takeReady(undefined)
      sandboxed.close()
      leaders.close()
    },
  }
}

/** What is only made ready may fail: the command that needs it says why. */
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

/** macOS has no setsid program, and starts processes without copying anything. */
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
