import type { ExitStatus } from './running-process'

/** What a leader is started for. */
export interface LeaderStart {
  /** Path of the terminal's side for programs. */
  terminal: string
  shell: string
  command: string
  cwd: string
  env: Record<string, string>
  taskId: string
}

export interface LeaderEvents {
  /** The command ended. */
  exit: (status: ExitStatus) => void
  /** The leader could not be started; nothing else is called. */
  error: (error: Error) => void
}

/** The process that leads the session of one command. */
export interface Leader {
  /** Resolves a moment after the start; undefined when it could not be started. */
  pid: Promise<number | undefined>
}

/** A way to start leaders. */
export interface Leaders {
  /** Throws nothing. */
  start(start: LeaderStart, events: LeaderEvents): Leader
  /** Gets ready for commands with this environment. */
  warm(env: Record<string, string>): void
  /** Lets go of what `warm` made; leaders run on. */
  close(): void
}

/**
 * Run by sh as the leader of a new session, with SHELL COMMAND TERMINAL ID. Opening the terminal makes it the session's own, so that programs
 * find it as /dev/tty; `-opost` lets output through ten times as fast, and with `-echo` what a person types there never becomes output. With job control (`set -m`) the command gets a process group of its
 * own: when it ends, what it left in the background is not hung up, as it would be if the command itself led the session. The group's number
 * is the first line of the output, before anything of the command. If an ID is given, the leader's own number goes to file 3.
 */
export const LEADER_SCRIPT = `[ -z "$4" ] || echo "$4 pid $$" >&3
exec <>"$3" >&0 2>/dev/null; stty -opost -echo; exec </dev/null; set -m
( read -r p x </proc/self/stat || p=$(exec sh -c 'echo $PPID'); printf '%s\\n' "$p"; exec "$1" -c -- "$2" 2>&1 3>&- )
exit $?`
