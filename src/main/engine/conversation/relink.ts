import { CodedError } from '../../../shared/errors'
import type { Store } from '../store/store'

/** All sessions of a folder, or one session. */
export type RelinkTarget = { folder: string } | { sessionId: string }

/** The sessions, and the folder that they have now. Throws when the folder has no sessions. */
export function relinkTarget(store: Pick<Store, 'header' | 'list'>, of: RelinkTarget): { ids: string[]; from: string } {
  if ('sessionId' in of) {
    const header = store.header(of.sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${of.sessionId}.`)
    return { ids: [of.sessionId], from: header.folder }
  }
  const ids = store.list({ folder: of.folder }).map(({ sessionId }) => sessionId)
  if (ids.length === 0) throw new CodedError('request.invalid', `There are no sessions in ${of.folder}.`)
  return { ids, from: of.folder }
}
