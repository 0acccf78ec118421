import { closeSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { leadersBySpawn } from './leader-by-spawn'
import { LeaderPool } from './leader-pool'
import { loadNativePty, openMasters, openTerminal } from './open-terminal'
import type { Starter } from './running-process'
import type { Leaders } from './session-leader'
import { TerminalSeat } from './terminal-seat'

/** A seat that was made ready is let go after so long without a command. */
const IDLE_MS = 60_000

/** Starts commands in terminals of their own; rejects when this machine has none to give. */
export async function terminalStarter(leaders: Leaders = bestLeaders()): Promise<Starter> {
  const native = await loadNativePty()
  const probe = openTerminal(native)
  openMasters.delete(probe.master)
  closeSync(probe.slave)
  closeSync(probe.master)
  let ready: { env: string; seat: TerminalSeat; idle: NodeJS.Timeout } | undefined
  /** The seat that is ready if it fits and is sound; else it is let go. */
  const takeReady = (env: string | undefined): TerminalSeat | undefined => {
    const found = ready
    ready = undefined
    clearTimeout(found?.idle)
    if (found && !found.seat.isOver && found.env === env) return found.seat
    found?.seat.dismiss()
    return undefined
  }
  return {
    start: (start, events) => (takeReady(JSON.stringify(start.env)) ?? new TerminalSeat(native, leaders, start.env)).run(start, events),
    warm(envOf) {
      // Whether it fits is asked when it is used.
      if (ready && !ready.seat.isOver) {
        ready.idle.refresh()
        return
      }
      takeReady(undefined)
      const env = envOf()
      const seat = new TerminalSeat(native, leaders, env)
      ready = { env: JSON.stringify(env), seat, idle: setTimeout(takeReady, IDLE_MS, undefined).unref() }
    },
    close() {
      takeReady(undefined)
      leaders.close()
    },
  }
}

/** macOS has no setsid program, and starts processes without copying anything. */
function bestLeaders(): Leaders {
  const folders = ['/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))]
  const setsid = folders.map((folder) => posix.join(folder, 'setsid')).find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return process.platform === 'linux' && setsid !== undefined ? new LeaderPool(setsid) : leadersBySpawn
}
