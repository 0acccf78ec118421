import { nearest } from '../../../shared/nearest'
import { CodedError } from '../../../shared/errors'
import type { Store } from '../store/store'

const PREFIX = 'session-'
/** A shorter prefix matches too many sessions. */
const MIN_CHARS = 3
const MAX_SUGGESTIONS = 3

/** The failure for an unknown session id; names the sessions that were probably meant. */
export function noSuchSession(sessionId: string, store: Pick<Store, 'list'>): CodedError {
  const meant = similarSessions(
    sessionId,
    store.list().map((session) => session.sessionId),
  )
  const suggestion = meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`
  return new CodedError('session.not_found', `There is no session ${sessionId}.${suggestion}`)
}

/** Ids that start with the given text or differ by a few letters, best first; `session-` can be omitted. */
export function similarSessions(wrong: string, ids: readonly string[]): string[] {
  const wanted = withoutPrefix(wrong.trim().toLowerCase())
  if (wanted.length < MIN_CHARS) return []
  const begins = ids.filter((id) => withoutPrefix(id).startsWith(wanted))
  if (begins.length > 0) return begins.slice(0, MAX_SUGGESTIONS)
  const known = new Map(ids.map((id) => [withoutPrefix(id), id]))
  return nearest(wanted, known.keys(), MAX_SUGGESTIONS).flatMap((found) => known.get(found) ?? [])
}

function withoutPrefix(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id
}
