import { accessSync, constants, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ProcessEntry } from './proc-files'

/** What a leader is given to run. */
export interface ShellCommand {
  shell: string
  command: string
  cwd: string
  taskId: string
}

export interface ShellEvents {
  /** The command ended; or, when none was given, the leader did. */
  exit: (status: ExitStatus) => void
  /** The command may have been stopped by a signal; `answer` is called when it is known that it is gone, or runs again. Absent: it is gone. */
  paused?: (answer: (text: typeof RESUMED | typeof GONE) => void) => void
  /** The leader or its command could not be started; nothing else is called. */
  error: (error: Error) => void
}

/** The process that leads the session of one command. It waits for it with its terminal open. */
export interface ShellProcess {
  /** Resolves when it is ready; undefined when it could not be started. */
  pid: Promise<number | undefined>
  /** Gives it its command, ready or not; once. */
  run(command: ShellCommand): void
  /** What adopts the processes that the command leaves, where there is such a thing; undefined once none is left. */
  subreaper?(): Subreaper | undefined
  /** Lets one go that has no command. */
  dismiss(): void
}

/** A way to start leaders. */
export interface ShellLauncher {
  /** Opens the terminal of the next command, where these leaders have terminals of their own. */
  open?(): OpenTerminal
  /** Until `run`, the leader does not keep our process alive. Throws nothing. */
  start(terminal: OpenTerminal, env: Record<string, string>, events: ShellEvents): ShellProcess
  /** Whether a leader started earlier still has what a new one would get; absent: always. */
  isCurrent?(): boolean
  /** Hosts that the sandbox of these leaders refused at or after a time (ms since the epoch). */
  deniedHosts?(since: number): { host: string; port: number }[]
  /** Whether their sandbox may show secrets, because the project is too large to be searched as a whole. */
  isIncomplete?(): boolean
  /** Lets go of everything that has no command; leaders with one run on. */
  close(): void
}

/**
 * Run by sh as the leader of a new session, with TERMINAL and what its reports begin with as arguments; file 0 brings its order, file 3 takes its reports. File 5, if it is
 * open, is where TERMINAL comes from. Opening the terminal makes it the
 * session's own, so that programs find it as /dev/tty; `-opost` lets output through ten times as fast, and with `-echo` what a person types there never
 * becomes output. With job control (`set -m`) the command gets a process group of its own: when it ends, what it left in the background is not hung up, as
 * it would be if the command itself led the session. The group's number is the first line of the output, before anything of the command; the quickest way for
 * a subshell to learn its number is to go to /proc/self. The environment gets the task's mark before the command is executed, so that a search finds it there.
 * With job control a command that stops (SIGSTOP) looks as if it had ended with a code of 128 and more: whether it has, is asked (`paused`) and answered, `gone` or, once it goes
 * on or is dead, `go`. A shell with stopped jobs takes no first `exit`.
 * Nothing of the user's environment begins with `trestle_`, so no variable of this script is one of the command's.
 */
export const SHELL_SCRIPT = `exec 4<&0 <>"$1" >&0 2>/dev/null 5<&-; trestle_t=$2; stty -opost -echo; exec </dev/null; set -m
trestle_n='
'
run() {
  ( if cd -P /proc/self; then trestle_p=\${PWD#/proc/}; else trestle_p=$(exec sh -c 'echo $PPID'); fi
    cd -P -- "$2" || { echo "\${trestle_t}failed" >&3; exit 1; }
    unset OLDPWD
    export TRESTLE_TASK="$1"
    printf '%s\\n' "$trestle_p"
    exec "$3" -c -- "$4" 2>&1 3>&- 4<&- )
}
echo "\${trestle_t}pid $$" >&3
IFS= read -r trestle_order <&4 || exit 0
eval "$trestle_order"
trestle_s=$?
while :; do
  case $trestle_s in 14[5-9]|150) echo "\${trestle_t}paused" >&3 ;; *) break ;; esac
  IFS= read -r trestle_order <&4 || break
  [ "$trestle_order" = go ] || break
  fg >/dev/null
  trestle_s=$?
done
exit "$trestle_s"
exit "$trestle_s"`

/** One line that tells a leader what to run. */
export function shellOrder({ taskId, cwd, shell, command }: ShellCommand): string {
  return `run ${[taskId, cwd, shell, command].map((word) => shellQuote(word).replaceAll('\n', `'"$trestle_n"'`)).join(' ')}\n`
}

/** Answers to `paused`. */
export const RESUMED = 'go\n'
export const GONE = 'gone\n'

/** Passes on the question of a leader. */
export function askPaused({ paused }: ShellEvents, answer: (text: typeof RESUMED | typeof GONE) => void): void {
  if (paused) paused(answer)
  else answer(GONE)
}

/** For a leader that is not needed. */
export const DISMISSAL = 'exit 0\n'

/** For sh: everything in single quotes stands for itself. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** No report is longer. */
const MAX_REPORT_CHARS = 10_000

/** Calls `report` with each line; what is too long to be one is dropped. */
export function readReports(reports: Socket, report: (line: string) => void): void {
  let rest = ''
  reports.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(-MAX_REPORT_CHARS)
    for (const line of lines) report(line)
  })
}

/** Why a command could not be started. */
export function startProblem(cwd: string | undefined): Error {
  try {
    if (cwd !== undefined) {
      if (!statSync(cwd).isDirectory()) return Object.assign(new Error(`${cwd} is not a folder`), { code: 'ENOTDIR' })
      accessSync(cwd, constants.X_OK)
    }
  } catch (error) {
    if (error instanceof Error) return error
  }
  return new Error('the system refused to start it; perhaps it is too long, or too many processes are running')
}

/** Our ends of all open terminals. Whoever opens one adds it and takes it out when it is closed. */
export const openPtyMasters = new Set<number>()

export interface OpenTerminal {
  /** Our end. */
  master: number
  /** The programs' end, held open until they have it; not inherited by anybody. */
  slave: number
  path: string
}

export interface ExitStatus {
  exitCode?: number
  signal?: string
}

/** A process below which there is only what belongs to one task. */
export type Subreaper = Pick<ProcessEntry, 'pid' | 'started'>
