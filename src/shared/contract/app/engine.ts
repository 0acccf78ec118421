import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { ENGINE_STOPS, type EngineStatus } from '../../model/app/engine'

const MAX_VARIABLES = 2000

/**
 * The engine of a home, if it serves several clients. A host that runs its own engine returns null from every method.
 */
export const engineContract = {
  status: oc.output(type<EngineStatus | null>()),
  /**
   * Stops it; returns before it stops. `restart`: another engine takes over. The desktop app, which runs the engine
   * while it is open, rejects this with `request.invalid`.
   */
  stop: oc
    .input(z.strictObject({ how: z.enum(ENGINE_STOPS), restart: z.boolean().optional() }))
    .output(type<EngineStatus | null>()),
  /**
   * Names of environment variables that only the client or only the engine has, or that differ. `marks`: keyed hashes
   * by name, so that no value is sent.
   */
  environment: oc
    .input(
      z.strictObject({
        marks: z
          .record(z.string().max(1000), z.string().max(64))
          .refine((marks) => Object.keys(marks).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables`),
      }),
    )
    .output(type<{ different: string[] } | null>()),
}
