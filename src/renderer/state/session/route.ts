import { PAGE_PATHS } from '../../../shared/contract/page-host'
import { SETTINGS_SECTIONS, type MainView, useLayout } from '../page/layout-state'
import type { TrestleClient } from '../../../shared/contract'
import { goToMessage } from './session-view'

/** The address of a view: what the browser shows, keeps in its history, and can be bookmarked. */
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
    default:
      return `${joined(PAGE_PATHS.new)}${view.folder === undefined ? '' : `?${new URLSearchParams({ folder: view.folder }).toString()}`}`
  }
}

/** The view at an address; undefined where the address names none. */
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
    case PAGE_PATHS.new: {
      const folder = new URLSearchParams(search).get('folder')
      return { kind: 'new', ...(folder !== null && { folder }) }
    }
    default:
      return undefined
  }
}

/** The event of a session that the part of an address behind `#` names. */
export function messageOf(hash: string): number | undefined {
  return /^#\d{1,15}$/.test(hash) ? Number(hash.slice(1)) : undefined
}

/** Whether links to the page lead anywhere: a browser opens them, but nothing on the machine knows the desktop app's own addresses. */
export const hasLinks = typeof location !== 'undefined' && location.protocol.startsWith('http')

/** A link that opens the session, at one of its messages if `seq` is given. */
export function linkTo(origin: string, sessionId: string, seq?: number): string {
  return `${origin}${pathOf({ kind: 'session', sessionId })}${seq === undefined ? '' : `#${seq}`}`
}

function joined(...segments: (string | undefined)[]): string {
  return segments
    .filter((segment) => segment !== undefined)
    .map((segment) => `/${encodeURIComponent(segment)}`)
    .join('')
}

/** A segment as it was before it was written into the address; undefined for an empty or damaged one. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined
  } catch {
    return undefined
  }
}

/**
 * Keeps the address of the page and what is on screen the same: the page opens at its address, Back and Forward go through what was open, and the view
 * the user chooses gets its own entry. Returns how to stop.
 */
export function followRoute(client: TrestleClient): () => void {
  const open = (): void => {
    const view = viewOf(location.pathname, location.search)
    if (view) show(view)
    else history.replaceState(null, '', pathOf(useLayout.getState().view))
    const seq = messageOf(location.hash)
    // What cannot be found is the conversation's to tell.
    if (view?.kind === 'session' && seq !== undefined) goToMessage(client, view.sessionId, seq).catch(() => undefined)
  }
  const stop = useLayout.subscribe((now, before) => {
    if (now.view === before.view) return
    const path = pathOf(now.view)
    if (path === location.pathname + location.search) return
    // A session that is gone is no place to come back to.
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
