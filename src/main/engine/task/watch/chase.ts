import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Mark } from './mark'
import { ownMark } from './marked-processes'
import { runningPids, statOf } from './proc-files'
import type { ProcessEntry } from './process-entry'
import { signalProcess } from './signal-process'

/** Looks without a find after which there is nothing. */
const ENOUGH_LOOKS = 3
const MOST_MS = 400

/**
 * Catches what is gone whenever somebody comes to look: a program that starts itself anew and ends, a few hundred times a second. It looks only
 * at processes that are not in `known`, one after the other as fast as they come, and stops each of them in its tracks at once. Ends after a few looks in vain;
 * with `isSuspicious`, when some were seen doing this, only when one is caught or after a while.
 */
export async function chase(isWanted: (mark: Mark) => boolean, known: Iterable<number>, isSuspicious: boolean): Promise<ProcessEntry[]> {
  if (process.platform !== 'linux') return []
  const judged = new Set(known)
  const caught: ProcessEntry[] = []
  const end = performance.now() + MOST_MS
  let inVain = 0
  const isEnough = (): boolean => inVain >= ENOUGH_LOOKS && (caught.length > 0 || !isSuspicious)
  while (!isEnough() && performance.now() < end) {
    inVain++
    for (const pid of runningPids()) {
      if (judged.has(pid)) continue
      const mark = ownMark({ pid })
      const entry = mark && isWanted(mark) ? statOf(pid) : undefined
      if (mark === undefined && statOf(pid) === undefined) continue
      judged.add(pid)
      if (!entry || !signalProcess(entry, 'SIGSTOP')) continue
      caught.push(entry)
      inVain = 0
    }
    await nextTurn()
  }
  for (const entry of caught) signalProcess(entry, 'SIGKILL')
  return caught
}
