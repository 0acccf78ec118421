import { Activity, useLayoutEffect, useMemo, useRef, useState, type ReactNode, type RefObject, Fragment } from 'react'
import { createPortal } from 'react-dom'
import { paneKey, type Pane, ConnectedContext } from '../../state/panes/pane'
import {
  groupsOf,
  groupWith,
  panesIn,
  type PaneGroup,
  type PaneNode,
  type PaneSplit,
} from '../../state/panes/pane-tree'
import { focusPane, usePanes, useSessionPanes, resizePanes } from '../../state/panes/panes-state'
import { conversationPane } from '../../state/panes/stored-panes'
import { PaneContent } from '../pane-content/pane-content'
import { PaneFrame, type PaneFrameCommon } from './pane-frame'
import { PaneHosts } from './pane-hosts'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { cx } from '../../ui/cx'
import { usePaneTitle } from './pane-tab'

/** Smallest width and height of a pane, in px. */
const MIN_SIZE = { right: 220, down: 110 }

/** The groups of panes, side by side and one below the other. */
function PaneTree({ node, ...common }: PaneFrameCommon & { node: PaneNode }) {
  return node.kind === 'group' ? (
    <PaneFrame key={node.id} {...common} group={node} isMaximized={false} />
  ) : (
    // A changed set of parts needs new sizes, so remount.
    <Split key={node.children.map(({ id }) => id).join(' ')} {...common} split={node} />
  )
}

