import { realpath } from 'node:fs/promises'
import { CodedError } from '../../../shared/model/errors'
import type { SessionHeader } from '../../../shared/model/session'
import type { Engine } from '../../engine/engine-api'
import type { ChatOptions } from './chat-options'

/** The session to talk in: a new one, or the one asked for; with the model, the mode and the folders asked for. */
export async function chooseSession(engine: Engine, options: ChatOptions): Promise<SessionHeader> {
  const { sessions } = engine
  const { cwd, addDirs, model, effort, agent } = options
  const mode = options.mode === 'plan' ? undefined : options.mode
  let { sessionId } = options
  if (options.continueLatest) {
    sessionId = sessions.list({ folder: await realpath(cwd), limit: 1 })[0]?.sessionId
    if (sessionId === undefined) throw new CodedError('session.not_found', `There is no session of ${cwd} to go on with.`)
  }
  let header =
    sessionId === undefined
      ? await sessions.create({
          folder: cwd,
          addedFolders: addDirs,
          ...(model !== undefined && { model }),
          ...(effort !== undefined && { effort }),
          ...(mode && { mode }),
          ...(agent && { agent }),
        })
      : (await sessions.open(sessionId, 1)).header
  if (sessionId !== undefined) {
    const addedFolders = [...new Set([...header.addedFolders, ...(await Promise.all(addDirs.map((dir) => realpath(dir))))])]
    const change = {
      ...(model !== undefined && model !== header.model && { model }),
      ...(effort !== undefined && effort !== header.effort && { effort }),
      ...(mode && mode !== header.mode && { mode }),
      ...(agent && { agent }),
      ...(addedFolders.length > header.addedFolders.length && { addedFolders }),
    }
    if (Object.keys(change).length > 0) header = await sessions.change(sessionId, change)
  }
  // Plan mode stands beside the permission modes: naming one of those ends it.
  if (options.mode === 'plan') return engine.plans.enter(header.sessionId)
  return options.mode && header.plan?.active ? engine.plans.leave(header.sessionId) : header
}
