import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { HomeAddress, MovedIn, MovedOut } from '../../model/place/move'
import type { SessionHeader } from '../../model/session/session'

const sessionId = z.string().min(1).max(100)
const moveId = z.string().regex(/^move-[\w-]{1,90}$/)
const path = z.string().min(1).max(10_000)
const address = z.string().regex(/^home-[\w-]{1,90}$/)

/** Moving sessions between homes, also on other machines: each is active in one of them at most. */
export const moveContract = {
  /** The address of this home, which a session is sealed for. */
  address: oc.output(type<HomeAddress>()),
  /**
   * Seals a session for the home with the address `to`, and writes it to a new file on the engine's machine. From then
   * on nothing can be added to it here. Called again, it writes the same file again. `place`: what the user calls that
   * home.
   */
  out: oc
    .input(z.strictObject({ sessionId, file: path, to: address, place: z.string().min(1).max(200).optional() }))
    .output(type<MovedOut>()),
  /**
   * Receives a session from a file on the engine's machine. `folder`: where its project is put, when it was never here.
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
  /** Notes that a move is never to be received here, so that it can be cancelled. `move.repeated` when it was. */
  refuse: oc.input(z.strictObject({ moveId })).output(type<void>()),
  /** Takes the seal off a session. Only when it was never received: have the other home refuse the move first. */
  cancel: oc.input(z.strictObject({ sessionId, moveId })).output(type<SessionHeader>()),
}
