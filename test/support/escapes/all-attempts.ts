import { sampled } from '../sampled'
import type { EscapeAttempt } from './attempt'
import { FILE_ATTEMPTS } from './file-attempts'
import { GIT_ATTEMPTS } from './git-attempts'
import { KERNEL_ATTEMPTS } from './kernel-attempts'
import { NETWORK_ATTEMPTS } from './network-attempts'
import { PROCESS_ATTEMPTS } from './process-attempts'
import { SESSION_ATTEMPTS } from './session-attempts'

/** The result of an attempt: `failures` is empty when the sandbox held. */
export interface AttemptResult {
  name: string
  failures: string[]
  /** The end of its output. */
  output: string
}

export const ESCAPE_ATTEMPTS: readonly EscapeAttempt[] = [
  ...FILE_ATTEMPTS,
  ...GIT_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...KERNEL_ATTEMPTS,
  ...NETWORK_ATTEMPTS,
  ...SESSION_ATTEMPTS,
]

/**
 * The attempts to run as root, or as another user: as the latter, all of them. A successful attempt as root could harm
 * the machine, so those are excluded, and a sample of the others shows that root is confined in the same way.
 */
export function attemptsOf(isRoot: boolean): readonly EscapeAttempt[] {
  return isRoot
    ? sampled(
        ESCAPE_ATTEMPTS.filter(({ isHarmful }) => isHarmful !== true),
        6,
      )
    : ESCAPE_ATTEMPTS
}
