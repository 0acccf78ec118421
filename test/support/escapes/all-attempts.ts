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
 * What is tried as root, or as another user: as that one everything. As root an attempt that succeeded could harm the
 * machine, so those are left out, and of the others a sample shows that root is confined by the same means.
 */
export function attemptsOf(isRoot: boolean): readonly EscapeAttempt[] {
  return isRoot
    ? sampled(
        ESCAPE_ATTEMPTS.filter(({ isHarmful }) => isHarmful !== true),
        6,
      )
    : ESCAPE_ATTEMPTS
}
