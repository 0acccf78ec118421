import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paneKey, type Pane } from './pane'
import { placeForNew } from './panes-state'
import {
  groupsOf,
  groupWith,
  panesIn,
  placeBeside,
  SIDES,
  withActive,
  withMoved,
  withoutPane,
  withPane,
  type PaneNode,
} from './pane-tree'
import { conversationPane, noPanes, parsePanes } from './stored-panes'

const OWN = conversationPane('own')
const FILES: Pane = { kind: 'files' }
const GIT: Pane = { kind: 'git' }
const TASKS: Pane = { kind: 'tasks' }
const POOL: Pane[] = [
  FILES,
  GIT,
  TASKS,
  { kind: 'file', path: 'a.ts', line: 3 },
  { kind: 'review', scope: { kind: 'session' } },
  { kind: 'terminal', terminalId: 't1' },
  { kind: 'preview', url: 'http://localhost:5173/' },
  { kind: 'session', sessionId: 'other' },
]

/** The tree as text: `|` side by side, `/` one below the other. */
function shape(node: PaneNode): string {
  if (node.kind === 'group') return `[${node.tabs.map(({ kind }) => kind).join(' ')}]`
  return `(${node.children.map(shape).join(node.direction === 'right' ? ' | ' : ' / ')})`
}

function opened(...panes: Pane[]): PaneNode {
  let { root } = noPanes('own')
  for (const pane of panes) root = withPane(root, pane, placeForNew({ root, front: paneKey(OWN) }, 'own', pane))
  return root
}

describe('where panes open', () => {
  it('opens beside the conversation, further ones as tabs, terminals and tasks below', () => {
    expect(shape(opened(FILES))).toBe('([session] | [files])')
    expect(shape(opened(FILES, GIT))).toBe('([session] | [files git])')
    expect(shape(opened(FILES, TASKS, GIT))).toBe('([session] | ([files git] / [tasks]))')
    expect(shape(opened(TASKS, FILES))).toBe('([session] | ([files] / [tasks]))')
  })

  it('puts four sessions in two rows and two columns', () => {
    const others = ['a', 'b', 'c'].map((sessionId): Pane => ({ kind: 'session', sessionId }))
    expect(shape(opened(...others))).toBe('(([session] / [session]) | ([session] / [session]))')
  })
})

describe('moving panes', () => {
  it('moves to the group on that side, or into a new one', () => {
    const root = opened(FILES, GIT)
    const left = placeBeside(root, 'git', 'left')!
    expect(shape(withMoved(root, 'git', left))).toBe('([session git] | [files])')
    const down = placeBeside(root, 'git', 'down')!
    expect(shape(withMoved(root, 'git', down))).toBe('([session] | ([files] / [git]))')
    const right = placeBeside(root, 'git', 'right')!
    expect(shape(withMoved(root, 'git', right))).toBe('([session] | [files] | [git])')
    expect(placeBeside(opened(FILES), 'files', 'right')).toBeUndefined()
  })

  it('moving there and back restores the layout, whatever else is open', () => {
    const root = opened(FILES, GIT)
    const away = withMoved(root, 'git', placeBeside(root, 'git', 'left')!)
    expect(shape(withMoved(away, 'git', placeBeside(away, 'git', 'right')!))).toBe(shape(root))
  })

  it('keeps every pane once, through any sequence of opening, moving and closing', () => {
    const step = fc.record({
      pane: fc.constantFrom(...POOL),
      act: fc.constantFrom('open', 'close', 'move', 'split', 'show'),
      side: fc.constantFrom(...SIDES),
      at: fc.nat(20),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let { root } = noPanes('own')
        const open = new Set([paneKey(OWN)])
        for (const { pane, act, side, at } of steps) {
          const key = paneKey(pane)
          const groups = groupsOf(root)
          const groupId = groups[at % groups.length]!.id
          if (act === 'open' && !open.has(key)) {
            root = withPane(root, pane, placeForNew({ root, front: key }, 'own', pane))
            open.add(key)
          } else if (act === 'close') {
            root = withoutPane(root, key)!
            open.delete(key)
          } else if (act === 'move') root = withMoved(root, key, { groupId })
          else if (act === 'split') root = withMoved(root, key, { groupId, side })
          else root = withActive(root, key)
          expect(new Set(panesIn(root).map(paneKey))).toEqual(open)
          expect(panesIn(root)).toHaveLength(open.size)
          expect(isTidy(root)).toBe(true)
          // A stored layout is read back unchanged.
          expect(parsePanes('own', JSON.parse(JSON.stringify({ root, front: key }))).root).toEqual(root)
        }
      }),
      { numRuns: 200 },
    )
  })
})

/** Whether every group shows one of its tabs, and every split has several parts of the other direction. */
function isTidy(node: PaneNode): boolean {
  if (node.kind === 'group') return node.tabs.some((tab) => paneKey(tab) === node.active)
  return (
    node.children.length > 1 &&
    node.children.every((child) => (child.kind === 'group' || child.direction !== node.direction) && isTidy(child))
  )
}

describe('stored layouts', () => {
  it('ignores damaged ones, and always has the conversation', () => {
    for (const value of [undefined, null, 3, 'x', [], {}, { root: {} }, { root: { id: 'p1', tabs: [{ kind: 'x' }] } }])
      expect(parsePanes('own', value)).toEqual(noPanes('own'))
    const damaged = {
      root: {
        kind: 'split',
        id: 'p3',
        direction: 'sideways',
        sizes: { p1: 'wide' },
        children: [
          { kind: 'group', id: 'p1', tabs: [FILES, FILES, { kind: 'preview', url: 'javascript:alert(1)' }], active: 7 },
          { kind: 'group', id: 'p1', tabs: [GIT], active: 'git' },
          { kind: 'group', id: 'p2', tabs: [], active: '' },
        ],
      },
      front: 'gone',
      maximized: 'p9',
    }
    const { root, front, maximized } = parsePanes('own', damaged)
    expect(shape(root)).toBe('([session] | [files])')
    expect(front).toBe(paneKey(OWN))
    expect(maximized).toBeUndefined()
  })

  it('never throws, whatever is stored', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(groupWith(parsePanes('own', { root: value }).root, paneKey(OWN))).toBeDefined()
      }),
    )
  })
})
