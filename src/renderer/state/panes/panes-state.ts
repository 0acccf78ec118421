import { create } from 'zustand'
import { useLayout } from '../page/layout-state'
import { showNoticeToast } from '../page/toasts-state'
import { mayClosePane } from './close-guards'
import { paneKey, type Pane, type PaneKind } from './pane'
import {
  groupsOf,
  groupWith,
  panesIn,
  withActive,
  withMoved,
  withoutPane,
  withPane,
  withReplaced,
  withSizes,
  type PanePlace,
  type PaneGroup,
} from './pane-tree'
import { conversationPane, noPanes, readPanes, writePanes, type SessionPanes } from './stored-panes'

/** Maximum number of sessions on screen, including the one that owns the panes. */
export const MAX_SESSIONS = 4

interface PanesState {
  /** The layouts of sessions opened in this window. */
  bySession: Readonly<Record<string, SessionPanes>>
  /** Key of the pane whose tab was moved last, to focus the moved tab. */
  moved: { key: string } | undefined
  /** Key of the pane that was opened last and has not taken the focus yet. */
  opened: string | undefined
}

export const usePanes = create<PanesState>()(() => ({ bySession: {}, moved: undefined, opened: undefined }))

/** Unchanged layouts from storage, so that a selector returns the same object each time. */
const stored = new Map<string, SessionPanes>()

function panesOf({ bySession }: PanesState, sessionId: string): SessionPanes {
  const known = bySession[sessionId] ?? stored.get(sessionId)
  if (known) return known
  const read = readPanes(sessionId)
  stored.set(sessionId, read)
  return read
}

/** The panes of a session. */
export function useSessionPanes(sessionId: string): SessionPanes {
  return usePanes((state) => panesOf(state, sessionId))
}

/** The panes of a session now. */
export function sessionPanes(sessionId: string): SessionPanes {
  return panesOf(usePanes.getState(), sessionId)
}

function change(sessionId: string, next: (panes: SessionPanes) => SessionPanes): void {
  const before = sessionPanes(sessionId)
  const after = next(before)
  if (after === before) return
  usePanes.setState(({ bySession }) => ({ bySession: { ...bySession, [sessionId]: after } }))
  writePanes(sessionId, after)
}

/** Opens a pane beside a session's conversation, or shows the tab with the same key and updates its content. */
export function openPane(sessionId: string, pane: Pane, place?: PanePlace): void {
  const key = paneKey(pane)
  const { root } = sessionPanes(sessionId)
  const isOpen = groupWith(root, key) !== undefined
  if (!isOpen && pane.kind === 'session') {
    const shown = panesIn(root).filter(({ kind }) => kind === 'session').length
    if (shown >= MAX_SESSIONS)
      return showNoticeToast(`${MAX_SESSIONS} sessions are open side by side. Close one to open another.`, 'warning')
  }
  change(sessionId, (panes) => {
    const next = isOpen
      ? withActive(withReplaced(panes.root, pane), key)
      : withPane(panes.root, pane, place ?? placeForNew(panes, sessionId, pane))
    return withFront({ ...panes, root: next }, key)
  })
  usePanes.setState({ opened: key })
}

/** Whether the pane was just opened, and so takes the focus; true only once. */
export function takesFocus(key: string): boolean {
  const isOpened = usePanes.getState().opened === key
  if (isOpened) usePanes.setState({ opened: undefined })
  return isOpened
}

/** Closes a tab; the session's own conversation stays. */
export function closePane(sessionId: string, key: string): void {
  closePanes(sessionId, [key])
}

/** Closes the other tabs of the group. */
export function closeOtherPanes(sessionId: string, key: string): void {
  const group = groupWith(sessionPanes(sessionId).root, key)
  if (group)
    closePanes(
      sessionId,
      group.tabs.map(paneKey).filter((other) => other !== key),
    )
}

function closePanes(sessionId: string, keys: readonly string[]): void {
  const own = paneKey(conversationPane(sessionId))
  change(sessionId, (panes) => {
    let { root, front } = panes
    for (const key of keys) {
      if (key === own || !mayClosePane(sessionId, key)) continue
      const group = groupWith(root, key)
      root = withoutPane(root, key) ?? noPanes(sessionId).root
      if (front === key) front = groupsOf(root).find(({ id }) => id === group?.id)?.active ?? own
    }
    return root === panes.root ? panes : withFront({ ...panes, root }, front)
  })
}

/** Shows a tab. */
export function showPane(sessionId: string, key: string): void {
  change(sessionId, (panes) => withFront({ ...panes, root: withActive(panes.root, key) }, key))
}

/** Notes that the pane got the focus. */
export function focusPane(sessionId: string, key: string): void {
  change(sessionId, (panes) => (panes.front === key ? panes : { ...panes, front: key }))
}

