import { isRecord } from '../../../shared/json-fields'
import { browserStorage } from '../page/browser-storage'
import { paneKey, type Pane } from './pane'
import { groupsOf, panesIn, withPane, type PaneNode } from './pane-tree'

/** The panes of one session. */
export interface SessionPanes {
  root: PaneNode
  /** Key of the last used pane: it is shown if only one fits, and the next pane opens at it. */
  front: string
  /** The group that fills the whole area. */
  maximized?: string
}

const KEY = 'trestle.panes'
/** Maximum number of stored layouts; the least recently changed are dropped. */
const MAX_LAYOUTS = 200

/** The pane that shows a session's own conversation. It is always there. */
export function conversationPane(sessionId: string): Pane {
  return { kind: 'session', sessionId }
}

/** The layout of a session that has no other panes. */
export function noPanes(sessionId: string): SessionPanes {
  const pane = conversationPane(sessionId)
  const key = paneKey(pane)
  return { root: { kind: 'group', id: 'p1', tabs: [pane], active: key }, front: key }
}

/** The stored layout of a session; the default one if it is missing or cannot be read. */
export function readPanes(sessionId: string): SessionPanes {
  return parsePanes(sessionId, readAll()[sessionId])
}

/** Stores a layout; `undefined` removes it. */
export function writePanes(sessionId: string, panes: SessionPanes | undefined): void {
  const { [sessionId]: _old, ...others } = readAll()
  const all = Object.entries(others)
  if (panes && panesIn(panes.root).length > 1) all.push([sessionId, panes])
  const kept = all.slice(-MAX_LAYOUTS)
  browserStorage.write(KEY, kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept)))
}

function readAll(): Record<string, unknown> {
  try {
    const all: unknown = JSON.parse(browserStorage.read(KEY) ?? '{}')
    return isRecord(all) ? all : {}
  } catch {
    return {}
  }
}

/** A layout from stored data. Damaged parts are dropped; the conversation is always included. */
export function parsePanes(sessionId: string, value: unknown): SessionPanes {
  const plain = noPanes(sessionId)
  if (!isRecord(value)) return plain
  const seen = new Set<string>()
  let root = parseNode(value['root'], seen, new Set(), 0)
  if (!root) return plain
  const own = conversationPane(sessionId)
  const [first] = groupsOf(root)
  if (first && !seen.has(paneKey(own))) root = withPane(root, own, { groupId: first.id, side: 'left' })
  const front = value['front']
  const maximized = value['maximized']
  return {
    root,
    front: typeof front === 'string' && seen.has(front) ? front : paneKey(own),
    ...(groupsOf(root).some(({ id }) => id === maximized) && { maximized: maximized as string }),
  }
}

/** Trees deeper than a user can create are damaged. */
const MAX_DEPTH = 12

function parseNode(value: unknown, seen: Set<string>, ids: Set<string>, depth: number): PaneNode | undefined {
  if (!isRecord(value) || depth > MAX_DEPTH) return undefined
  const { id } = value
  if (typeof id !== 'string' || !/^p\d{1,9}$/.test(id) || ids.has(id)) return undefined
  ids.add(id)
  if (Array.isArray(value['tabs'])) {
    const tabs = value['tabs'].filter(isPane).filter((pane) => {
      const key = paneKey(pane)
      return !seen.has(key) && seen.add(key)
    })
    const [first] = tabs
    if (!first) return undefined
    const active = tabs.find((tab) => paneKey(tab) === value['active']) ?? first
    return { kind: 'group', id, tabs, active: paneKey(active) }
  }
  if (!Array.isArray(value['children'])) return undefined
  const children = value['children']
    .map((child) => parseNode(child, seen, ids, depth + 1))
    .filter((child) => child !== undefined)
  const [only] = children
  if (!only || children.length === 1) return only
  const stored = isRecord(value['sizes']) ? value['sizes'] : {}
  const sizes = Object.fromEntries(
    children.flatMap((child) => {
      const size = stored[child.id]
      return typeof size === 'number' && size > 0 && size < 100 ? [[child.id, size] as const] : []
    }),
  )
  return { kind: 'split', id, direction: value['direction'] === 'down' ? 'down' : 'right', children, sizes }
}

function isPane(value: unknown): value is Pane {
  if (!isRecord(value)) return false
  const optional = (type: string, ...names: string[]): boolean =>
    names.every((name) => value[name] === undefined || typeof value[name] === type)
  switch (value['kind']) {
    case 'files':
    case 'git':
      return true
    case 'file':
      return typeof value['path'] === 'string' && optional('number', 'line', 'column')
    case 'review':
      return isReviewScope(value['scope'])
    case 'terminal':
      return typeof value['terminalId'] === 'string'
    case 'tasks':
      return optional('string', 'taskId')
    case 'preview':
      return typeof value['url'] === 'string' && /^https?:/.test(value['url']) && URL.canParse(value['url'])
    case 'session':
      return typeof value['sessionId'] === 'string'
    default:
      return false
  }
}

function isReviewScope(scope: unknown): boolean {
  if (!isRecord(scope)) return false
  if (scope['kind'] === 'turn') return typeof scope['turnId'] === 'string'
  if (scope['kind'] === 'branch') return typeof scope['base'] === 'string'
  return scope['kind'] === 'session'
}
