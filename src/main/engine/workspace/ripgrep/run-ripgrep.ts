import { sep } from 'node:path'
import { Launcher, startProgram, type RunningProgram } from './launcher'
import { LineCutter } from './line-cutter'

const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

/** Launchers for calls of one step, which run in parallel. If all are busy, ripgrep is started directly. */
const MAX_LAUNCHERS = 4
const launchers: Launcher[] = []

export interface RipgrepOptions {
  cwd: string
  signal?: AbortSignal
  /** Default 20 s. */
  timeoutMs?: number
  /** Maximum bytes of output kept; ripgrep is stopped if there is more. Default 10 MiB. */
  maxBytes?: number
  /**
   * Searches on one thread, which is faster for small searches, because starting threads takes over 1 ms. Results are
   * still printed as they are found.
   */
  singleThread?: boolean
  /**
   * Set if ripgrep prints lines with their columns: long lines are cut as they arrive, see `LineCutter`. `maxBytes`
   * then limits the output after cutting.
   */
  cutsLines?: boolean
  /**
   * Nothing is reported about these files, whose paths are as ripgrep prints them: their lines are dropped if
   * `cutsLines` is set, and ripgrep's errors about them always. No limit or failure then depends on their content.
   */
  leavesOut?: (path: string) => boolean
  /** Called with the output as it arrives; the output starts over if ripgrep is run again. */
  onOutput?: (chunk: Buffer) => void
  /** The program to run; default: the ripgrep that comes with Trestle. */
  program?: string
  /** Arguments that start it, such as those of a sandbox; the working directory and the program are appended. */
  within?: readonly string[]
}

export interface RipgrepRun {
  output: Buffer
  /** Its error messages, at most 64 KiB. */
  errors: string
  /** 0: found, 1: nothing found, 2: failed, perhaps only partly. Undefined if it was stopped. */
  exitCode: number | undefined
  /** Why it was stopped early; `output` is then partial and can end in the middle of a record. */
  stopped?: 'timeout' | 'output_limit' | 'aborted'
}

/**
 * Runs ripgrep without a configuration file, input or our environment. Memory is bounded by `maxBytes`; the process has
 * ended when this returns. If the system had no thread or process left, ripgrep is run once more on one thread. Rejects
 * only if ripgrep cannot be started at all.
 */
export async function runRipgrep(args: readonly string[], options: RipgrepOptions): Promise<RipgrepRun> {
  const own = options.program ?? (await ripgrepPath())
  const [within, ...words] = options.within ?? []
  const [program, before] = within === undefined ? [own, []] : [within, [...words, options.cwd, own]]
  const deadline = performance.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const once = (single: boolean): Promise<RipgrepRun> => {
    const all = [...before, '--no-config', ...(single ? ['-j1', '--line-buffered'] : []), ...args]
    return runOnce(program, all, options, deadline)
  }
  try {
    const first = await once(options.singleThread ?? false)
    return first.exitCode === 2 && outOfThreads(first.errors) ? await once(true) : first
  } catch (error) {
    if (!(error instanceof Error) || !outOfThreads(error.message)) throw error
    return once(true)
  }
}

function outOfThreads(message: string): boolean {
  return /EAGAIN|os error 11\b|Resource temporarily unavailable/.test(message)
}

