import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { Socket } from 'node:net'
import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { describeSandbox } from '../../../../shared/model/task/sandbox'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { CommandToWrap, WrappedCommand } from '../../sandbox/bubblewrap/wrap-command'
import { SUPERVISOR_VARIABLE, supervisorTag, SERVER_TASK_PREFIX, TASK_VARIABLE } from '../../process/process-tag'
import { hasExited, killProcessTree, killWindowsProcessTree } from '../../process/kill/kill-process-tree'
import { spawnedOrThrow } from '../../process/spawn'
import { tagRoot } from '../../process/windows-process-table'

/** The program to run: `env` is the entire environment of the process. */
export interface ServerCommand {
  /** The home that the process is tagged with. */
  home: string
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Its sandbox; absent: no sandbox. */
  sandbox?: SandboxPolicy
}

/** A server's process, the leader of its own process group and session, with pipes to it. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly pid: number
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>
  /** How the process ended; undefined while it runs. */
  ending(): string | undefined
  /**
   * Ends it and everything it started, in any process group: closes its input, then sends SIGTERM, then SIGKILL. Takes
   * under 4 s.
   */
  stop(): Promise<void>
}

/** How long a server may take to exit after its input ends. */
const EXIT_ON_EOF_MS = 700
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 1500
/** How often a program is started whose project changed while its sandbox was being set up. */
const MAX_STARTS = 3

/**
 * Starts a server. Throws a `CodedError` that explains what is missing, also if the check of its sandbox keeps failing:
 * a file that was written at that moment is reason enough, so the next attempt usually succeeds.
 */
export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  for (let starts = 1; ; starts += 1) {
    const { refusal, ...started } = await startOnce(command)
    const why = await refusal
    if (why === undefined) return started
    await started.stop()
    if (starts === MAX_STARTS) throw new CodedError('mcp.start', `It was not run: ${why}`)
  }
}

/** `refusal`: why the program was not allowed to run in its sandbox. */
async function startOnce({
  home,
  command,
  args,
  cwd,
  env,
  sandbox,
}: ServerCommand): Promise<ServerProcess & { refusal: Promise<string | undefined> | undefined }> {
  if (!isFolder(cwd)) throw new CodedError('mcp.start', `It runs in ${cwd}, which is not a folder.`)
  const mark = `${SERVER_TASK_PREFIX}${randomBytes(8).toString('hex')}`
  const marked = { ...env, [TASK_VARIABLE]: mark, [SUPERVISOR_VARIABLE]: supervisorTag(home) }
  const wrapped = sandbox && (await wrap({ policy: sandbox, command, args, cwd, env: marked }))
  const plain = process.platform === 'win32' ? windowsCommand(command, args) : { command, args, verbatim: false }
  const line = wrapped ? { ...wrapped, verbatim: false } : plain
  const child = startOrThrow(command, wrapped?.close, () =>
    spawn(line.command, line.args, {
      cwd,
      env: wrapped?.env ?? marked,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A separate process group; on Windows that would open a console window.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: line.verbatim,
    }),
  )
  // Pipe errors are ignored, because the exit of the process is what counts.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => {
      wrapped?.close()
      reject(new CodedError('mcp.start', startFailureMessage(command, error), { cause: error }))
    })
  })
  const pid = child.pid!
  if (process.platform === 'win32') tagRoot(pid, mark, marked)
  const unwatch = watchGroup(pid)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let stopping: Promise<void> | undefined

  async function stop(): Promise<void> {
    child.stdin.end()
    if (!hasExited(child)) await withLimit(exited, EXIT_ON_EOF_MS)
    if (process.platform === 'win32')
      await killWindowsProcessTree({ taskId: mark, rootPid: pid, isRootGone: () => hasExited(child) }, GRACE_MS)
    else {
      const tree = { shellPid: pid, shellOnlyWaits: false, isShellGone: () => hasExited(child), groups: () => [] }
      await killProcessTree({ taskId: mark, ...tree }, GRACE_MS)
    }
    unwatch()
    wrapped?.close()
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }

  return {
    child,
    pid,
    exited,
    refusal: wrapped && Promise.race([wrapped.checked, exited]).then(() => wrapped.problem()),
    ending() {
      if (child.signalCode !== null) return `it was ended by ${child.signalCode}`
      if (child.exitCode === null) return undefined
      const where = sandbox && child.exitCode !== 0 ? `, in the sandbox (${describeSandbox(sandbox)})` : ''
      return `it exited with code ${child.exitCode}${where}`
    },
    stop: () => (stopping ??= stop()),
  }
}