function Split({ split, ...common }: PaneFrameCommon & { split: PaneSplit }) {
  const { children, direction, sizes } = split
  const known = children.every(({ id }) => sizes[id] !== undefined)
  return (
    <Group
      id={split.id}
      orientation={direction === 'right' ? 'horizontal' : 'vertical'}
      {...(known && { defaultLayout: sizes })}
      onLayoutChanged={(layout, { isUserInteraction, requestedLayout }) => {
        if (isUserInteraction) resizePanes(common.sessionId, split.id, requestedLayout ?? layout)
      }}
      className="min-h-0 min-w-0 flex-1"
    >
      {children.map((child, at) => (
        <Fragment key={child.id}>
          {at > 0 && <PaneSeparator before={children[at - 1]!} direction={direction} />}
          <Panel id={child.id} minSize={MIN_SIZE[direction]} className="flex min-h-0 min-w-0">
            <PaneTree {...common} node={child} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  )
}

/** The separator between two parts: can be dragged, or moved with the arrow keys. */
function PaneSeparator({ before, direction }: { before: PaneNode; direction: PaneSplit['direction'] }) {
  const group = groupsOf(before).at(-1)
  const title = usePaneTitle(group?.tabs.find(({ kind }) => kind !== undefined))
  return (
    <Separator
      aria-label={direction === 'right' ? `Width of ${title}` : `Height of ${title}`}
      className={cx(
        'relative z-10 flex-none bg-line outline-none after:absolute hover:bg-line-strong',
        'focus-visible:bg-focus data-[separator=active]:bg-line-strong',
        direction === 'right'
          ? 'w-px cursor-col-resize after:inset-y-0 after:-right-[3px] after:-left-[3px] focus-visible:w-[3px]'
          : 'h-px cursor-row-resize after:inset-x-0 after:-top-[3px] after:-bottom-[3px] focus-visible:h-[3px]',
      )}
    />
  )
}

/** Below this width in px, panes are tabs over the conversation instead of beside it. */
const BESIDE_NEEDS = 720

interface PaneAreaProps {
  sessionId: string
  /** The session's own conversation: one of the panes. */
  conversation: ReactNode
  connected: boolean
}

/**
 * The conversation of a session and the panes beside it. The content of a pane has its own element, which moves with
 * the pane, so that dragging a tab loses neither a draft nor a terminal.
 */
export function PaneArea({ sessionId, connected, conversation }: PaneAreaProps) {
  const panes = useSessionPanes(sessionId)
  const area = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow(area)
  const [hosts] = useState(() => new PaneHosts())
  const own = paneKey(conversationPane(sessionId))
  const all = panesIn(panes.root)
  const groups = useMemo(() => groupsOf(panes.root), [panes.root])
  const single: PaneGroup | undefined =
    isNarrow && all.length > 1
      ? {
          kind: 'group',
          id: 'all',
          tabs: all,
          active: all.some((pane) => paneKey(pane) === panes.front) ? panes.front : own,
        }
      : groups.find(({ id }) => id === panes.maximized)
  const shown = new Set((single ? [single] : groups).map(({ active }) => active))
  const common = { sessionId, hosts, isAlone: all.length === 1, canMove: !isNarrow }
  return (
    <ConnectedContext value={connected}>
      <div ref={area} className="relative flex min-h-0 min-w-0 flex-1">
        <Parking hosts={hosts} />
        {single ? (
          <PaneFrame key={single.id} {...common} group={single} isMaximized={!isNarrow} />
        ) : (
          <PaneTree {...common} node={panes.root} />
        )}
        {all.map((pane) => {
          const key = paneKey(pane)
          const focus = (): void => focusPane(sessionId, key)
          return createPortal(
            // React events of a portal bubble up to its React parents here, wherever the element is.
            <div
              role="presentation"
              data-pane={pane.kind}
              data-pane-key={key}
              className="flex h-full min-h-0 min-w-0 flex-1 flex-col"
              onFocusCapture={focus}
              onPointerDownCapture={focus}
            >
              <Kept pane={pane} isShown={shown.has(key)}>
                {key === own ? conversation : <PaneContent sessionId={sessionId} pane={pane} />}
              </Kept>
            </div>,
            hosts.of(key),
            key,
          )
        })}
        <FocusMoved sessionId={sessionId} />
      </div>
    </ConnectedContext>
  )
}

/** Kinds that keep running behind another tab: their state would be lost or slow to recreate. */
const KEEPS_RUNNING: ReadonlySet<string> = new Set(['session', 'terminal', 'preview'])

/** The content of a tab. Behind another tab it keeps its state, but costs nothing. */
function Kept({ pane, isShown, children }: { pane: Pane; isShown: boolean; children: ReactNode }) {
  if (KEEPS_RUNNING.has(pane.kind)) return children
  return <Activity mode={isShown ? 'visible' : 'hidden'}>{children}</Activity>
}

/** Where panes wait between two groups. */
function Parking({ hosts }: { hosts: PaneHosts }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => hosts.parkIn(element.current), [hosts])
  return <div ref={element} hidden />
}

/** Focuses the moved tab in its new position. */
function FocusMoved({ sessionId }: { sessionId: string }) {
  const moved = usePanes((state) => state.moved)
  const panes = useSessionPanes(sessionId)
  useLayoutEffect(() => {
    if (!moved || !groupWith(panes.root, moved.key)) return
    usePanes.setState({ moved: undefined })
    document.querySelector<HTMLElement>(`[data-pane-tab="${CSS.escape(moved.key)}"]`)?.focus()
  }, [moved, panes.root])
  return null
}

function useIsNarrow(area: RefObject<HTMLElement | null>): boolean {
  const [isNarrow, setIsNarrow] = useState(false)
  useLayoutEffect(() => {
    const element = area.current
    if (!element) return undefined
    const measure = (): void => setIsNarrow(element.clientWidth < BESIDE_NEEDS)
    measure()
    // Moves the panes in a later frame. Chromium measures elements when it calls a resize observer: if an earlier
    // observer had just moved a pane, the observer of a list in it would measure rows without a size and omit them.
    let frame = 0
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(measure)
    })
    observer.observe(element)
    return () => {
      cancelAnimationFrame(frame)
      observer.disconnect()
    }
  }, [area])
  return isNarrow
}
