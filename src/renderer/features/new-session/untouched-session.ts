import type { TrestleClient } from '../../../shared/contract'
import type { SessionMode } from '../../../shared/model/approval/approval'
import { isScratchFolder } from '../../../shared/model/project/scratch-folder'
import type { SessionHeader, SessionSummary } from '../../../shared/model/session/session'
import type { Effort } from '../../../shared/model/turn/effort'
import { NO_PROJECT } from './start-pills'

/** The choices that a session starts with. */
export interface WantedSession {
  folder: string
  model: string
  mode: SessionMode
  effort: Effort | undefined
  agent: string | undefined
}

/**
 * A session that was started with the same choices and has no messages: starting another one would only add a second
 * empty row to the list. Undefined if there is no such session.
 */
export async function untouchedSession(
  client: Pick<TrestleClient, 'session'>,
  sessions: Iterable<SessionSummary>,
  wanted: WantedSession,
): Promise<string | undefined> {
  const candidates = [...sessions]
    .filter((summary) => mayBeUntouched(summary) && isIn(wanted.folder, summary))
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
  for (const { sessionId } of candidates.slice(0, LOOKED_AT)) {
    // Skip a session that cannot be opened.
    const opened = await client.session.open({ sessionId, limit: 1 }).catch(() => undefined)
    if (opened && isUntouched(opened.header) && isAsWanted(opened.header, wanted)) return sessionId
  }
  return undefined
}

const LOOKED_AT = 5

function mayBeUntouched(summary: SessionSummary): boolean {
  const { status, archived, elsewhere, place, scheduleId, worktree } = summary
  const isElsewhere = (elsewhere ?? place) !== undefined
  return status === 'idle' && !archived && !isElsewhere && (scheduleId ?? worktree) === undefined
}

function isIn(folder: string, summary: SessionSummary): boolean {
  return folder === NO_PROJECT ? isScratchFolder(summary.folder) : summary.folder === folder
}

function isUntouched(header: SessionHeader): boolean {
  const { turns, titleIsCustom, turnId, queue, agent, imported, sealed, plan, addedFolders } = header
  return (
    turns === 0 &&
    !titleIsCustom &&
    queue.length + addedFolders.length === 0 &&
    [turnId, agent, imported, sealed, plan].every((part) => part === undefined)
  )
}

function isAsWanted(header: SessionHeader, { model, mode, effort, agent }: WantedSession): boolean {
  return header.model === model && header.mode === mode && header.effort === effort && header.runsAs?.name === agent
}