/** Moves a tab to another place. */
export function movePane(sessionId: string, key: string, place: PanePlace): void {
  change(sessionId, (panes) => {
    const root = withMoved(panes.root, key, place)
    return root === panes.root ? panes : withFront({ ...panes, root }, key)
  })
  usePanes.setState({ moved: { key } })
}

/** Stores the sizes that the user gave the parts of a split. */
export function resizePanes(sessionId: string, splitId: string, sizes: Readonly<Record<string, number>>): void {
  change(sessionId, (panes) => ({ ...panes, root: withSizes(panes.root, splitId, sizes) }))
}

/** Maximizes a group to fill the whole area, or restores it. */
export function toggleMaximized(sessionId: string, groupId: string): void {
  change(sessionId, ({ maximized, ...panes }) => {
    if (maximized === groupId) return panes
    const group = groupsOf(panes.root).find(({ id }) => id === groupId)
    return { ...panes, maximized: groupId, front: group?.active ?? panes.front }
  })
}

/** Puts a pane in front; restores a maximized group that does not contain it. */
function withFront({ maximized, ...panes }: SessionPanes, front: string): SessionPanes {
  const stays = maximized !== undefined && groupWith(panes.root, front)?.id === maximized
  return { ...panes, front, ...(stays && { maximized }) }
}

/** Removes the layout of a deleted session, and the panes that show it. */
export function forgetPanes(sessionId: string): void {
  stored.delete(sessionId)
  writePanes(sessionId, undefined)
  const { [sessionId]: _gone, ...bySession } = usePanes.getState().bySession
  usePanes.setState({ bySession })
  for (const other of new Set([...Object.keys(bySession), ...stored.keys()]))
    closePane(other, paneKey(conversationPane(sessionId)))
}

/** The session that keys and commands apply to: the last used one on screen. */
export function frontSession(): string | undefined {
  const { view } = useLayout.getState()
  if (view.kind !== 'session') return undefined
  return frontOf(sessionPanes(view.sessionId), view.sessionId)
}

/** The session that keys and commands apply to, updated when it changes. */
export function useFrontSession(): string | undefined {
  const sessionId = useLayout(({ view }) => (view.kind === 'session' ? view.sessionId : undefined))
  return usePanes((state) => (sessionId === undefined ? undefined : frontOf(panesOf(state, sessionId), sessionId)))
}

function frontOf({ root, front }: SessionPanes, sessionId: string): string {
  const pane = panesIn(root).find((one) => paneKey(one) === front)
  return pane?.kind === 'session' ? pane.sessionId : sessionId
}

/** Every session on screen. */
export function shownSessions(): string[] {
  const { view } = useLayout.getState()
  if (view.kind !== 'session') return []
  const { root } = sessionPanes(view.sessionId)
  const beside = groupsOf(root).flatMap(({ tabs, active }) => {
    const pane = tabs.find((tab) => paneKey(tab) === active)
    return pane?.kind === 'session' ? [pane.sessionId] : []
  })
  return [...new Set([view.sessionId, ...beside])]
}

/**
 * Where a new pane opens. Sessions get their own group, at most two side by side. Terminals and tasks share a group
 * below the rest. Everything else opens as a tab of the group used last, but not over a conversation.
 */
export function placeForNew({ root, front }: SessionPanes, sessionId: string, pane: Pane): PanePlace {
  const groups = groupsOf(root)
  const own = groupWith(root, paneKey(conversationPane(sessionId))) ?? groups[0]!
  if (pane.kind === 'session') {
    const others = groups.filter((group) => group !== own && hasKind(group, 'session'))
    const [first, second] = others
    if (!first) return { groupId: own.id, side: 'right' }
    return second ? { groupId: own.id, side: 'down' } : { groupId: first.id, side: 'down' }
  }
  const free = groups.filter((group) => !hasKind(group, 'session'))
  const below = free.find((group) => hasKind(group, 'terminal', 'tasks'))
  const rest = free.filter((group) => group !== below)
  if (pane.kind === 'terminal' || pane.kind === 'tasks') {
    const last = rest.at(-1)
    if (below) return { groupId: below.id }
    return last ? { groupId: last.id, side: 'down' } : { groupId: own.id, side: 'right' }
  }
  const used = groupWith(root, front)
  const target = used && rest.includes(used) ? used : rest[0]
  if (target) return { groupId: target.id }
  return below ? { groupId: below.id, side: 'up' } : { groupId: own.id, side: 'right' }
}

function hasKind({ tabs }: PaneGroup, ...kinds: PaneKind[]): boolean {
  return tabs.some(({ kind }) => kinds.includes(kind))
}
