import { readProc } from './proc-files'
import type { ProcessEntry } from './process-entry'

const MOST_CHARS = 120

/** The command line of a process in one line, shortened; its name in brackets when it has none, as ps writes it. */
export function commandOf({ pid, command, name }: ProcessEntry): string {
  const text = Buffer.from(command ?? readProc(`/proc/${pid}/cmdline`), command === undefined ? 'latin1' : 'utf8').toString('utf8')
  // What a command was given may hold line ends and escape codes.
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (line === '') return `[${name}]`
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line
}
