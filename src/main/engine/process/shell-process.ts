import { accessSync, constants, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ProcessEntry } from './proc-files'

/** The command a shell runs. */
export interface ShellCommand {
  shell: string
  command: string
  cwd: string
  taskId: string
}

export interface ShellEvents {
  /** The command ended or, without a command, the shell. */
  exit: (status: ExitStatus) => void
  /**
   * The command may have been stopped by a signal; `answer` must be called once it is known to have exited or resumed.
   * Absent: it has exited.
   */
  paused?: (answer: (text: typeof RESUMED | typeof GONE) => void) => void
  /** The shell or its command could not be started; no other event follows. */
  error: (error: Error) => void
}

/** The shell that leads the session of one command. It waits for the command and keeps its terminal open. */
export interface ShellProcess {
  /** Resolves when it is ready; undefined if it could not be started. */
  pid: Promise<number | undefined>
  /** Sends it its command; it need not be ready yet. Call it at most once. */
  run(command: ShellCommand): void
  /** The process that adopts processes the command leaves behind, where supported; undefined once none are left. */
  subreaper?(): Subreaper | undefined
  /** Ends a shell without a command. */
  dismiss(): void
}

/** Starts shells. */
export interface ShellLauncher {
  /** Opens the terminal of the next command, if these shells have terminals of their own. */
  open?(): OpenTerminal
  /** Until `run`, the shell does not keep our process alive. Never throws. */
  start(terminal: OpenTerminal, env: Record<string, string>, events: ShellEvents): ShellProcess
  /** Whether shells started earlier have the same set-up as a new one; absent: always. */
  isCurrent?(): boolean
  /** Hosts that the sandbox of these shells refused at or after a time (ms since the epoch). */
  deniedHosts?(since: number): { host: string; port: number }[]
  /** Whether their sandbox may expose secrets, because the project is too large to be searched completely. */
  isIncomplete?(): boolean
  /** Releases everything that has no command; shells with a command keep running. */
  close(): void
}

/**
 * Run by sh as the leader of a new session, with TERMINAL and the prefix of its reports as arguments; it reads its
 * order from fd 0 and writes its reports to fd 3. TERMINAL is relative to fd 5 if that is open.
 * Opening the terminal makes it the controlling terminal of the session, so that programs find it as /dev/tty; `-opost`
 * makes output ten times as fast, and `-echo` keeps what the user types there out of the output. With job control (`set
 * -m`) the command gets its own process group: when it ends, background processes are not hung up, as they would be if
 * the command itself led the session. The group id is the first line of the output, before any output of the command;
 * changing to /proc/self is the quickest way for a subshell to learn it. The environment gets the task's tag before the
 * command is executed, so that a scan finds it there.
 * With job control a command that stops (SIGSTOP) looks as if it had exited with a code of 128 or more: the shell
 * reports `paused` and gets the answer `gone` or, once the command is resumed or dead, `go`. A shell with stopped jobs
 * ignores the first `exit`.
 * No variable of the user's environment starts with `trestle_`, so the variables of this script cannot clash.
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

/** The line that tells a shell what to run. */
export function shellOrder({ taskId, cwd, shell, command }: ShellCommand): string {
  return (
    'run ' +
    `${[taskId, cwd, shell, command].map((word) => shellQuote(word).replaceAll('\n', `'"$trestle_n"'`)).join(' ')}\n`
  )
}

/** Answers to `paused`. */
export const RESUMED = 'go\n'
export const GONE = 'gone\n'

/** Forwards a shell's `paused` report. */
export function askPaused({ paused }: ShellEvents, answer: (text: typeof RESUMED | typeof GONE) => void): void {
  if (paused) paused(answer)
  else answer(GONE)
}

/** For a shell that is not needed. */
export const DISMISSAL = 'exit 0\n'

/** Quotes for sh: everything in single quotes is literal. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** No report is longer. */
const MAX_REPORT_CHARS = 10_000

/** Calls `report` with each line; lines that are too long are dropped. */
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

/** Our ends of all open terminals. The code that opens one adds it, and removes it once it is closed. */
export const openPtyMasters = new Set<number>()

export interface OpenTerminal {
  /** Our end. */
  master: number
  /** The programs' end, held open until they have it; not inherited by child processes. */
  slave: number
  path: string
}

export interface ExitStatus {
  exitCode?: number
  signal?: string
}

/** A process whose descendants all belong to one task. */
export type Subreaper = Pick<ProcessEntry, 'pid' | 'started'>
