import { spawn, type StdioOptions } from 'node:child_process'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CodedError } from '../../../../shared/errors'
import { spawnedOrThrow } from '../../process/spawn'
import type { Channel, ChannelEnd, PlaceShell, PrepareOptions, ShellResult } from './launcher'

/** Maximum characters kept of a script's output. */
const MAX_OUTPUT = 4 << 20
/** Maximum characters kept of stderr: the newest. */
const MAX_ERRORS = 64 << 10

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A script as one command line, for any shell that the user may have there. */
export function asCommand(script: string): string {
  return `exec sh -c ${quoted(script)}`
}

/** Starts a local program as the local end of a channel. Throws if too many files are open. */
export function startChannel(
  program: string,
  args: readonly string[],
  { env = process.env, inTerminal = false }: { env?: NodeJS.ProcessEnv; inTerminal?: boolean } = {},
): Channel {
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe']
  // Detached, because otherwise it could ask on our terminal.
  const child = spawnedOrThrow(
    spawn(program, args, { stdio, env, detached: !inTerminal && process.platform !== 'win32' }),
  )
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_ERRORS)))
  child.stdin!.on('error', () => undefined)
  const ended = new Promise<ChannelEnd>((resolve) => {
    child.once('error', (error) => {
      errors += error.message
      resolve({ exitCode: 127, signal: null })
    })
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  return {
    input: child.stdin!,
    output: child.stdout!,
    errors: () => errors,
    ended,
    pid: child.pid,
    kill: () => void child.kill('SIGKILL'),
  }
}

export interface RunOptions extends PrepareOptions {
  stdin?: Readable
  /** For a script of ours, whose output is short: a place that prints without end is refused. */
  isShort?: boolean
  /** How long it may take, in ms. */
  limitMs?: number
}

/** Runs a script to its end. Rejects if the place cannot be reached; a failure of the script is a result. */
export async function runScript(shell: PlaceShell, script: string, options: RunOptions = {}): Promise<ShellResult> {
  const { stdin, signal, ask, isShort = false, limitMs } = options
  signal?.throwIfAborted()
  const channel = shell.start(script, { ...(ask && { ask }) })
  const abort = (): void => channel.kill()
  signal?.addEventListener('abort', abort, { once: true })
  let problem: CodedError | undefined
  const refuse = (why: CodedError): void => {
    problem ??= why
    channel.kill()
  }
  const timer =
    limitMs === undefined
      ? undefined
      : setTimeout(() => {
          refuse(new CodedError('place.unreachable', `It did not answer within ${Math.round(limitMs / 1000)} seconds.`))
        }, limitMs)
  let stdout = ''
  channel.output.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < MAX_OUTPUT) stdout += text
    else if (isShort) refuse(new CodedError('place.misbehaved', 'It sent output without end.'))
  })
  try {
    // A script that ends early closes its stdin; its own output says why.
    if (stdin) await pipeline(stdin, channel.input).catch(() => undefined)
    else channel.input.end()
    const { exitCode } = await channel.ended
    signal?.throwIfAborted()
    if (problem) throw problem
    const result = { exitCode: exitCode ?? 255, stdout, stderr: channel.errors() }
    const failure = shell.failure(result)
    if (failure) throw failure
    return result
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
