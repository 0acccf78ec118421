import { statSync } from 'node:fs'
import type { SessionHeader } from '../../../shared/model/session'
import type { HeldCheckpoints } from '../checkpoint/create-checkpoints'
import type { Instructions } from '../context/instructions'
import type { Session } from './session'

export interface OwnInstructionsDeps {
  checkpoints: Pick<HeldCheckpoints, 'writtenHere'>
  /** The header of the person's session a subagent belongs to. */
  standing(session: Session): SessionHeader
}

/** A file system may keep coarser times than a clock. */
const COARSE_MS = 2_000

/**
 * The instructions, with a mark on those that agents of the conversation have written themselves: what an injected text had them write would otherwise come back to them as the
 * word of the user.
 */
export async function markOwn(
  { checkpoints, standing }: OwnInstructionsDeps,
  session: Session,
  instructions: readonly Instructions[],
): Promise<Instructions[]> {
  // Of a file that is older than the conversation nothing has to be looked up. Programs can set the time of its content, but not this one.
  const since = standing(session).createdAt - COARSE_MS
  const young = instructions.filter(({ path }) => (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since)
  if (young.length === 0) return [...instructions]
  const written = await checkpoints.writtenHere(
    session,
    young.map(({ path }) => path),
  )
  return instructions.map((file) => (written.has(file.path) ? { ...file, byAgent: true } : file))
}
