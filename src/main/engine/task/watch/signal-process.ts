import type { ProcessEntry } from './process-entry'
import { isStillThere } from './process-table'

/** Signals that very process, never a later one of the same number, nor ourselves. False: it is gone, or not ours to signal. */
export function signalProcess(entry: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(entry.pid) && isStillThere(entry) && send(entry.pid, signal)
}

/**
 * Signals the whole process group that `member` is in: all at once, so that none of them can start another meanwhile. The number cannot be
 * somebody else's while a member lives.
 */
export function signalGroupOf(member: ProcessEntry, signal: NodeJS.Signals): boolean {
  return isOther(member.group) && isStillThere(member) && send(-member.group, signal)
}

function isOther(id: number): boolean {
  // 0 and 1 would reach our own group and everybody.
  return id > 1 && id !== process.pid
}

function send(id: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(id, signal)
    return true
  } catch {
    return false
  }
}
