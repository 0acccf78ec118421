import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { ENGINE_STOPS, type EngineStatus } from '../model/engine'

/** The engine of a home, where it runs for several clients. In a process of its own, every method answers null. */
export const engineContract = {
  status: oc.output(type<EngineStatus | null>()),
  /**
   * Stops it; answers before it does. `restart`: another engine takes over. The desktop app, which holds it while it is
   * open, refuses with `request.invalid`.
   */
  stop: oc
    .input(z.strictObject({ how: z.enum(ENGINE_STOPS), restart: z.boolean().optional() }))
    .output(type<EngineStatus | null>()),
}
