import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { MovedIn } from '../../../../shared/model/place/move'
import { placeFolder, splitPlaceFolder } from '../../../../shared/model/place/place-folder'
import { CodedError } from '../../../../shared/errors'
import type { SessionMoves } from '../../session-move/session-moves'
import type { ConnectedPlace } from '../connection/connected-place'
import { plainLine } from '../remote/plain-text'
import { misbehaved } from '../remote/wire-link'

/** One side of a move; `file` is always on this machine. */
export interface MoveEnd {
  /** Its name as shown to the other side. */
  label: string
  address(): Promise<string>
  /**
   * Seals a session and writes it to a new file. `isSealed` is called with the seal, which remains even if copying the
   * file fails afterwards.
   */
  out(
    sessionId: string,
    to: { address: string; place: string },
    file: string,
    isSealed: (sealed: SealedMove) => void,
  ): Promise<SealedMove>
  in(file: string, options: { sessionId: string; folder?: string; head: string }): Promise<MovedIn>
  refuse(moveId: string): Promise<void>
  cancel(sessionId: string, moveId: string): Promise<void>
}

export interface SealedMove {
  moveId: string
  bytes: number
  head: string
}

/** Maximum size of a move that a place can send, in bytes. */
const MAX_BYTES = 16 * 2 ** 30

/** This machine. */
export function localEnd(moves: SessionMoves): MoveEnd {
  return {
    label: hostname(),
    address: async () => (await moves.address()).address,
    out: (sessionId, to, file) => moves.out(sessionId, file, to),
    in: (file, { folder, ...options }) =>
      receive(folder, (into) => moves.in(file, { ...options, ...(into !== undefined && { folder: resolve(into) }) })),
    refuse: (moveId) => moves.refuse(moveId),
    cancel: async (sessionId, moveId) => void (await moves.cancel(sessionId, moveId)),
  }
}

const addressOf = z.object({ address: z.string().regex(/^home-[\w-]{1,90}$/) })
const sealedOf = z.object({
  moveId: z.string().regex(/^move-[\w-]{1,90}$/),
  file: z.string().min(1).max(4096),
  bytes: z.int().min(1).max(MAX_BYTES),
  head: z.string().regex(/^[0-9a-f]{64}$/),
})
const line = (max: number) => z.string().transform((text) => plainLine(text, max))
const movedOf = z.object({
  moveId: z.string().max(100),
  sessionId: z.string().max(100),
  title: line(300),
  folder: line(4096),
  epoch: z.int().min(1),
  events: z.int().min(0),
  contents: z.int().min(0),
  project: z.enum(['written', 'present', 'none']),
  notes: z.array(line(2000)).max(100),
  head: z.string().regex(/^[0-9a-f]{64}$/),
})

/**
 * A place: its engine does the same, and the file is copied over the connection. `tell` reports the progress of the
 * copy.
 */
export function placeEnd({ place, remote, launcher }: ConnectedPlace, progress: (text: string) => void): MoveEnd {
  const { placeId } = place
  const folder = async (): Promise<string> => {
    const { stdout, exitCode } = await launcher.run(
      'umask 077; mkdir -p "$HOME/.trestle-server/moves" && cd "$HOME/.trestle-server/moves" && pwd -P',
    )
    const path = stdout.trim()
    if (exitCode !== 0 || !path.startsWith('/'))
      throw new CodedError('place.copy_failed', 'The home folder there cannot be written.')
    return path
  }
  const drop = (path: string): Promise<unknown> => launcher.run(`rm -f -- '${path}'`).catch(() => undefined)
  return {
    label: placeId,
    address: async () => parsedAnswer(addressOf, await remote.call('move.address', undefined)).address,
    async out(sessionId, to, file, isSealed) {
      // The path is on the engine's machine, and must not exist yet.
      const path = `${await folder()}/${nameOf(file)}`
      try {
        const sealed = parsedAnswer(
          sealedOf,
          await remote.call('move.out', { sessionId, file: path, to: to.address, place: to.place }),
        )
        isSealed(sealed)
        await launcher.download(path, file, { bytes: sealed.bytes, progress })
        return sealed
      } finally {
        await drop(path)
      }
    },
    async in(file, { sessionId, head, folder: wanted }) {
      const path = `${await folder()}/${nameOf(file)}`
      try {
        await launcher.upload(file, path, { progress })
        const moved = parsedAnswer(
          movedOf,
          await receive(wanted, async (into) =>
            remote.call('move.in', {
              file: path,
              head,
              ...(into !== undefined && { folder: await realFolder(splitPlaceFolder(into)?.path ?? into) }),
            }),
          ),
        )
        if (moved.sessionId !== sessionId) throw misbehaved('a session that was not moved')
        return { ...moved, folder: placeFolder({ placeId, path: moved.folder }) }
      } finally {
        await drop(path)
      }
    },
    refuse: async (moveId) => void (await remote.call('move.refuse', { moveId })),
    cancel: async (sessionId, moveId) => void (await remote.call('move.cancel', { sessionId, moveId })),
  }

  /** Resolves `~`, the home folder there, which only that machine knows. */
  async function realFolder(path: string): Promise<string> {
    if (path !== '~' && !path.startsWith('~/')) return path
    const { stdout } = await launcher.run('cd && pwd -P')
    return stdout.trim() + path.slice(1)
  }
}

/** Receives it in its earlier folder, if it was there before; otherwise in the folder that the user chose. */
async function receive<Moved>(
  folder: string | undefined,
  call: (folder: string | undefined) => Promise<Moved>,
): Promise<Moved> {
  try {
    return await call(undefined)
  } catch (error) {
    if (folder === undefined || !(error instanceof CodedError) || error.code !== 'request.invalid') throw error
    return call(folder)
  }
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/[^\w.-]/g, '')
}

function parsedAnswer<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw misbehaved('an answer about a move that cannot be read')
  return parsed.data
}
