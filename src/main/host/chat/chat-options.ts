import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentChoice } from '../../../shared/model/agent'
import type { SessionMode } from '../../../shared/model/approval'
import type { Effort } from '../../../shared/model/effort'
import { agentOption } from '../../command-line/agent-option'
import { UsageError, type Parsed } from '../../command-line/parse'

export interface ChatOptions {
  cwd: string
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
  if (continueLatest && sessionId !== undefined) throw new UsageError('--continue and --session exclude each other.', 'chat')
  const model = text('model')
  const agent = agentOption(parsed, 'chat')
  const effort = text('effort') as Effort | undefined
  const named = text('permission-mode') as SessionMode | undefined
  if (values['yolo'] === true && named !== undefined && named !== 'auto')
    throw new UsageError(`--yolo and --permission-mode ${named} exclude each other.`, 'chat')
  const mode = values['yolo'] === true ? 'auto' : named
  const prompt = positionals[0]
  const addDirs = Array.isArray(values['add-dir']) ? values['add-dir'].filter((dir) => typeof dir === 'string') : []
  return {
    cwd: folder('--cwd', text('cwd') ?? here()),
    continueLatest,
    addDirs: addDirs.map((dir) => folder('--add-dir', dir)),
    ...(prompt !== undefined && prompt.trim() !== '' && { prompt }),
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
