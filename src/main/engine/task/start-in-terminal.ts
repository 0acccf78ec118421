import { closeSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { descriptorsAreFew } from '../descriptors'
import { leadersBySpawn } from './leader-by-spawn'
import { LeaderPool } from './leader-pool'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { loadNativePty, openMasters, openTerminal } from './open-terminal'
import type { Starter } from './running-process'
import type { Leaders } from './session-leader'
import { SandboxedTerminals } from './sandboxed/sandboxed-leaders'
import { TerminalSeat } from './terminal-seat'

/** A seat that was made ready is let go after so long without a command. */
const IDLE_MS = 60_000

/** A terminal and its leader, waiting for a command. */
interface ReadySeat {
  /** Of the environment and the policy: the command must have the same. */
  key: string
  /** Of the policy alone. */
  policy: string
  seat: TerminalSeat
  leaders: Leaders
  idle: NodeJS.Timeout
  /** When it was last compared with the project; ms. */
  lookedAt: number
}

/** Whether a ready seat still fits the project is looked at this often at most, while no command needs it. */
const LOOK_MS = 250

/** Starts commands in terminals of their own; rejects when this machine has none to give. */
export async function terminalStarter(leaders: Leaders = bestLeaders()): Promise<Starter> {
  const native = await loadNativePty()
  const probe = openTerminal(native)
  openMasters.delete(probe.master)
  closeSync(probe.slave)
  closeSync(probe.master)
  const sandboxed = new SandboxedTerminals(native)
  const leadersFor = (sandbox: SandboxPolicy | undefined, env: Record<string, string>): Leaders =>
    sandbox ? sandboxed.leaders(sandbox, env) : leaders
  let ready: ReadySeat | undefined
  /** The seat that is ready if it fits and is sound; else it is let go. */
  const takeReady = (key: string | undefined): TerminalSeat | undefined => {
    const found = ready
    ready = undefined
    clearTimeout(found?.idle)
    if (found && !found.seat.isOver && found.key === key && found.leaders.isCurrent?.() !== false) return found.seat
    found?.seat.dismiss()
    return undefined
  }
  return {
    start(start, events) {
      const { env, sandbox } = start
      const seat = takeReady(keyOf(env, sandbox)) ?? new TerminalSeat(native, leadersFor(sandbox, env), env)
      return seat.run(start, events)
    },
    warm(envOf, sandbox) {
      if (ready && !ready.seat.isOver && ready.policy === policyKey(sandbox)) {
        const now = performance.now()
        const isDue = now - ready.lookedAt > LOOK_MS
        if (isDue) ready.lookedAt = now
        if (!isDue || ready.leaders.isCurrent?.() !== false) {
          ready.idle.refresh()
          return
        }
      }
      takeReady(undefined)
      if (descriptorsAreFew()) return
      const env = envOf()
      const leaders = leadersFor(sandbox, env)
      const seat = seatOrNone(() => new TerminalSeat(native, leaders, env))
      if (!seat) return
      const idle = setTimeout(takeReady, IDLE_MS, undefined).unref()
      ready = { key: keyOf(env, sandbox), policy: policyKey(sandbox), seat, leaders, idle, lookedAt: performance.now() }
    },
    close() {
      takeReady(undefined)
      sandboxed.close()
      leaders.close()
    },
  }
}

/** What is only made ready may fail: the command that needs it says why. */
function seatOrNone(make: () => TerminalSeat): TerminalSeat | undefined {
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
function bestLeaders(): Leaders {
  const folders = ['/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))]
  const setsid = folders.map((folder) => posix.join(folder, 'setsid')).find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return process.platform === 'linux' && setsid !== undefined ? new LeaderPool(setsid) : leadersBySpawn
}