async function runOnce(
  program: string,
  args: string[],
  options: RipgrepOptions,
  deadline: number,
  direct = false,
): Promise<RipgrepRun> {
  const { cwd, signal, maxBytes = DEFAULT_MAX_BYTES } = options
  if (signal?.aborted) return { output: Buffer.alloc(0), errors: '', exitCode: undefined, stopped: 'aborted' }
  let stopped: RipgrepRun['stopped']
  const stop = (reason: NonNullable<RipgrepRun['stopped']>): void => {
    stopped ??= reason
    running.kill()
  }
  const output = collector(maxBytes, () => stop('output_limit'))
  const errors = collector(MAX_ERROR_BYTES, () => {})
  const take = (chunk: Buffer): void => {
    output.take(chunk)
    options.onOutput?.(chunk)
  }
  const cutter = options.cutsLines ? new LineCutter(take, options.leavesOut) : undefined
  const into = { output: cutter ? (chunk: Buffer) => cutter.push(chunk) : take, errors: errors.take }
  // No launcher for a program inside another one, because it may still print after the outer one was killed.
  const launched = direct || options.within ? undefined : launch(program, args, cwd, into)
  const running = launched ?? startProgram(program, args, cwd, into)
  const timer = setTimeout(() => stop('timeout'), Math.max(0, deadline - performance.now()))
  const onAbort = (): void => stop('aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const code = await running.ended
    // Not an exit code of ripgrep: the launcher could not find or run the program.
    if (launched && !stopped && (code === 126 || code === 127))
      return await runOnce(program, args, options, deadline, true)
    cutter?.end()
    const all = errors.all().toString('utf8')
    const reported = toReport(all, options.leavesOut)
    // All errors were about rules or files that are not reported.
    const failed = code === 2 && all !== '' && reported === '' ? 1 : (code ?? 2)
    return {
      output: output.all(),
      errors: reported,
      exitCode: stopped ? undefined : failed,
      ...(stopped && { stopped }),
    }
  } catch (error) {
    if (!launched) throw error
    return await runOnce(program, args, options, deadline, true)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** An invalid ignore rule. Despite `--no-ignore-messages`, ripgrep reports those in folders above the searched one. */
const INVALID_RULE = /^rg: .*\.gitignore: line \d+: /

/** ripgrep's errors (`rg: path: message`) without those about these files and about ignore rules. */
function toReport(errors: string, leavesOut: (path: string) => boolean = () => false): string {
  const isAbout = (line: string): boolean => {
    if (!line.startsWith('rg: ')) return false
    if (INVALID_RULE.test(line)) return true
    // Names can contain colons, too.
    for (let end = line.indexOf(': ', 4); end >= 0; end = line.indexOf(': ', end + 1))
      if (leavesOut(line.slice(4, end))) return true
    return false
  }
  return errors
    .split('\n')
    .filter((line) => !isAbout(line))
    .join('\n')
}

function launch(...start: Parameters<Launcher['start']>): RunningProgram | undefined {
  for (const launcher of launchers) {
    const running = launcher.start(...start)
    if (running) return running
  }
  if (launchers.length >= MAX_LAUNCHERS) return undefined
  const launcher = new Launcher()
  launchers.push(launcher)
  return launcher.start(...start)
}

/** Keeps up to `maxBytes`, and calls `onFull` for each chunk that doesn't fit. */
function collector(maxBytes: number, onFull: () => void) {
  const chunks: Buffer[] = []
  let room = maxBytes
  return {
    take(chunk: Buffer): void {
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length > room) onFull()
      room = Math.max(0, room - chunk.length)
    },
    all: (): Buffer => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
  }
}

let found: Promise<string> | undefined

/**
 * The path of the ripgrep program, which comes with the platform package of `@vscode/ripgrep`. Rejects if that package
 * was not installed (`npm install --omit=optional`).
 */
export function ripgrepPath(): Promise<string> {
  found ??= import('@vscode/ripgrep').then(
    ({ rgPath }) => outsideAsar(rgPath),
    (error: unknown) => {
      found = undefined
      throw error
    },
  )
  return found
}

/** A program cannot be started from inside Electron's archive, so electron-builder puts a copy next to it. */
export function outsideAsar(path: string): string {
  return path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`)
}

const MAX_SHOWN_ERRORS = 10
const MAX_MESSAGE_CHARS = 2000

/**
 * Why a search failed, as advice for the model; undefined if ripgrep did search and at most could not read some files
 * (listed by `unreadableFiles`).
 */
export function searchFailure(run: RipgrepRun): string | undefined {
  if (run.exitCode !== 2 || run.output.length > 0) return undefined
  const message = run.errors.trim().replace(/^rg: /, '')
  if (message === '') return 'ripgrep failed without saying why.'
  if (errorLines(run).every((line) => /\(os error \d+\)$/.test(line))) return undefined
  if (PCRE2_LIMIT.test(message)) return `${TOO_MUCH_BACKTRACKING}\n\n${unreadableFiles(run).join('\n')}`
  return `${advice(message)}\n\n${message.slice(0, MAX_MESSAGE_CHARS)}`
}

/** PCRE2 gave up on a file; the pattern is valid. */
const PCRE2_LIMIT = /PCRE2: error matching: .*(limit|memory)/

const TOO_MUCH_BACKTRACKING =
  'The pattern is valid, but the PCRE2 engine reached its matching limit: it has to try too many ways ' +
  'through the text. These files were not searched to the end; no others match. Make the pattern cheaper: ' +
  'no repetition inside a repetition such as (a+)+, possessive quantifiers (a++) or atomic groups (?>...), ' +
  'bounded repetition such as .{0,200} in place of .*, or no look-around and back references at all.'

/** Whether some files were not searched to the end because PCRE2 reached a limit. */
export function reachedPcre2Limit(run: RipgrepRun): boolean {
  return PCRE2_LIMIT.test(run.errors)
}

function advice(message: string): string {
  if (/literal "?.*\\n.* (is )?not allowed/.test(message)) return 'The pattern spans lines: set multiline to true.'
  if (/unrecognized file type/.test(message))
    return (
      'There is no such file type. ' +
      'Types are ts, js, py, rust, go, java, cpp, md, json, ...; for anything else use glob.'
    )
  if (/error parsing glob/.test(message))
    return 'The glob is not valid; escape brackets that are meant literally with a backslash.'
  if (/exceeds size limit/.test(message))
    return 'The pattern is too large once it is compiled. Use smaller repetition counts, or search for parts of it.'
  if (/regex|PCRE2|repetition|unclosed/i.test(message)) {
    return (
      'The pattern is not a valid regular expression. ' +
      'Escape characters that are meant literally with a backslash: . * + ? ( ) [ ] { } | ^ $'
    )
  }
  return 'The search failed.'
}

/** Whether only the slower engine can run the pattern, because it has look-around or backreferences. */
export function needsPcre2(run: RipgrepRun): boolean {
  return run.exitCode === 2 && /look-around|backreferences (are|is) not supported/.test(run.errors)
}

/** Errors about files that could not be searched: at most ten, and a line with the number of further ones. */
export function unreadableFiles(run: RipgrepRun): string[] {
  const lines = errorLines(run)
  const shown = lines.slice(0, MAX_SHOWN_ERRORS).map((line) => line.replace(/^rg: (\.\/)?/, '').slice(0, 300))
  return lines.length > MAX_SHOWN_ERRORS ? [...shown, `... and ${lines.length - MAX_SHOWN_ERRORS} more`] : shown
}

function errorLines(run: RipgrepRun): string[] {
  return run.errors.split('\n').filter((line) => line.trim() !== '')
}
