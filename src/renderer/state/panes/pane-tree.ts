import { paneKey, type Pane } from './pane'

/** A group of tabs; one of them is on screen. */
export interface PaneGroup {
  kind: 'group'
  id: string
  tabs: readonly Pane[]
  /** Key of the tab on screen. */
  active: string
}

/** Groups and further splits side by side (`right`) or one below the other (`down`). */
export interface PaneSplit {
  kind: 'split'
  id: string
  direction: 'right' | 'down'
  children: readonly PaneNode[]
  /** Share of each child in percent, by its id; children without one get an equal share. */
  sizes: Readonly<Record<string, number>>
}

export type PaneNode = PaneGroup | PaneSplit

export const SIDES = ['left', 'right', 'up', 'down'] as const
export type Side = (typeof SIDES)[number]

/** Where to put a pane: among the tabs of a group (before one of them, or last), or in a new group beside it. */
export type PanePlace = { groupId: string; before?: string } | { groupId: string; side: Side }

/** All groups, in reading order. */
export function groupsOf(node: PaneNode): PaneGroup[] {
  return node.kind === 'group' ? [node] : node.children.flatMap(groupsOf)
}

/** All panes, in reading order. */
export function panesIn(node: PaneNode): Pane[] {
  return groupsOf(node).flatMap(({ tabs }) => tabs)
}

/** The group with the pane. */
export function groupWith(node: PaneNode, key: string): PaneGroup | undefined {
  return groupsOf(node).find(({ tabs }) => tabs.some((tab) => paneKey(tab) === key))
}

/** The tree with the pane added at `place` and on screen. A pane with the same key must not be in it. */
export function withPane(node: PaneNode, pane: Pane, place: PanePlace): PaneNode {
  const key = paneKey(pane)
  if (!('side' in place)) {
    return changeGroup(node, place.groupId, (group) => {
      const at = group.tabs.findIndex((tab) => paneKey(tab) === place.before)
      return { ...group, tabs: group.tabs.toSpliced(at === -1 ? group.tabs.length : at, 0, pane), active: key }
    })
  }
  const direction = place.side === 'left' || place.side === 'right' ? 'right' : 'down'
  const first = place.side === 'left' || place.side === 'up'
  const added: PaneGroup = { kind: 'group', id: newId(node), tabs: [pane], active: key }
  const splitId = newId(node, 1)
  return tidy(
    changeGroup(node, place.groupId, (group) => ({
      kind: 'split',
      id: splitId,
      direction,
      children: first ? [added, group] : [group, added],
      sizes: {},
    })),
  )
}

/** The tree without the pane; undefined when nothing is left. */
export function withoutPane(node: PaneNode, key: string): PaneNode | undefined {
  if (node.kind === 'split') {
    const children = node.children.map((child) => withoutPane(child, key)).filter((child) => child !== undefined)
    return children.length === 0 ? undefined : tidy({ ...node, children })
  }
  const at = node.tabs.findIndex((tab) => paneKey(tab) === key)
  if (at === -1) return node
  const tabs = node.tabs.toSpliced(at, 1)
  const next = tabs[Math.min(at, tabs.length - 1)]
  if (!next) return undefined
  return { ...node, tabs, active: node.active === key ? paneKey(next) : node.active }
}

/** The tree with the pane moved; unchanged when the move would change nothing. */
export function withMoved(node: PaneNode, key: string, place: PanePlace): PaneNode {
  const from = groupWith(node, key)
  const pane = from?.tabs.find((tab) => paneKey(tab) === key)
  if (!from || !pane) return node
  if (from.id === place.groupId && ('side' in place ? from.tabs.length === 1 : place.before === key)) return node
  const rest = withoutPane(node, key)
  return rest && groupsOf(rest).some(({ id }) => id === place.groupId) ? withPane(rest, pane, place) : node
}

/** The tree with another tab on screen in its group. */
export function withActive(node: PaneNode, key: string): PaneNode {
  const group = groupWith(node, key)
  return !group || group.active === key ? node : changeGroup(node, group.id, (old) => ({ ...old, active: key }))
}

/** The tree with a pane's content replaced. */
export function withReplaced(node: PaneNode, pane: Pane): PaneNode {
  const key = paneKey(pane)
  const group = groupWith(node, key)
  if (!group) return node
  const tabs = group.tabs.map((tab) => (paneKey(tab) === key ? pane : tab))
  return changeGroup(node, group.id, (old) => ({ ...old, tabs }))
}

/** The tree with the sizes of a split changed. */
export function withSizes(node: PaneNode, splitId: string, sizes: Readonly<Record<string, number>>): PaneNode {
  if (node.kind === 'group') return node
  if (node.id === splitId) return { ...node, sizes }
  return { ...node, children: node.children.map((child) => withSizes(child, splitId, sizes)) }
}

/**
 * Where "move to that side" puts a pane: in the next group on that side, or in a new one; undefined: it is already
 * there.
 */
export function placeBeside(node: PaneNode, key: string, side: Side): PanePlace | undefined {
  const group = groupWith(node, key)
  if (!group) return undefined
  const direction = side === 'left' || side === 'right' ? 'right' : 'down'
  const step = side === 'left' || side === 'up' ? -1 : 1
  let next: PaneNode | undefined
  for (let at: PaneNode | undefined = node; at?.kind === 'split';) {
    const index: number = at.children.findIndex((child) => groupsOf(child).includes(group))
    if (at.direction === direction) next = at.children[index + step] ?? next
    at = at.children[index]
  }
  const beside = next && (step === 1 ? groupsOf(next)[0] : groupsOf(next).at(-1))
  if (beside) return { groupId: beside.id }
  return group.tabs.length > 1 ? { groupId: group.id, side } : undefined
}

function changeGroup(node: PaneNode, groupId: string, change: (group: PaneGroup) => PaneNode): PaneNode {
  if (node.kind === 'group') return node.id === groupId ? change(node) : node
  return { ...node, children: node.children.map((child) => changeGroup(child, groupId, change)) }
}

/** Replaces splits of one child by that child, and joins splits of the same direction. */
function tidy(node: PaneNode): PaneNode {
  if (node.kind === 'group') return node
  const children = node.children.map(tidy)
  const [only] = children
  if (only && children.length === 1) return only
  if (!children.some((child) => child.kind === 'split' && child.direction === node.direction))
    return { ...node, children }
  const sizes: Record<string, number> = {}
  const joined = children.flatMap((child) => {
    const share = node.sizes[child.id]
    if (child.kind === 'group' || child.direction !== node.direction) {
      if (share !== undefined) sizes[child.id] = share
      return [child]
    }
    for (const inner of child.children)
      if (share !== undefined) sizes[inner.id] = (share * (child.sizes[inner.id] ?? 100 / child.children.length)) / 100
    return child.children
  })
  return { ...node, children: joined, sizes }
}

function newId(node: PaneNode, more = 0): string {
  const used = (at: PaneNode): number[] => [
    Number(/^p(\d{1,9})$/.exec(at.id)?.[1] ?? 0),
    ...(at.kind === 'split' ? at.children.flatMap(used) : []),
  ]
  return `p${Math.max(...used(node)) + 1 + more}`
}
