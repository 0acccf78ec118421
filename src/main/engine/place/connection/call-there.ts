import type { ConnectedPlace } from './connected-place'
import { followRemoteSession } from '../remote/follow-session'
import { replyOnce } from '../remote/reply-once'
import { lost } from '../remote/wire-link'
import { adaptHeader, adaptResult } from './route-calls'

/** Makes a call to a place. The result can only refer to that place. */
export async function callThere(
  place: ConnectedPlace,
  method: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { remote } = place
  const { placeId } = place.place
  if (method === 'push.session') return follow(place, input as { sessionId: string; since: number }, signal)
  if (method.startsWith('push.')) return (await remote.ready(signal)).subscribe(method, input, signal)
  if (method === 'approval.reply') return replyOnce(remote, input as Parameters<typeof replyOnce>[1], signal)
  const result = await remote.call(method, await withRealFolder(remote, input, signal), signal)
  if (method === 'session.create' || method === 'session.fork' || method === 'conversation.import') {
    const { sessionId } = (result ?? {}) as { sessionId?: unknown }
    if (typeof sessionId === 'string') place.rememberSession(sessionId)
  }
  if (method === 'terminal.open') {
    const { terminalId } = (result ?? {}) as { terminalId?: unknown }
    if (typeof terminalId === 'string') place.terminals.add(terminalId)
  }
  return adaptResult(placeId, method, result)
}

/**
 * The events of a session there. Fails with `connection.lost` if the session is moved; the next subscription goes to
 * its new location.
 */
async function* follow(
  place: ConnectedPlace,
  input: { sessionId: string; since: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, void> {
  const { placeId } = place.place
  const moved = new AbortController()
  const follower = { sessionId: input.sessionId, end: () => moved.abort() }
  place.followers.add(follower)
  try {
    yield* followRemoteSession(place.remote, input, {
      signal: signal ? AbortSignal.any([signal, moved.signal]) : moved.signal,
      adapt: (push) => (push['type'] === 'start' ? { ...push, header: adaptHeader(placeId, push['header']) } : push),
      seen: (event) => {
        if (event['type'] === 'subagent.started' && typeof event['agentId'] === 'string')
          place.rememberSession(event['agentId'])
      },
    })
    if (moved.signal.aborted) throw lost()
  } finally {
    place.followers.delete(follower)
  }
}

/** Resolves `~`, the home folder there, which only that machine knows. */
async function withRealFolder(
  remote: ConnectedPlace['remote'],
  input: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const { folder } = (input ?? {}) as { folder?: unknown }
  if (typeof folder !== 'string' || (folder !== '~' && !folder.startsWith('~/'))) return input
  const { path } = (await remote.call('folder.list', { path: folder }, signal)) as { path?: unknown }
  return typeof path === 'string' && path.startsWith('/') ? { ...(input as object), folder: path } : input
}