/** A missing program is reported as it would be outside the sandbox; what the program itself needs is not checked. */
async function wrap(command: CommandToWrap): Promise<WrappedCommand> {
  const { wrapCommand } = await import('../../sandbox/bubblewrap/wrap-command')
  const { command: program, cwd, env } = command
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program))
  if (!places.some((path) => existsSync(path)))
    throw new CodedError(
      'mcp.start',
      startFailureMessage(program, Object.assign(new Error('not found'), { code: 'ENOENT' })),
    )
  try {
    return wrapCommand(command)
  } catch (error) {
    throw new CodedError('mcp.start', errorText(error), { cause: error })
  }
}

function startFailureMessage(command: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `The program ${command} was not found. Install it, or give its full path.`
  if (error.code === 'EACCES') return `${command} may not be run: it is not a program, or its permissions forbid it.`
  return `${command} could not be started: ${error.message}.`
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Waits for `end`, at most `ms`. Leaves no timer running, which would keep a finished program from exiting. */
async function withLimit(end: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([end, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}

/** Spawns the process; a failure becomes a `CodedError`. */
function startOrThrow<Child extends ChildProcess>(
  command: string,
  close: (() => void) | undefined,
  start: () => Child,
): Child {
  try {
    return spawnedOrThrow(start())
  } catch (error) {
    close?.()
    throw new CodedError('mcp.start', startFailureMessage(command, error as NodeJS.ErrnoException), { cause: error })
  }
}

/** A command line in the form in which Windows starts it. */
interface WindowsCommand {
  command: string
  args: readonly string[]
  /** Whether the arguments are already quoted. */
  verbatim: boolean
}

/**
 * How a program is started on Windows: `npx` and many others are scripts (.cmd) that only the command interpreter can
 * run. Special characters are quoted, so the arguments arrive unchanged.
 */
function windowsCommand(command: string, args: readonly string[]): WindowsCommand {
  if (/\.(?:exe|com)$/i.test(command)) return { command, args, verbatim: false }
  const line = [escaped(command), ...args.map((arg) => escaped(quoted(arg)))].join(' ')
  return { command: process.env['comspec'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true }
}

/** Quotes as programs parse their command line: backslashes before a quote are doubled, quotes escaped. */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`
}

/** Characters that are special to the command interpreter. */
function escaped(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

/**
 * Reads process groups from its input. If that ends without a farewell, the writing program was killed, and the script
 * ends the groups: it gives them a second to notice that their own input has ended, sends SIGTERM, and kills the rest.
 * It ignores the signals that end the groups around it.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM
g=
while read -r verb id; do
  case $verb in
    add) g="$g $id" ;;
    drop) n=; for x in $g; do [ "$x" = "$id" ] || n="$n $x"; done; g=$n ;;
    end) exit 0 ;;
  esac
done
[ -z "$g" ] && exit 0
sleep 1
for x in $g; do kill -s TERM -- "-$x"; done
sleep 2
for x in $g; do kill -s KILL -- "-$x"; done`

let watchdog: ChildProcess | undefined
const watched = new Set<number>()

/**
 * Ensures that a server's process group ends even if this program is killed: one small shell does this for all servers;
 * it starts with the first server and exits with the last. Processes that left the group are found at the next start,
 * by their tag. Call the returned function when the group has ended.
 */
function watchGroup(group: number): () => void {
  if (process.platform === 'win32') return () => undefined
  watched.add(group)
  if (watchdog) sendToWatchdog('add', group)
  else watchdog = tryStartWatchdog()
  return () => {
    if (!watched.delete(group)) return
    if (watched.size > 0) return sendToWatchdog('drop', group)
    // It exits with the last server.
    watchdog?.stdin?.end('end\n')
    watchdog = undefined
  }
}

/**
 * Without a free descriptor it cannot start: the next server tries again, and processes left by a killed program are
 * found at the next start.
 */
function tryStartWatchdog(): ChildProcess | undefined {
  try {
    return startWatchdog()
  } catch {
    return undefined
  }
}

function startWatchdog(): ChildProcess {
  const child = spawnedOrThrow(
    spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    }),
  )
  // It must not keep the program alive.
  child.unref()
  ;(child.stdin as Socket).unref()
  child.stdin.on('error', () => undefined)
  const forget = (): void => {
    if (watchdog === child) watchdog = undefined
  }
  child.once('error', forget)
  child.once('exit', forget)
  for (const group of watched) child.stdin.write(`add ${group}\n`)
  return child
}

function sendToWatchdog(verb: 'add' | 'drop', group: number): void {
  watchdog?.stdin?.write(`${verb} ${group}\n`)
}
