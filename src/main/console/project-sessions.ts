import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { CodedError } from '../../shared/errors'
import type { SessionSummary } from '../../shared/model/session/session'

/** Where sessions are listed: an engine in this process, or in another one. */
interface SessionList {
  list(filter: object): SessionSummary[] | Promise<SessionSummary[]>
}

/**
 * The sessions of a project, the latest first: those in its folder and in its worktrees. `folder`: the project or one
 * of the worktrees; a real path.
 */
export async function projectSessions(sessions: SessionList, folder: string): Promise<SessionSummary[]> {
  const all = await sessions.list({})
  const project = all.find((one) => one.folder === folder)?.worktree?.project ?? folder
  return all.filter((one) => one.folder === project || one.worktree?.project === project)
}

/**
 * The session that `--continue` means: the latest of the folder, or of a worktree created from it. Throws
 * `session.not_found`.
 */
export async function latestSession(sessions: SessionList, cwd: string): Promise<string> {
  const folder = await realpath(cwd)
  const own = (await sessions.list({})).filter((one) => one.folder === folder || one.worktree?.project === folder)
  // A session of a removed worktree has no folder to work in.
  const found = own.find((one) => !one.worktree || existsSync(one.folder))
  if (found) return found.sessionId
  const removed = own[0]?.worktree?.worktreeId
  throw new CodedError(
    'session.not_found',
    removed === undefined
      ? `There is no session of ${cwd} to continue.`
      : `The worktree of the latest session was removed. To get it back: trestle worktree restore ${removed}`,
  )
}
