import { PAGE_PATHS } from '../../../shared/contract/page-host'
import { SETTINGS_SECTIONS, type MainView, useLayout } from '../page/layout-state'
import type { TrestleClient } from '../../../shared/contract'
import { goToMessage } from './session-view'

/** The URL path of a view: shown by the browser, kept in its history, and bookmarkable. */
export function pathOf(view: MainView): string {
  switch (view.kind) {
    case 'session':
      return joined(PAGE_PATHS.session, view.sessionId)
    case 'settings':
      return joined(PAGE_PATHS.settings, view.section, view.item)
    case 'tasks':
      return joined(PAGE_PATHS.tasks, view.taskId)
    case 'inbox':
      return joined(PAGE_PATHS.inbox)
    case 'notifications':
      return joined(PAGE_PATHS.notifications)
    case 'usage':
      return joined(PAGE_PATHS.usage)
    case 'memory':
      return joined(PAGE_PATHS.memory, view.id?.toString())
    case 'schedules':
      return joined(PAGE_PATHS.schedules, view.id)
    default:
      return (
        joined(PAGE_PATHS.new) +
        (view.folder === undefined ? '' : `?${new URLSearchParams({ folder: view.folder }).toString()}`)
      )
  }
}

/** The view at a path; undefined when the path names no view. */
export function viewOf(path: string, search = ''): MainView | undefined {
  const [kind, first, second] = path.split('/').slice(1).map(decoded)
  switch (kind) {
    case PAGE_PATHS.session:
      return first === undefined ? undefined : { kind: 'session', sessionId: first }
    case PAGE_PATHS.settings: {
      const section = SETTINGS_SECTIONS.find((name) => name === first) ?? 'providers'
      return { kind: 'settings', section, ...(second !== undefined && { item: second }) }
    }
    case PAGE_PATHS.tasks:
      return { kind: 'tasks', ...(first !== undefined && { taskId: first }) }
    case PAGE_PATHS.inbox:
      return { kind: 'inbox' }
    case PAGE_PATHS.usage:
      return { kind: 'usage' }
    case PAGE_PATHS.notifications:
      return { kind: 'notifications' }
    case PAGE_PATHS.memory: {
      const id = Number(first)
      return { kind: 'memory', ...(Number.isSafeInteger(id) && id > 0 && { id }) }
    }
    case PAGE_PATHS.schedules:
      return { kind: 'schedules', ...(first !== undefined && { id: first }) }
    case PAGE_PATHS.new: {
      const folder = new URLSearchParams(search).get('folder')
      return { kind: 'new', ...(folder !== null && { folder }) }
    }
    default:
      return undefined
  }
}

/** The event of a session that the fragment of a URL names. */
export function messageOf(hash: string): number | undefined {
  return /^#\d{1,15}$/.test(hash) ? Number(hash.slice(1)) : undefined
}

/**
 * Whether links to the page work elsewhere: a browser opens them, but no other program knows the desktop app's own
 * URLs.
 */
export const hasLinks = typeof location !== 'undefined' && location.protocol.startsWith('http')

/** A link that opens the session, at one of its messages if `seq` is set. */
export function linkTo(origin: string, sessionId: string, seq?: number): string {
  return `${origin}${pathOf({ kind: 'session', sessionId })}${seq === undefined ? '' : `#${seq}`}`
}

function joined(...segments: (string | undefined)[]): string {
  return segments
    .filter((segment) => segment !== undefined)
    .map((segment) => `/${encodeURIComponent(segment)}`)
    .join('')
}

/** A decoded segment of the path; undefined for an empty or damaged one. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined
  } catch {
    return undefined
  }
}

/**
 * Keeps the URL of the page in sync with the view: the page opens the view at its URL, Back and Forward go through
 * earlier views, and each view the user chooses gets a history entry. Returns the stop function.
 */
export function followRoute(client: TrestleClient): () => void {
  const open = (): void => {
    const view = viewOf(location.pathname, location.search)
    if (view) show(view)
    else history.replaceState(null, '', pathOf(useLayout.getState().view))
    const seq = messageOf(location.hash)
    // The conversation reports an event that cannot be found.
    if (view?.kind === 'session' && seq !== undefined) goToMessage(client, view.sessionId, seq).catch(() => undefined)
  }
  const stop = useLayout.subscribe((now, before) => {
    if (now.view === before.view) return
    const path = pathOf(now.view)
    if (path === location.pathname + location.search) return
    // Do not return to a deleted session.
    const gone =
      before.view.kind === 'session' && now.view.kind === 'new' && now.lastSessionId !== before.view.sessionId
    if (gone) history.replaceState(null, '', path)
    else history.pushState(null, '', path)
  })
  open()
  window.addEventListener('popstate', open)
  return () => {
    stop()
    window.removeEventListener('popstate', open)
  }
}

function show(view: MainView): void {
  const { openSession } = useLayout.getState()
  if (view.kind === 'session') openSession(view.sessionId)
  else useLayout.setState({ view, drawer: 'none' })
}
