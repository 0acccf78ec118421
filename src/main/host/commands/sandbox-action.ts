import { UsageError, type Parsed } from '../../console/parse-command'
import type { Settings } from '../../engine/config/settings/settings'
import type { SandboxedSession, Sandboxes } from '../../engine/sandbox/create-sandboxes'

/** The input of both actions: a folder, configured as for a session in it. */
export interface SandboxAction {
  sandboxes: Sandboxes
  session: SandboxedSession
  settings: Settings
  home: string
  values: Parsed['values']
}

/** Wrong usage of `trestle sandbox`. */
export function usageError(message: string): UsageError {
  return new UsageError(message, 'sandbox')
}
