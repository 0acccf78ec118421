import { inSession } from '../../process/kill-process-tree'
import { readLink, namesIn, readProc } from '../../process/proc-files'
import type { ProcessTable } from '../../process/process-table'

/** More are not looked into. */
const MAX_PROCESSES = 64
/** The bits of a file's flags that say whether it is only read from, as the kernel prints them: in octal. */
const ACCESS_MODE = 0o3

/**
 * Whether a process in the session that `leader` began has been given all of its input through a pipe and is at work: what filtered the output of a command that has ended
 * (`> >(sort)`), which nobody waits for but the reader of its output. One that sleeps does something else. Only Linux tells.
 */
export function isFilterRunning(table: ProcessTable, leader: number): boolean {
  if (process.platform !== 'linux') return false
  const members = inSession(table, leader, []).slice(0, MAX_PROCESSES)
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
