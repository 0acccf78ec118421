import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'
import { UsageError, type Parsed } from '../../console/parse-command'
import { currentFolder, folderOption, sessionOptions, type SessionOptions } from '../../console/session-options'

export type OutputFormat = 'text' | 'json' | 'stream-json'

export interface PrintOptions extends SessionOptions {
  prompt: string
  cwd: string
  /** The place on which the agent works; absent: this machine. */
  place?: string
  /** The folder there. */
  placeCwd?: string
  format: OutputFormat
  maxSteps?: number
}

/** The options of `trestle print`, checked; throws a `UsageError`. */
export function printOptions(parsed: Parsed): PrintOptions {
  const { values, positionals } = parsed
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const place = text('place')
  const cwd = place === undefined ? folderOption('--cwd', text('cwd') ?? currentFolder(), 'print') : currentFolder()
  const maxSteps = text('max-steps')
  if (maxSteps !== undefined && !/^[1-9]\d{0,5}$/.test(maxSteps))
    throw new UsageError(`--max-steps needs a whole number from 1; not "${maxSteps}".`, 'print')
  return {
    ...sessionOptions(parsed, 'print'),
    prompt: positionals[0] ?? '',
    cwd,
    format: (text('output-format') ?? 'text') as OutputFormat,
    ...(place !== undefined && { place, placeCwd: folderOnPlace(text('cwd')) }),
    ...(maxSteps !== undefined && { maxSteps: Number(maxSteps) }),
  }
}

/** A folder on a place: the given absolute path or path below `~`, otherwise the home folder. */
function folderOnPlace(cwd: string | undefined): string {
  if (cwd === undefined || cwd === '~') return '~'
  if (cwd.startsWith('/') || cwd.startsWith('~/')) return cwd
  throw new UsageError(`--cwd: with --place, name the folder there as /path or ~/path; not "${cwd}".`, 'print')
}

/**
 * A program that starts us with a socket for stdin and forgets to close it would block us forever: if no data has
 * arrived on a socket after this many ms, none is expected. A shell's pipe and a file are read to the end, however long
 * that takes.
 */
const SOCKET_SILENCE_MS = 500
const HINT_AFTER_MS = 3000

/** The prompt from the command line plus piped input; throws a `UsageError` if both are missing. */
export async function promptOf({ prompt }: PrintOptions): Promise<string> {
  const text = [prompt, await readStdin()].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '') throw new UsageError('There is no prompt: trestle print "what to do".', 'print')
  return text
}

/** The piped input; an empty string for a terminal, a closed stdin, or no data. */
async function readStdin(): Promise<string> {
  // Creating a stream for stdin takes a while, and often there is nothing to read.
  if (isatty(0)) return ''
  let isSocket = false
  try {
    const stat = fstatSync(0)
    if (stat.isCharacterDevice()) return ''
    isSocket = stat.isSocket()
  } catch {
    return ''
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const hint = setTimeout(
      () => process.stderr.write('trestle: waiting for stdin to end (use </dev/null for none)\n'),
      HINT_AFTER_MS,
    )
    const silence = isSocket ? setTimeout(() => done(), SOCKET_SILENCE_MS) : undefined
    const done = (): void => {
      clearTimeout(hint)
      clearTimeout(silence)
      process.stdin.destroy()
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    process.stdin.on('data', (chunk: Buffer) => {
      clearTimeout(silence)
      clearTimeout(hint)
      chunks.push(chunk)
    })
    process.stdin.once('end', done)
    process.stdin.once('error', reject)
  })
}
