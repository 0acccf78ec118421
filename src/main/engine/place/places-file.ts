import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { CodedError } from '../../../shared/errors'
import { PLACE_NAME, type Place } from '../../../shared/model/place/place'
import { withLock } from '../store/database/store-lock'
import { placeLaunch } from '../../../shared/contract/place/place'
import { errorCode } from '../../../shared/error-text'

const place = z.object({
  placeId: z.string().regex(PLACE_NAME),
  launch: placeLaunch,
  home: z.string().optional(),
  program: z.string().optional(),
  models: z.enum(['here', 'there']).optional(),
  keepsRunning: z.boolean().optional(),
  parent: z.string().regex(PLACE_NAME).optional(),
  addedAt: z.number(),
})
const file = z.object({
  version: z.literal(1),
  /** Identifies this home to the places, so that copies of different machines do not mix. */
  clientId: z.string().regex(/^[0-9a-f]{12}$/),
  places: z.array(place),
  /** The most recently removed places, which can be restored. */
  removed: z.array(place).default([]),
  /** The place of each session that was moved from one place to another, by session id, the latest last. */
  moved: z.record(z.string(), z.string()).default({}),
})

type Stored = z.infer<typeof place>
type Contents = z.infer<typeof file>

/** Maximum number of removed places kept. */
const MAX_REMOVED = 20
/** Maximum number of moved sessions whose place is kept. */
const MAX_MOVED = 1000

/** The places of a home, in `places.json`. Every change is on disk before it returns. */
export interface PlacesFile {
  list(): Place[]
  clientId(): string
  get(placeId: string): Place
  add(place: Place): void
  remove(placeId: string): void
  restore(placeId: string): Place
  /** The place to which a session was moved from another one; undefined if it was not. */
  movedTo(sessionId: string): string | undefined
  /** Records that a session was moved; `null`: to this machine. */
  noteMove(sessionId: string, to: string | null): void
  /** Removes it so that it cannot be restored. */
  forget(placeId: string): void
}

export function openPlacesFile(home: string): PlacesFile {
  const path = join(home, 'places.json')
  const read = (): Contents => {
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return { version: 1, clientId: randomBytes(6).toString('hex'), places: [], removed: [], moved: {} }
    }
    const parsed = file.safeParse(asJson(text))
    if (!parsed.success)
      throw new CodedError(
        'store.unreadable',
        `${path} cannot be read: ${parsed.error.issues[0]?.message ?? ''}. Repair or remove it.`,
      )
    return parsed.data
  }
  let known: { of: string; moved: Contents['moved'] } | undefined
  /** Called for each session of a list, so the file is read again only if it was replaced. */
  const moved = (): Contents['moved'] => {
    const stat = statSync(path, { throwIfNoEntry: false })
    const of = stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`
    if (known?.of !== of) known = { of, moved: read().moved }
    return known.moved
  }
  const write = (contents: Contents): void => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const aside = `${path}.${process.pid}.tmp`
    writeFileSync(aside, `${JSON.stringify(contents, undefined, 2)}\n`, { mode: 0o600 })
    renameSync(aside, path)
  }
  /**
   * Changes the current contents on disk, because other processes of the home change them, too. Undefined: no change.
   */
  const update = (change: (contents: Contents) => Contents | undefined): void => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    withLock(`${path}.lock`, () => {
      const changed = change(read())
      if (changed) write(changed)
    })
  }
  return {
    list: () => read().places,
    clientId() {
      let clientId = ''
      update((contents) => {
        clientId = contents.clientId
        return existsSync(path) ? undefined : contents
      })
      return clientId
    },
    get: (placeId) => find(read().places, placeId),
    add(added) {
      update((contents) => {
        if (contents.places.some(({ placeId }) => placeId.toLowerCase() === added.placeId.toLowerCase()))
          throw new CodedError('place.taken', `There is a place "${added.placeId}" already.`)
        return { ...contents, places: [...contents.places, added] }
      })
    },
    remove(placeId) {
      update((contents) => {
        const removed = find(contents.places, placeId)
        return {
          ...contents,
          places: contents.places.filter((one) => one.placeId !== placeId),
          removed: [removed, ...contents.removed.filter((one) => one.placeId !== placeId)].slice(0, MAX_REMOVED),
        }
      })
    },
    restore(placeId) {
      let restored: Place | undefined
      update((contents) => {
        const found = find(contents.removed, placeId)
        // Case-insensitive, as when adding a place.
        if (contents.places.some((one) => one.placeId.toLowerCase() === placeId.toLowerCase()))
          throw new CodedError('place.taken', `There is a place "${placeId}" again.`)
        restored = found
        return {
          ...contents,
          places: [...contents.places, found],
          removed: contents.removed.filter((one) => one !== found),
        }
      })
      return restored!
    },
    movedTo(sessionId) {
      const all = moved()
      return Object.hasOwn(all, sessionId) ? all[sessionId] : undefined
    },
    noteMove(sessionId, to) {
      update((contents) => {
        const others = Object.entries(contents.moved).filter(([id]) => id !== sessionId)
        if (to === null && others.length === Object.keys(contents.moved).length) return undefined
        const latest = [...others, ...(to === null ? [] : [[sessionId, to] as const])].slice(-MAX_MOVED)
        return { ...contents, moved: Object.fromEntries(latest) }
      })
    },
    forget(placeId) {
      update((contents) => ({ ...contents, places: contents.places.filter((one) => one.placeId !== placeId) }))
    },
  }
}

function find(list: readonly Stored[], placeId: string): Stored {
  const found = list.find((one) => one.placeId === placeId)
  if (!found) throw new CodedError('place.not_found', `There is no place "${placeId}".`)
  return found
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
