import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, failureOf } from '../../../../shared/errors'
import type { MovedIn, MoveStep } from '../../../../shared/model/place/move'
import type { MoveEnd, SealedMove } from './move-ends'

export interface MoveOptions {
  from: MoveEnd
  to: MoveEnd
  sessionId: string
  /** The folder for its project; default: its earlier folder, if it was there before. */
  folder?: string
  /** Real path of TRESTLE_HOME. */
  home: string
  step(step: MoveStep): void
}

/**
 * Moves a session: seals it at its current location, copies it, and receives it at the destination. If that fails, the
 * destination refuses the move and the seal is removed, so that the session continues where it was. It stays sealed
 * only if the outcome is unknown because the connection was lost; moving it to the same place again then finishes the
 * move.
 */
export async function moveSession({
  from,
  to,
  sessionId,
  folder,
  home,
  step,
}: MoveOptions): Promise<MovedIn | undefined> {
  mkdirSync(join(home, 'moves'), { recursive: true, mode: 0o700 })
  const file = join(home, 'moves', `on-its-way-${randomBytes(8).toString('hex')}`)
  let sealed: SealedMove | undefined
  try {
    step('connect')
    const address = await to.address()
    step('seal')
    sealed = await from.out(sessionId, { address, place: to.label }, file, (one) => (sealed = one))
    step('receive')
    return await to.in(file, { sessionId, head: sealed.head, ...(folder !== undefined && { folder }) })
  } catch (error) {
    if (!sealed) throw error
    return await undoMove({ from, to, sessionId, sealed, error })
  } finally {
    rmSync(file, { force: true })
  }
}

/** Makes sure that the session continues at exactly one location, and reports why it was not moved. */
async function undoMove({
  from,
  to,
  sessionId,
  sealed,
  error,
}: Pick<MoveOptions, 'from' | 'to' | 'sessionId'> & { sealed: SealedMove; error: unknown }): Promise<
  MovedIn | undefined
> {
  const why = failureOf(error).message
  try {
    await to.refuse(sealed.moveId)
  } catch (refused) {
    // An attempt whose answer was lost has received it.
    if (codeOf(refused) === 'move.repeated') return undefined
    throw unfinished(to, why, error)
  }
  try {
    await from.cancel(sessionId, sealed.moveId)
  } catch {
    throw unfinished(to, why, error)
  }
  throw error
}

function unfinished({ label }: MoveEnd, why: string, cause: unknown): CodedError {
  return new CodedError(
    'move.unfinished',
    `Whether ${label} has received the session is not known yet: ${why} Move it there again, which finishes the move.`,
    { cause },
  )
}

function codeOf(error: unknown): string | undefined {
  return error instanceof CodedError ? error.code : undefined
}
