import { sessionsOf } from '../remote/remote-lists'
import { placeFolder, splitPlaceFolder } from '../../../../shared/model/place/place-folder'

/** Namespaces that concern only this machine and its user; their calls never leave it. */
const LOCAL = new Set([
  'app',
  'desktop',
  'editor',
  'engine',
  'settings',
  'place',
  'plugin',
  'mail',
  'memory',
  'alarm',
  'notification',
  'schedule',
])

/** What a call refers to, as needed to route it to a place. */
export interface CallTarget {
  /** The place in a folder of the input. */
  placeId?: string
  sessionId?: string
  taskId?: string
  terminalId?: string
  /** The input to send to the place. */
  input: unknown
}

/** Determines from the input of a call where it belongs; undefined if it certainly concerns this machine. */
export function targetOf(method: string, input: unknown): CallTarget | undefined {
  const [namespace = ''] = method.split('.')
  if (LOCAL.has(namespace) || typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const fields = input as Record<string, unknown>
  for (const name of ['folder', 'path'] as const) {
    const value = fields[name]
    const there = typeof value === 'string' ? splitPlaceFolder(value) : undefined
    if (there) return { placeId: there.placeId, input: { ...fields, [name]: there.path } }
  }
  const text = (name: string): Record<string, string> => {
    const value = fields[name]
    return typeof value === 'string' ? { [name]: value } : {}
  }
  const target = { ...text('sessionId'), ...text('taskId'), ...text('terminalId') }
  return Object.keys(target).length === 0 ? undefined : { ...target, input }
}

/** Methods whose result is or contains the header of a session. */
const HEADERS = new Set(['session.create', 'session.change', 'session.fork', 'plan.enter', 'plan.leave'])

/** Adapts a result of a place for clients here: adds the place to the folders of its sessions. */
export function adaptResult(placeId: string, method: string, result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  if (HEADERS.has(method)) return adaptHeader(placeId, result)
  if (method === 'session.open' && 'header' in result) return { ...result, header: adaptHeader(placeId, result.header) }
  if (method === 'session.list') return sessionsOf(placeId, result)
  if (method === 'folder.list') return adaptListing(placeId, result as Record<string, unknown>)
  return result
}

/** Adds the place to the folder of a header. */
export function adaptHeader(placeId: string, header: unknown): unknown {
  if (typeof header !== 'object' || header === null) return header
  const { folder } = header as { folder?: unknown }
  return typeof folder === 'string' ? { ...header, folder: placeFolder({ placeId, path: folder }) } : header
}

function adaptListing(placeId: string, listing: Record<string, unknown>): unknown {
  const inPlace = (path: unknown): unknown => (typeof path === 'string' ? placeFolder({ placeId, path }) : path)
  const { folders } = listing
  return {
    ...listing,
    path: inPlace(listing['path']),
    ...(listing['parent'] !== undefined && { parent: inPlace(listing['parent']) }),
    folders: Array.isArray(folders)
      ? (folders as { path: unknown }[]).slice(0, 5000).map((one) => ({ ...one, path: inPlace(one.path) }))
      : [],
  }
}
