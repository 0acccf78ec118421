import type { SandboxStatus } from '../../shared/model/sandbox'
import { confinementOf, type Confinement } from '../../shared/model/sandbox-words'
import { useSettings } from './settings-query'

/** Whether commands are sandboxed: in the session that `status` is of, or, without one, on this machine. */
export function useConfinement(status: SandboxStatus | undefined): Confinement {
  const { data: settings } = useSettings()
  return confinementOf(status, settings?.sandbox)
}
