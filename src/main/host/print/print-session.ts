import { realpath } from 'node:fs/promises'
import type { SessionHeader, SessionSummary } from '../../../shared/model/session/session'
import { oneLine } from '../../console/output'
import { latestSession } from '../../console/project-sessions'
import type { Engine } from '../../engine/engine-api'
import type { PrintOptions } from './print-options'
import { reportCancelled } from './print-report'

type Sessions = Engine['sessions']

/** The part of an engine that print mode needs to choose its session, in this process or another one. */
export interface PrintSessions {
  list(filter: object): SessionSummary[] | Promise<SessionSummary[]>
  create: Sessions['create']
  /** Opens an earlier session. `cancelled`: how many of its requests were cancelled, because print mode cannot ask. */
  open(sessionId: string): Promise<{ header: SessionHeader; cancelled: number }>
  change: Sessions['change']
  remove: Sessions['remove']
  enterPlan(sessionId: string): Promise<SessionHeader>
  leavePlan(sessionId: string): Promise<SessionHeader>
  removeWorktree(worktreeId: string): Promise<unknown>
}

/** The session of a print run when its turn starts. */
export interface PrintSession {
  header: SessionHeader
  /** The session's spending before the run. */
  spent: SessionHeader['spent']
  /** Created by this run. */
  isNew: boolean
  /** The worktree that was created for it. */
  worktreeId?: string
  /** The model of a continued session before `--model` changed it. */
  earlierModel?: string | undefined
}

/** Creates or opens the session selected by the options, and applies them. */
export async function chooseSession(sessions: PrintSessions, options: PrintOptions): Promise<PrintSession> {
  const chosen = await sessionFor(sessions, options)
  const { sessionId, plan } = chosen.header
  // Plan mode is separate from the permission modes: choosing one of those ends it.
  if (options.mode === 'plan') return { ...chosen, header: await sessions.enterPlan(sessionId) }
  return options.mode && plan?.active ? { ...chosen, header: await sessions.leavePlan(sessionId) } : chosen
}

async function sessionFor(sessions: PrintSessions, options: PrintOptions): Promise<PrintSession> {
  const { cwd, addDirs, model, agent } = options
  const sessionId = options.continueLatest ? await latestSession(sessions, cwd) : options.sessionId
  if (sessionId === undefined) return newSession(sessions, options)
  const mode = options.mode === 'plan' ? undefined : options.mode
  const { header, cancelled } = await sessions.open(sessionId)
  reportCancelled(cancelled)
  const addedFolders = [
    ...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))]),
  ]
  const change = {
    ...(model !== undefined && model !== header.model && { model }),
    ...(mode && mode !== header.mode && { mode }),
    ...(agent && { agent }),
    ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
  }
  const current = Object.keys(change).length > 0 ? await sessions.change(sessionId, change) : header
  return { header: current, spent: header.spent, isNew: false, earlierModel: header.model }
}

async function newSession(sessions: PrintSessions, options: PrintOptions): Promise<PrintSession> {
  const { cwd, noProject, addDirs, model, agent, worktree } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  const header = await sessions.create({
    ...(!noProject && { folder: cwd }),
    addedFolders: addDirs,
    ...(worktree && { worktree }),
    ...(model !== undefined && { model }),
    ...(mode && { mode }),
    ...(agent && { agent }),
  })
  const made = worktree && (await sessions.list({})).find(({ sessionId }) => sessionId === header.sessionId)?.worktree
  if (made)
    process.stderr.write(`trestle: working in ${oneLine(header.folder)}, branch ${oneLine(made.branch ?? '')}\n`)
  return { header, spent: header.spent, isNew: true, ...(made && { worktreeId: made.worktreeId }) }
}

/**
 * Cleans up after a turn that could not start: an empty session, which `--continue` would treat as the latest
 * conversation, and a model that cannot be used.
 */
export async function undoStart(
  sessions: PrintSessions,
  { header: { sessionId, model }, worktreeId, isNew, earlierModel }: PrintSession,
): Promise<void> {
  try {
    if (isNew) {
      await sessions.remove(sessionId)
      if (worktreeId !== undefined) await sessions.removeWorktree(worktreeId)
    } else if (earlierModel !== undefined && earlierModel !== model)
      await sessions.change(sessionId, { model: earlierModel })
  } catch {
    // The user needs to see why the turn could not start.
  }
}
