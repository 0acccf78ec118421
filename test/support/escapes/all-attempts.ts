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
