import { setImmediate as breathe } from 'node:timers/promises'
import { CodedError } from '../../../shared/errors'
import type { HistoriesCheck, HistoryCheck } from '../../../shared/model/history'
import type { HistoryRows } from '../store/chain/history-rows'
import type { Store } from '../store/store'
import { walkChain } from './check-chain'

export interface VerifyDeps {
  rows: HistoryRows
  store: Pick<Store, 'header'>
}

/** Checks the history of a session against its hashes. `expect`: a hash that was noted earlier and must be in it. */
export async function verifyHistory(
  { rows, store }: VerifyDeps,
  sessionId: string,
  expect?: string,
): Promise<HistoryCheck> {
  const header = headerOf(store, sessionId)
  if (!header && !rows.ids().includes(sessionId))
    throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  const { problem: found, ...walk } = await walkChain(rows, sessionId, {
    breathe: () => breathe(),
    ...(expect !== undefined && { expect }),
  })
  const problem =
    found ??
    (expect !== undefined && walk.expectedAt === undefined
      ? {
          kind: 'rewritten' as const,
          seq: 1,
          text: 'No event has the hash that was given: it belongs to another session, or the whole history was rewritten.',
        }
      : undefined)
  return { sessionId, title: header?.title ?? '', ok: problem === undefined, ...walk, ...(problem && { problem }) }
}

/** Checks all sessions. */
export async function verifyHistories(deps: VerifyDeps): Promise<HistoriesCheck> {
  const all: HistoriesCheck = { ok: true, sessions: 0, events: 0, failed: [] }
  for (const sessionId of deps.rows.ids()) {
    let check: HistoryCheck
    try {
      check = await verifyHistory(deps, sessionId)
    } catch (error) {
      // It was removed while others were checked.
      if (error instanceof CodedError && error.code === 'session.not_found') continue
      throw error
    }
    all.sessions += 1
    all.events += check.events
    if (!check.ok) all.failed.push(check)
  }
  all.ok = all.failed.length === 0
  return all
}

/** Undefined also when it cannot be read: the check then says what is wrong with the events. */
function headerOf(store: Pick<Store, 'header'>, sessionId: string): { title: string } | undefined {
  try {
    return store.header(sessionId)
  } catch {
    return undefined
  }
}
