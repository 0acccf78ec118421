import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { withoutPtyMasters, spawnedOrThrow } from '../../process/spawn'

/** The shell exits after this long without work. */
const IDLE_MS = 60_000

type Shell = ChildProcessByStdio<Writable, Readable, Readable>

/** The program that the launcher is running. */
interface Job {
  /** Marks the end of the program's output on each stream. */
  mark: string
  kill(): void
  pid(pid: number): void
  output: Tail
  errors: Tail
  fail(error: Error): void
}

/**
 * A small shell that starts programs for us. To start a program, a process is copied first, which takes 2 ms for Node
 * with its heap and blocks it; for a shell of 1 MB, it takes a tenth of that. The shell runs one program at a time,
 * exits when idle, and exits when we do, because its input is closed then.
 */
export class Launcher {
  #shell: Shell | undefined
  #job: Job | undefined
  #idle: NodeJS.Timeout | undefined

  /** Starts a program like `startProgram`; undefined if the launcher is busy or this system has no such shell. */
  start(program: string, args: readonly string[], cwd: string, into: ProgramOutput): RunningProgram | undefined {
    if (process.platform === 'win32' || this.#job) return undefined
    const shell = this.#running()
    clearTimeout(this.#idle)
    hold(shell, true)
    const mark = randomBytes(16).toString('hex')
    let pid: number | undefined
    let killed = false
    const kill = (): void => {
      killed = true
      if (pid !== undefined && this.#job?.mark === mark) signal(pid)
    }
    const ended = new Promise<number | undefined>((resolve, reject) => {
      let [open, code] = [2, Number.NaN]
      const finish = (text: string): void => {
        code = Number(text)
        if (--open > 0) return
        this.#rest(shell)
        resolve(code > 128 ? undefined : code)
      }
      this.#job = {
        mark,
        kill,
        pid: (found) => {
          pid = found
          if (killed) kill()
        },
        output: new Tail(mark, into.output, finish),
        errors: new Tail(mark, into.errors, finish),
        fail: reject,
      }
    })
    // The pid arrives on a separate pipe. `wait` returns when all output is in the pipes, and the marks follow it.
    const command = [program, ...args].map(quote).join(' ')
    const start = `(cd -- ${quote(cwd)} && exec ${command} </dev/null 3>&- 4>&-) 2>&4 & echo $! >&3`
    shell.stdin.write(`${start}; wait $!; e=$?; echo ${mark}$e; echo ${mark}$e >&4\n`)
    return { kill, ended }
  }

  /** Ends the shell, and kills a running program. */
  close(): void {
    clearTimeout(this.#idle)
    this.#job?.kill()
    this.#shell?.stdin.end()
  }

  #running(): Shell {
    if (this.#shell) return this.#shell
    const first = ['pipe', 'pipe', 'pipe', 'pipe'] as const
    const shell = withoutPtyMasters((stdio) => spawn('/bin/sh', [], { env: minimalEnv(), stdio }), first) as Shell
    this.#shell = shell
    // The shell's own messages, such as that a program was killed, must not appear in that program's output.
    shell.stdin.write('exec 4>&2 2>/dev/null\n')
    const gone = (error?: Error): void => {
      if (this.#shell !== shell) return
      this.#shell = undefined
      const job = this.#job
      job?.kill()
      this.#job = undefined
      job?.fail(error ?? new Error('The launcher ended.'))
    }
    shell.once('error', gone)
    // Not `close`, because a program that it started may still have the pipes open.
    shell.once('exit', () => gone())
    shell.stdin.on('error', () => {
      // It has exited; the `exit` event reports that.
    })
    shell.stdout.on('data', (chunk: Buffer) => this.#job?.output.take(chunk))
    shell.stderr.on('data', (chunk: Buffer) => this.#job?.errors.take(chunk))
    const pids = shell.stdio[3] as Readable
    pids.on('data', (chunk: Buffer) => this.#job?.pid(Number(chunk.toString('latin1'))))
    return shell
  }

  #rest(shell: Shell): void {
    this.#job = undefined
    hold(shell, false)
    this.#idle = setTimeout(() => {
      this.#shell = undefined
      shell.stdin.end()
    }, IDLE_MS).unref()
  }
}

/**
 * Passes on the output up to the mark, however it is split into chunks; the text from the mark to the end of the line
 * goes to `finish`.
 */
class Tail {
  readonly #mark: Buffer
  readonly #pass: (chunk: Buffer) => void
  readonly #finish: (text: string) => void
  #held: Buffer = Buffer.alloc(0)

  constructor(mark: string, pass: (chunk: Buffer) => void, finish: (text: string) => void) {
    this.#mark = Buffer.from(mark)
    this.#pass = pass
    this.#finish = finish
  }

  take(chunk: Buffer): void {
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    const at = all.indexOf(this.#mark)
    if (at < 0) {
      const safe = Math.max(0, all.length - this.#mark.length)
      if (safe > 0) this.#pass(all.subarray(0, safe))
      this.#held = all.subarray(safe)
      return
    }
    if (at > 0) this.#pass(all.subarray(0, at))
    this.#held = all.subarray(at)
    if (this.#held.at(-1) === 10) this.#finish(this.#held.toString('latin1', this.#mark.length).trim())
  }
}

/** While a program runs, the shell keeps our process alive; while idle, it doesn't. */
function hold(shell: Shell, held: boolean): void {
  const streams = [shell.stdin, shell.stdout, shell.stderr, shell.stdio[3]] as unknown as Socket[]
  for (const each of [shell, ...streams]) {
    if (held) each.ref()
    else each.unref()
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Receives the output of a program in chunks. */
interface ProgramOutput {
  output(chunk: Buffer): void
  errors(chunk: Buffer): void
}

export interface RunningProgram {
  /** Sends SIGKILL; does nothing if the program has ended. */
  kill(): void
  /**
   * The exit code, once the program has ended and all its output has been passed on; undefined if a signal ended it.
   * Rejects if it could not be started, or if the launcher ended.
   */
  ended: Promise<number | undefined>
}

/** Starts a program directly, without a shell, input or our environment. */
export function startProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  into: ProgramOutput,
): RunningProgram {
  const child = spawnedOrThrow(
    spawn(program, args, { cwd, env: minimalEnv(), stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true }),
  )
  child.stdout.on('data', into.output)
  child.stderr.on('data', into.errors)
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) => {
      if (child.pid !== undefined) resolve(code ?? undefined)
    })
  })
  return { kill: () => void child.kill('SIGKILL'), ended }
}

/** None of our environment, except what Windows needs to start any program. */
function minimalEnv(): NodeJS.ProcessEnv {
  const root = process.platform === 'win32' ? process.env['SystemRoot'] : undefined
  return root === undefined ? {} : { SystemRoot: root }
}
