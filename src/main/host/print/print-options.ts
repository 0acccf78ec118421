import { statSync, fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentChoice } from '../../../shared/model/agent'
import type { SessionMode } from '../../../shared/model/approval'
import type { Effort } from '../../../shared/model/effort'
import type { NewWorktree } from '../../../shared/model/worktree'
import { worktreeOption } from '../../console/worktree-options'
import { agentOption, noProjectOption, UsageError, type Parsed } from '../../console/parse-command'

export type OutputFormat = 'text' | 'json' | 'stream-json'

export interface PrintOptions {
  prompt: string
  cwd: string
  /** The place that the agent works on; absent: this machine. */
  place?: string
  /** The folder there. */
  placeCwd?: string
  /** A new session works in a private folder of its own, not in `cwd`. */
  noProject: boolean
  /** A new session works in a new worktree of `cwd`. */
  worktree?: NewWorktree
  model?: string
  effort?: Effort
  agent?: AgentChoice
  mode?: SessionMode
  format: OutputFormat
  continueLatest: boolean
  sessionId?: string
  addDirs: string[]
  maxSteps?: number
}

/** The options of `trestle print`, checked; throws a `UsageError`. */
export function printOptions(parsed: Parsed): PrintOptions {
  const { values, positionals } = parsed
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const place = text('place')
  const cwd = place === undefined ? folder('--cwd', text('cwd') ?? here()) : here()
  const maxSteps = text('max-steps')
  if (maxSteps !== undefined && !/^[1-9]\d{0,5}$/.test(maxSteps))
    throw new UsageError(`--max-steps needs a whole number from 1; not "${maxSteps}".`, 'print')
  if (values['continue'] === true && text('session') !== undefined)
    throw new UsageError('--continue and --session exclude each other.', 'print')
  const model = text('model')
  const agent = agentOption(parsed, 'print')
  const effort = text('effort') as Effort | undefined
  const named = text('permission-mode') as SessionMode | undefined
  if (values['yolo'] === true && named !== undefined && named !== 'auto')
    throw new UsageError(`--yolo and --permission-mode ${named} exclude each other.`, 'print')
  const mode = values['yolo'] === true ? 'auto' : named
  const sessionId = text('session')
  const worktree = worktreeOption(parsed, 'print')
  const addDirs = Array.isArray(values['add-dir']) ? values['add-dir'].filter((dir) => typeof dir === 'string') : []
  return {
    prompt: positionals[0] ?? '',
    cwd,
    noProject: noProjectOption(parsed, 'print'),
    format: (text('output-format') ?? 'text') as OutputFormat,
    continueLatest: values['continue'] === true,
    addDirs: addDirs.map((dir) => folder('--add-dir', dir)),
    ...(place !== undefined && { place, placeCwd: folderThere(text('cwd')) }),
    ...(worktree && { worktree }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(agent && { agent }),
    ...(mode !== undefined && { mode }),
    ...(sessionId !== undefined && { sessionId }),
    ...(maxSteps !== undefined && { maxSteps: Number(maxSteps) }),
  }
}

/** `npm run trestle` starts in the package's folder; npm says where the user was. */
function here(): string {
  return (process.env['npm_lifecycle_event'] === 'trestle' ? process.env['INIT_CWD'] : undefined) ?? '.'
}

/** A folder on a place: its home folder unless an absolute one, or one below `~`, is named. */
function folderThere(cwd: string | undefined): string {
  if (cwd === undefined || cwd === '~') return '~'
  if (cwd.startsWith('/') || cwd.startsWith('~/')) return cwd
  throw new UsageError(`--cwd: with --place, name the folder there as /path or ~/path; not "${cwd}".`, 'print')
}

function folder(option: string, path: string): string {
  const absolute = resolve(path)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (!stat) throw new UsageError(`${option}: there is no folder ${absolute}.`, 'print')
  if (!stat.isDirectory()) throw new UsageError(`${option}: ${absolute} is not a folder.`, 'print')
  return absolute
}

/**
 * A program that starts us with a socket for stdin and forgets to close it would block us forever: when no data has
 * arrived on a socket for this many ms, none is expected. A shell's pipe and a file are read to their end, however long
 * that takes.
 */
const SOCKET_SILENCE_MS = 500
const HINT_AFTER_MS = 3000

/** The prompt of the command line and what is piped in; throws a `UsageError` if there is neither. */
export async function promptOf({ prompt }: PrintOptions): Promise<string> {
  const text = [prompt, await readStdin()].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '') throw new UsageError('There is no prompt: trestle print "what to do".', 'print')
  return text
}

/** The piped input; an empty string for a terminal, a closed stdin, or no data. */
async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return ''
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
