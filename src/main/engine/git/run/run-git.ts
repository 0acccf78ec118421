import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { devNull } from 'node:os'
import { dirname, join, delimiter, isAbsolute } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { LineReader } from '../../process/line-reader'
import { spawnedOrThrow } from '../../process/spawn'
import { gitFailure } from './git-failure'
import { hookTrace, type HookRun } from './hook-trace'
import type { Repository } from './find-repository'
import { startAsFound, startIn, type GitStart } from './git-start'

/** Git variables that the user may have set for all repositories; the others would select another repository. */
const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_.*|HTTP_.*|PROXY_.*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/

/**
 * The environment of git: without variables that select another repository, and without relative folders in PATH. Its
 * messages are in English, and it never waits for input.
 */
function gitEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  { write }: { write: boolean },
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase()
    if (value === undefined || (upper.startsWith('GIT_') && !KEPT.test(upper))) continue
    env[name] = upper === 'PATH' ? value.split(delimiter).filter(isAbsolute).join(delimiter) : value
  }
  delete env['LANGUAGE']
  return {
    ...env,
    // Messages are parsed, so they must be in English; hooks can still print Unicode.
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    // For this value git starts no editor and uses the text unchanged.
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
    ...(!write && {
      GIT_OPTIONAL_LOCKS: '0',
      // Missing objects are not fetched, because settings name the program for that. Older versions know only the
      // second variable.
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
    }),
  }
}

/**
 * - `untrusted`: git sees no repository, because any of its settings may name a program. For commands that need none,
 *   such as `check-ref-format`. What is shown of such a repository is read without git (`git-files.ts`).
 * - `trusted`: the repository's settings and filters apply. Hooks run for writing commands.
 */
type GitLevel = 'untrusted' | 'trusted'

/** One command of git. */
export interface GitRun {
  /** The arguments of `git`, never passed through a shell. */
  args: readonly string[]
  level: GitLevel
  /** Git's working folder; ignored if untrusted or with `repository`. */
  folder?: string
  /** The repository, which git is pointed to. */
  repository?: Repository
  /** A folder of its working tree that paths are relative to. Default: the top. */
  from?: string
  /** Git finds the repository itself, to compare which one it finds. */
  asFound?: boolean
  /** Settings of this command, `key=value`, that override all others. */
  settings?: readonly string[]
  /** Whether it may write: hooks run, and locks are taken. Default: false. */
  write?: boolean
  input?: string | Uint8Array
  /** Default: 30 s for reading, 10 min for writing. */
  timeoutMs?: number
  /** Maximum output in bytes; more fails with `git.too_large`. Default: 64 MB. */
  maxBytes?: number
  signal?: AbortSignal
  /** Exit codes that are a result; others throw. Default: only 0. */
  okCodes?: readonly number[]
  /** Variables of this command, such as another index. */
  env?: Readonly<Record<string, string>>
  /** Called with each line of git's progress. */
  onProgress?(line: string): void
}

export interface GitResult {
  /** The exact output. */
  stdout: Buffer
  stderr: string
  code: number
  /** The hooks that ran, in order. Empty for reading commands. */
  hooks: readonly HookRun[]
}

/** Where git is run from. */
export interface GitPlace {
  /** The environment of commands. */
  env(): Readonly<Record<string, string | undefined>>
  /** A folder of ours, outside every project: Windows looks for programs here first, and traces are written here. */
  neutralFolder: string
}

/** Runs git. Rejects with a `CodedError` with the reason, and the output of a failed hook. */
export type RunGit = (run: GitRun) => Promise<GitResult>

const READ_LIMIT_MS = 30_000
const WRITE_LIMIT_MS = 600_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ERROR_CHARS = 64 * 1024
/** Time for git to remove its lock files before it is killed. */
const GRACE_MS = 3_000

/**
 * For every command: no file monitor, no pager, no colors, no maintenance that could delete unreachable objects, no
 * recursion into submodules.
 */
const ALWAYS = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'color.ui=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'diff.ignoreSubmodules=dirty',
  'status.submoduleSummary=false',
  'log.showSignature=false',
  'diff.autoRefreshIndex=false',
  'safe.bareRepository=explicit',
  'advice.detachedHead=false',
]
const READS_ONLY = [`core.hooksPath=${devNull}`]

/** For commands that print differences: no programs of the repository produce them. */
export const PLAIN_DIFF: readonly string[] = ['--no-ext-diff', '--no-textconv', '--no-color']

