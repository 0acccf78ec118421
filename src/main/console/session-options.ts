import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentChoice } from '../../shared/model/session/agent'
import type { SessionMode } from '../../shared/model/approval/approval'
import type { Effort } from '../../shared/model/turn/effort'
import type { NewWorktree } from '../../shared/model/project/worktree'
import { agentOption, noProjectOption, UsageError, type Parsed } from './parse-command'

/** Which session a command works in, or what a new one is created with. */
export interface SessionOptions {
  /** A new session works in its own private folder instead of the current one. */
  noProject: boolean
  /** A new session works in a new worktree of the folder. */
  worktree?: NewWorktree
  model?: string
  effort?: Effort
  agent?: AgentChoice
  mode?: SessionMode
  continueLatest: boolean
  sessionId?: string
  addDirs: string[]
}

/** The options that `trestle chat` and `trestle print` share, checked; throws a `UsageError`. */
export function sessionOptions(parsed: Parsed, command: string): SessionOptions {
  const { values } = parsed
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const continueLatest = values['continue'] === true
  const sessionId = text('session')
  if (continueLatest && sessionId !== undefined)
    throw new UsageError('--continue and --session cannot be combined.', command)
  const model = text('model')
  const agent = agentOption(parsed, command)
  const effort = text('effort') as Effort | undefined
  const named = text('permission-mode') as SessionMode | undefined
  if (values['yolo'] === true && named !== undefined && named !== 'auto')
    throw new UsageError(`--yolo and --permission-mode ${named} cannot be combined.`, command)
  const mode = values['yolo'] === true ? 'auto' : named
  const worktree = worktreeOption(parsed, command)
  const addDirs = Array.isArray(values['add-dir']) ? values['add-dir'].filter((dir) => typeof dir === 'string') : []
  return {
    noProject: noProjectOption(parsed, command),
    continueLatest,
    addDirs: addDirs.map((dir) => folderOption('--add-dir', dir, command)),
    ...(worktree && { worktree }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(agent && { agent }),
    ...(mode !== undefined && { mode }),
    ...(sessionId !== undefined && { sessionId }),
  }
}

/** The worktree that a new session should work in; throws a `UsageError` for options that do not fit together. */
export function worktreeOption({ values, positionals }: Parsed, command: string): NewWorktree | undefined {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const extra = ['branch', 'from', 'changes'].find((name) => values[name] !== undefined)
  if (values['worktree'] !== true) {
    if (extra !== undefined) throw new UsageError(`--${extra} needs --worktree.`, command)
    return undefined
  }
  const other = ['continue', 'session', 'no-project'].find(
    (name) => values[name] !== undefined && values[name] !== false,
  )
  if (other !== undefined) throw new UsageError(`--worktree and --${other} cannot be combined.`, command)
  const branch = text('branch')
  const from = text('from')
  const about = positionals[0]
  return {
    ...(branch !== undefined && { branch }),
    ...(from !== undefined && { from }),
    ...(values['changes'] === true && { changes: true }),
    ...(about !== undefined && about.trim() !== '' && { about: about.slice(0, 10_000) }),
  }
}

/** The user's current folder. `npm run trestle` starts in the package's folder; npm provides the original one. */
export function currentFolder(): string {
  return (process.env['npm_lifecycle_event'] === 'trestle' ? process.env['INIT_CWD'] : undefined) ?? '.'
}

/** The absolute path of a folder; throws a `UsageError` when it is not one. */
export function folderOption(option: string, path: string, command: string): string {
  const absolute = resolve(path)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (!stat) throw new UsageError(`${option}: there is no folder ${absolute}.`, command)
  if (!stat.isDirectory()) throw new UsageError(`${option}: ${absolute} is not a folder.`, command)
  return absolute
}
