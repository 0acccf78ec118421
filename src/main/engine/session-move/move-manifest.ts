import { hash } from 'node:crypto'
import { z } from 'zod'
import { MOVE_FORMAT, MOVE_VERSION } from './move-file'

const id = z
  .string()
  .regex(/^[\w.-]{1,100}$/)
  .refine((text) => !text.startsWith('.'))
const path = z.string().min(1).max(10_000)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const object = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)

/** The first record of a move file. */
export const moveManifest = z.object({
  format: z.literal(MOVE_FORMAT),
  version: z.literal(MOVE_VERSION),
  moveId: id,
  sessionId: id,
  epoch: z.int().min(1).max(1_000_000),
  /** Addresses of homes. */
  from: id,
  to: id,
  /** The folder of the session, and the home, on the source computer. */
  folder: path,
  home: path,
})

/** Names of plans. Files with other names are not plans and are not moved. */
export const PLAN_FILE = /^plans\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/

export type MoveManifest = z.output<typeof moveManifest>

/** One event in a move file: number, time, type, and the recorded text. */
export const movedEvent = z.tuple([
  z.int().min(1),
  z.int().min(0).max(8_640_000_000_000_000),
  z.string().min(1).max(100),
  z.string(),
])

/** The event that seals a session, as read from a file. */
export const sealEvent = z.object({
  type: z.literal('session.sealed'),
  moveId: id,
  epoch: z.int().min(1),
  to: id,
  agents: z.array(z.object({ sessionId: id, seq: z.int().min(0), hash: digest })).max(100_000),
  contents: digest,
  project: z
    .object({
      commit: object,
      branch: z
        .string()
        .min(1)
        .max(1000)
        .regex(/^(?!-)(?!.*\.\.)[^\s\p{Cc}~^:?*[\\]+$/u)
        .optional(),
      tree: object,
      index: object.optional(),
      folder: z
        .string()
        .max(10_000)
        .refine((text) => !text.startsWith('/') && !text.split('/').includes('..')),
    })
    .optional(),
})

/** The digest of everything that moves with the events. `parts`: kind, name and SHA-256 of each. */
export function contentsDigest(parts: readonly { kind: string; name: string; hash: string }[]): string {
  const lines = parts.map(({ kind, name, hash: of }) => `${kind} ${of} ${name}\n`).toSorted()
  return hash('sha256', lines.join(''), 'hex')
}
