import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { ENGINE_STOPS, type EngineStatus } from '../../model/app/engine'

const MAX_VARIABLES = 2000

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
  /**
   * Names of environment variables that the client has and the engine has not, or the other way round, or with another
   * value. `marks`: keyed hashes by name, so that no value is sent.
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
