import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { HomeAddress, MovedIn, MovedOut } from '../../model/place/move'
import type { SessionHeader } from '../../model/session/session'

const sessionId = z.string().min(1).max(100)
const moveId = z.string().regex(/^move-[\w-]{1,90}$/)
const path = z.string().min(1).max(10_000)
const address = z.string().regex(/^home-[\w-]{1,90}$/)

/** Moving sessions between homes, also on other machines: a session is active in at most one of them. */
export const moveContract = {
  /** The address of this home; sessions are sealed for an address. */
  address: oc.output(type<HomeAddress>()),
  /**
   * Seals a session for the home with the address `to`, and writes it to a new file on the engine's machine. After
   * that, nothing can be added to it here. Another call writes the same file again. `place`: the user's name for that
   * home.
   */
  out: oc
    .input(z.strictObject({ sessionId, file: path, to: address, place: z.string().min(1).max(200).optional() }))
    .output(type<MovedOut>()),
  /**
   * Receives a session from a file on the engine's machine. `folder`: where to put its project if it was never here.
   * `head`: the hash that `out` returned, which proves that the file was not rewritten.
   */
  in: oc
    .input(
      z.strictObject({
        file: path,
        folder: path.optional(),
        head: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional(),
      }),
    )
    .output(type<MovedIn>()),
  /**
   * Records that a move must never be received here, so that it can be cancelled. `move.repeated` if it was received.
   */
  refuse: oc.input(z.strictObject({ moveId })).output(type<void>()),
  /** Removes the seal from a session. Only if it was never received: have the other home refuse the move first. */
  cancel: oc.input(z.strictObject({ sessionId, moveId })).output(type<SessionHeader>()),
}