/** A runner of the system's git. */
export function createRunGit(place: GitPlace): RunGit {
  return async (run) => {
    const { write = false } = run
    const settings = [...ALWAYS, ...(write ? [] : READS_ONLY), ...(run.settings ?? [])].flatMap((one) => ['-c', one])
    const at = startOf(run, place)
    const trace = write ? hookTrace(place.neutralFolder) : undefined
    const env: Record<string, string> = {
      ...gitEnvironment(place.env(), { write }),
      ...at.env,
      ...trace?.env,
      ...run.env,
    }
    try {
      const args = ['--no-pager', ...settings, ...at.args, ...run.args]
      const { stdout, stderr, code } = await finished(run, args, env, place.neutralFolder)
      const hooks = trace?.read() ?? []
      if (!(run.okCodes ?? [0]).includes(code)) throw gitFailure({ args: run.args, stdout, stderr, hooks })
      return { stdout, stderr, code, hooks }
    } finally {
      trace?.remove()
    }
  }
}

/** Git's working folder, and the options that select the repository. */
function startOf({ level, folder, repository, from, asFound, write = false }: GitRun, place: GitPlace): GitStart {
  if (level === 'untrusted')
    return { args: [], env: { GIT_DIR: join(place.neutralFolder, 'no-repository'), GIT_CONFIG_NOSYSTEM: '1' } }
  if (repository)
    return asFound ? startAsFound(repository) : startIn(repository, { write, ...(from !== undefined && { from }) })
  const at = folder ?? place.neutralFolder
  return { args: ['-C', at], env: { GIT_CEILING_DIRECTORIES: dirname(at) } }
}

function start(args: string[], env: Record<string, string>, cwd: string): ChildProcessWithoutNullStreams {
  try {
    return spawnedOrThrow(spawn('git', args, { cwd, env, stdio: 'pipe', windowsHide: true, detached: isPosix }))
  } catch (error) {
    throw notStarted(error)
  }
}

function notStarted(error: unknown): CodedError {
  return new CodedError('git.failed', `git could not be started: ${errorText(error)}`, { cause: error })
}

type Finished = Omit<GitResult, 'hooks'>

function finished(run: GitRun, args: string[], env: Record<string, string>, cwd: string): Promise<Finished> {
  const { write = false, signal, maxBytes = MAX_BYTES, onProgress } = run
  const limitMs = run.timeoutMs ?? (write ? WRITE_LIMIT_MS : READ_LIMIT_MS)
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled())
    // A separate session: no terminal where a program could prompt, and everything it starts can be stopped with it.
    const child = start(args, env, cwd)
    const chunks: Buffer[] = []
    let bytes = 0
    let errors = ''
    let problem: CodedError | undefined
    let killTimer: NodeJS.Timeout | undefined
    const stop = (why: CodedError): void => {
      if (problem) return
      problem = why
      signalTree(child, 'SIGTERM')
      killTimer = setTimeout(() => signalTree(child, 'SIGKILL'), GRACE_MS)
    }
    const limit = setTimeout(
      () => stop(new CodedError('git.timeout', `git ${run.args[0]} took longer than ${limitMs / 1000} seconds.`)),
      limitMs,
    )
    const onAbort = (): void => stop(cancelled())
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes)
        stop(new CodedError('git.too_large', `git ${run.args[0]} printed more than ${maxBytes} bytes.`))
      else chunks.push(chunk)
    })
    const progress = onProgress && lineReader(onProgress)
    child.stderr.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8')
      errors = (errors + text).slice(-MAX_ERROR_CHARS)
      progress?.(text)
    })
    // Git may exit before it has read everything; its exit code shows whether it failed.
    child.stdin.on('error', () => {})
    child.stdin.end(run.input)
    const settle = (answer: () => void): void => {
      clearTimeout(limit)
      clearTimeout(killTimer)
      signal?.removeEventListener('abort', onAbort)
      answer()
    }
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle(() =>
        reject(
          error.code === 'ENOENT' ? new CodedError('git.missing', 'git was not found on PATH.') : notStarted(error),
        ),
      ),
    )
    child.once('close', (code, killedBy) =>
      settle(() => {
        if (problem) return reject(problem)
        if (code === null) return reject(new CodedError('git.failed', `git was stopped by ${killedBy ?? 'a signal'}.`))
        resolve({ stdout: Buffer.concat(chunks), stderr: errors, code })
      }),
    )
  })
}

function cancelled(): CodedError {
  return new CodedError('request.cancelled', 'The Git command was cancelled.')
}

const isPosix = process.platform !== 'win32'

function signalTree(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (isPosix) process.kill(-child.pid, name)
    else child.kill(name)
  } catch {
    // Already exited.
  }
}

/** Progress is redrawn with carriage returns. */
function lineReader(onLine: (line: string) => void): (text: string) => void {
  const reader = new LineReader((line) => {
    if (line.trim() !== '') onLine(line.trim())
  })
  return (text) => reader.add(text.replaceAll('\r', '\n'))
}
