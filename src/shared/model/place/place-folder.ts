import { PLACE_NAME } from './place'

/** A folder on a place, as its sessions name it. */
export interface PlaceFolder {
  placeId: string
  /** Absolute path there, or `~`. */
  path: string
}

const PREFIX = 'place://'

/** The address of a folder on a place: `place://build-box/srv/app`. */
export function placeFolder({ placeId, path }: PlaceFolder): string {
  return `${PREFIX}${placeId}${path.startsWith('/') ? '' : '/'}${path}`
}

/** The parts of such an address; undefined for a folder of this machine. */
export function splitPlaceFolder(folder: string): PlaceFolder | undefined {
  if (!folder.startsWith(PREFIX)) return undefined
  const slash = folder.indexOf('/', PREFIX.length)
  const placeId = folder.slice(PREFIX.length, slash < 0 ? undefined : slash)
  if (!PLACE_NAME.test(placeId)) return undefined
  const path = slash < 0 ? '~' : folder.slice(slash)
  return { placeId, path: path === '/' && slash < 0 ? '~' : /^\/~(?:\/|$)/.test(path) ? path.slice(1) : path }
}

/** The path without its place. */
export function pathInPlace(folder: string): string {
  return splitPlaceFolder(folder)?.path ?? folder
}
