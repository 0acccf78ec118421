import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { realpath } from 'node:fs/promises'
import type { AgentChoice } from '../../../shared/model/agent'
import type { SessionMode } from '../../../shared/model/approval'
import type { Effort } from '../../../shared/model/effort'
import type { NewWorktree } from '../../../shared/model/worktree'
import { latestSession } from '../../console/project-sessions'
import { worktreeOption } from '../../console/worktree-options'
import { agentOption, noProjectOption, UsageError, type Parsed } from '../../console/parse-command'
import type { SessionHeader } from '../../../shared/model/session'
import type { ClientEngine } from '../../role/joined/client-engine'

interface ChatOptions {
  cwd: string
  /** A new session works in a private folder of its own, not in `cwd`. */
  noProject: boolean
  /** A new session works in a new worktree of `cwd`. */
  worktree?: NewWorktree
  prompt?: string
  model?: string
  effort?: Effort
  agent?: AgentChoice
  mode?: SessionMode
  continueLatest: boolean
  sessionId?: string
  addDirs: string[]
}

/** The options of `trestle chat`, checked; throws a `UsageError`. */
export function chatOptions(parsed: Parsed): ChatOptions {
  const { values, positionals } = parsed
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  const continueLatest = values['continue'] === true
  const sessionId = text('session')
  if (continueLatest && sessionId !== undefined)
    throw new UsageError('--continue and --session exclude each other.', 'chat')
  const model = text('model')
  const agent = agentOption(parsed, 'chat')
  const effort = text('effort') as Effort | undefined
  const named = text('permission-mode') as SessionMode | undefined
  if (values['yolo'] === true && named !== undefined && named !== 'auto')
    throw new UsageError(`--yolo and --permission-mode ${named} exclude each other.`, 'chat')
  const mode = values['yolo'] === true ? 'auto' : named
  const prompt = positionals[0]
  const worktree = worktreeOption(parsed, 'chat')
  const addDirs = Array.isArray(values['add-dir']) ? values['add-dir'].filter((dir) => typeof dir === 'string') : []
  return {
    cwd: folder('--cwd', text('cwd') ?? here()),
    noProject: noProjectOption(parsed, 'chat'),
    continueLatest,
    addDirs: addDirs.map((dir) => folder('--add-dir', dir)),
    ...(prompt !== undefined && prompt.trim() !== '' && { prompt }),
    ...(worktree && { worktree }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(agent && { agent }),
    ...(mode !== undefined && { mode }),
    ...(sessionId !== undefined && { sessionId }),
  }
}

/** `npm run trestle` starts in the package's folder; npm says where the user was. */
function here(): string {
  return (process.env['npm_lifecycle_event'] === 'trestle' ? process.env['INIT_CWD'] : undefined) ?? '.'
}

function folder(option: string, path: string): string {
  const absolute = resolve(path)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (!stat) throw new UsageError(`${option}: there is no folder ${absolute}.`, 'chat')
  if (!stat.isDirectory()) throw new UsageError(`${option}: ${absolute} is not a folder.`, 'chat')
  return absolute
}

/** Opens a new or the requested session, with the requested model, mode and folders. */
export async function chooseSession(engine: ClientEngine, options: ChatOptions): Promise<SessionHeader> {
  const { sessions } = engine
  const { cwd, noProject, addDirs, model, effort, agent, worktree } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  let { sessionId } = options
  if (options.continueLatest) sessionId = await latestSession(sessions, cwd)
  let header =
    sessionId === undefined
      ? await sessions.create({
          ...(!noProject && { folder: cwd }),
          addedFolders: addDirs,
          ...(worktree && { worktree }),
          ...(model !== undefined && { model }),
          ...(effort !== undefined && { effort }),
          ...(mode && { mode }),
          ...(agent && { agent }),
        })
      : (await sessions.open(sessionId, 1)).header
  if (sessionId !== undefined) {
    const addedFolders = [
      ...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))]),
    ]
    const change = {
      ...(model !== undefined && model !== header.model && { model }),
      ...(effort !== undefined && effort !== header.effort && { effort }),
      ...(mode && mode !== header.mode && { mode }),
      ...(agent && { agent }),
      ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
    }
    if (Object.keys(change).length > 0) header = await sessions.change(sessionId, change)
  }
  // Plan mode is separate from the permission modes: choosing one of those ends it.
  if (options.mode === 'plan') return engine.plans.enter(header.sessionId)
  return options.mode && header.plan?.active ? engine.plans.leave(header.sessionId) : header
}
