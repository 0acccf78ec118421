import type { SessionHeader } from '../../../shared/model/session'
import type { TurnDiagnostics } from '../loop/turn-diagnostics'
import { createServerPool, type ServerPoolDeps } from './server-pool'
import { SessionDiagnostics } from './session-diagnostics'

/** Errors that language servers find in files as the agents change them. */
export interface Diagnostics {
  /** For a turn of this session. */
  forTurn(session: { readonly header: Pick<SessionHeader, 'folder'> }): TurnDiagnostics
  /** Ends all servers; resolves when nothing of them is left. */
  close(): Promise<void>
}

export function createDiagnostics(deps: ServerPoolDeps): Diagnostics {
  const pool = createServerPool(deps)
  const sessions = new WeakMap<object, SessionDiagnostics>()
  return {
    forTurn(session) {
      let own = sessions.get(session)
      if (!own) sessions.set(session, (own = new SessionDiagnostics(session.header.folder, pool)))
      return own
    },
    close: () => pool.close(),
  }
}
