import { inSession } from '../../process/kill/kill-process-tree'
import { readLink, namesIn, readProc } from '../../process/proc-files'
import type { ProcessTable } from '../../process/process-table'

/** Further processes are not checked. */
const MAX_PROCESSES = 64
/** The access mode bits of a file's flags, which the kernel prints in octal; 0 is read-only. */
const ACCESS_MODE = 0o3

/**
 * Whether a process in the session of `shellPid` reads a pipe that has no writer left and is still working: a filter on
 * the output of an ended command (`> >(sort)`), which only the reader of its output waits for. A sleeping one is doing
 * something else. Linux only.
 */
export function isFilterRunning(table: ProcessTable, shellPid: number): boolean {
  if (process.platform !== 'linux') return false
  const members = inSession(table, shellPid, []).slice(0, MAX_PROCESSES)
  const inputs = members.flatMap(({ pid, state }) => {
    const input = state === 'R' || state === 'D' ? readLink(`/proc/${pid}/fd/0`) : ''
    return input.startsWith('pipe:') ? [input] : []
  })
  return inputs.some((input) => !members.some(({ pid }) => writesTo(pid, input)))
}

function writesTo(pid: number, pipe: string): boolean {
  return namesIn(`/proc/${pid}/fd`).some((file) => {
    if (readLink(`/proc/${pid}/fd/${file}`) !== pipe) return false
    const flags = /^flags:\s*([0-7]+)/m.exec(readProc(`/proc/${pid}/fdinfo/${file}`))?.[1] ?? '1'
    return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0
  })
}
