import { describe, expect, it } from 'vitest'
import type { TrestleClient } from '../../../shared/contract'
import type { SessionHeader, SessionSummary } from '../../../shared/model/session/session'
import { untouchedSession, type WantedSession } from './untouched-session'

const wanted: WantedSession = { folder: '/p', model: 'a/b', mode: 'ask', effort: undefined, agent: undefined }

const summary = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  folder: '/p',
  title: 'New session',
  status: 'idle',
  waiting: 0,
  updatedAt: 1,
  archived: false,
  ...more,
})

/** A client of an engine with these headers; all other fields are as in a new session. */
function clientOf(headers: Record<string, Partial<SessionHeader>>): Pick<TrestleClient, 'session'> {
  const open = async ({ sessionId }: { sessionId: string }) => ({
    header: { sessionId, model: 'a/b', mode: 'ask', turns: 0, queue: [], addedFolders: [], ...headers[sessionId] },
  })
  return { session: { open } } as unknown as Pick<TrestleClient, 'session'>
}

describe('starting a session without a message', () => {
  it('continues the latest session of the folder that has no messages', async () => {
    const sessions = [
      summary('old'),
      summary('new', { updatedAt: 2 }),
      summary('other', { folder: '/q', updatedAt: 3 }),
    ]
    expect(await untouchedSession(clientOf({}), sessions, wanted)).toBe('new')
  })

  it('skips sessions that were used, named or archived, or are in another folder', async () => {
    const sessions = [
      summary('asked'),
      summary('queued'),
      summary('named'),
      summary('archived', { archived: true }),
      summary('away', { place: 'cluster' }),
      summary('open elsewhere', { elsewhere: 'another window' }),
      summary('scheduled', { scheduleId: 's' }),
    ]
    const headers = {
      asked: { turns: 1 },
      named: { titleIsCustom: true },
      queued: { queue: [{ promptId: 'p', parts: [] }] },
    }
    expect(await untouchedSession(clientOf(headers), sessions, wanted)).toBeUndefined()
  })

  it('starts a new one for another model, mode, effort or agent', async () => {
    const sessions = [summary('plain')]
    const others: Partial<WantedSession>[] = [
      { model: 'a/c' },
      { mode: 'auto' },
      { effort: 'high' },
      { agent: 'explore' },
    ]
    for (const other of others)
      expect(await untouchedSession(clientOf({}), sessions, { ...wanted, ...other })).toBeUndefined()
  })

  it('continues one without a project when none is wanted', async () => {
    const sessions = [summary('project'), summary('scratch', { folder: '/home/me/.trestle-scratch/a1' })]
    expect(await untouchedSession(clientOf({}), sessions, { ...wanted, folder: '' })).toBe('scratch')
  })
})
