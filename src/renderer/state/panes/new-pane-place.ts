import { paneKey, type Pane, type PaneKind } from './pane'
import { groupsOf, groupWith, type PaneGroup, type PanePlace } from './pane-tree'
import { conversationPane, type SessionPanes } from './stored-panes'

/**
 * Where a new pane opens. Sessions get a place of their own, at most two beside each other. Terminals and tasks are
 * together, below the rest. Everything else opens as a tab of the group used last, but not over a conversation.
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
