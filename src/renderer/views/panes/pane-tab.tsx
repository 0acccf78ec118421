import { useEffect, useRef, type KeyboardEvent } from 'react'
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Maximize2, Minimize2, X } from 'lucide-react'
import { paneKey, type Pane } from '../../state/panes/pane'
import { placeBeside, SIDES, type PaneGroup } from '../../state/panes/pane-tree'
import {
  closeOtherPanes,
  closePane,
  focusPane,
  movePane,
  sessionPanes,
  toggleMaximized,
} from '../../state/panes/panes-state'
import { useSessions, titleOf } from '../../state/session-list/sessions-state'
import { StatusDot } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { ContextMenu, ContextMenuItem, ContextMenuSeparator } from '../../ui/overlay/menu'
import { endDrag, startDrag, useTabDrop } from './pane-drop'
import { WatchedTab } from './terminal-marks'
import { useQuery } from '@tanstack/react-query'
import type { UserTerminal } from '../../../shared/model/task/terminal'
import { useQueries } from '../../state/page/queries'
import { useLayout } from '../../state/page/layout-state'
import { numberedName } from '../../state/tasks/user-terminals'
import { paneTitle } from '../pane-content/pane-content'

interface PaneTabProps {
  sessionId: string
  group: PaneGroup
  pane: Pane
  /** The tab of the session's own conversation, which cannot be closed. */
  isOwn: boolean
  canMove: boolean
  isMaximized: boolean
  onShow: () => void
}

const ICONS = { left: ArrowLeft, right: ArrowRight, up: ArrowUp, down: ArrowDown }

/** A tab: shows its pane, and can be dragged elsewhere. Its context menu moves and closes it. */
export function PaneTab({ sessionId, group, pane, isOwn, canMove, isMaximized, onShow }: PaneTabProps) {
  const key = paneKey(pane)
  const title = usePaneTitle(pane)
  const isActive = key === group.active
  const drop = useTabDrop(sessionId, group, key)
  const tab = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isActive) tab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isActive])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const to = step === undefined ? { Home: 0, End: -1 }[event.key] : undefined
    if (step !== undefined || to !== undefined) {
      const at = group.tabs.findIndex((tab) => paneKey(tab) === key)
      const next = group.tabs.at(to ?? (at + (step ?? 0)) % group.tabs.length)
      if (next) document.getElementById(tabId(paneKey(next)))?.focus()
      if (next) document.getElementById(tabId(paneKey(next)))?.click()
    } else if (event.key === 'Delete' && !isOwn) closePane(sessionId, key)
    else return
    event.preventDefault()
  }
  return (
    <ContextMenu
      label={title}
      items={
        <TabMenu
          sessionId={sessionId}
          group={group}
          tabKey={key}
          isOwn={isOwn}
          canMove={canMove}
          isMaximized={isMaximized}
        />
      }
    >
      <button
        ref={tab}
        type="button"
        role="tab"
        id={tabId(key)}
        data-pane-tab={key}
        aria-selected={isActive}
        aria-controls={panelId(key)}
        tabIndex={isActive ? 0 : -1}
        title={title}
        draggable={canMove}
        onClick={onShow}
        onFocus={() => isActive && focusPane(sessionId, key)}
        onAuxClick={(event) => event.button === 1 && closePane(sessionId, key)}
        onKeyDown={onKeyDown}
        onDragStart={(event) => startDrag(event, sessionId, key)}
        onDragEnd={endDrag}
        {...drop.handlers}
        className={cx(
          'flex h-[25px] max-w-[220px] flex-none items-center gap-1.5 rounded-[6px] border px-2 text-ui',
          // The strip scrolls, and would cut off a ring around the tab.
          '-outline-offset-2',
          isActive ? 'border-line bg-raised text-ink' : 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink',
          drop.isOver && 'shadow-[inset_2px_0_0_var(--focus)]',
        )}
      >
        <SessionDot pane={pane} isOwn={isOwn} />
        <span className="truncate">{title}</span>
        <WatchedTab pane={pane} />
      </button>
    </ContextMenu>
  )
}

function SessionDot({ pane, isOwn }: { pane: Pane; isOwn: boolean }) {
  const status = useSessions(({ sessions }) =>
    pane.kind === 'session' && !isOwn ? sessions.get(pane.sessionId)?.status : undefined,
  )
  return status && <StatusDot status={status} />
}

interface TabMenuProps {
  sessionId: string
  group: PaneGroup
  tabKey: string
  isOwn: boolean
  canMove: boolean
  isMaximized: boolean
}

function TabMenu({ sessionId, group, tabKey, isOwn, canMove, isMaximized }: TabMenuProps) {
  const { root } = sessionPanes(sessionId)
  return (
    <>
      {canMove &&
        SIDES.map((side) => {
          const place = placeBeside(root, tabKey, side)
          const Icon = ICONS[side]
          return (
            <ContextMenuItem
              key={side}
              icon={<Icon aria-hidden />}
              disabled={!place}
              onSelect={() => place && movePane(sessionId, tabKey, place)}
            >
              Move {side}
            </ContextMenuItem>
          )
        })}
      {canMove && (
        <ContextMenuItem
          icon={isMaximized ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
          onSelect={() => toggleMaximized(sessionId, group.id)}
        >
          {isMaximized ? 'Restore the panes' : 'Maximize'}
        </ContextMenuItem>
      )}
      {canMove && <ContextMenuSeparator />}
      <ContextMenuItem
        icon={<X aria-hidden />}
        kbd="Delete"
        disabled={isOwn}
        onSelect={() => closePane(sessionId, tabKey)}
      >
        Close
      </ContextMenuItem>
      <ContextMenuItem disabled={group.tabs.length === 1} onSelect={() => closeOtherPanes(sessionId, tabKey)}>
        Close others
      </ContextMenuItem>
    </>
  )
}

/** Id of a pane's tab. */
export function tabId(key: string): string {
  return `tab-${encodeURIComponent(key)}`
}

/** Id of the tab's panel. */
export function panelId(key: string): string {
  return `panel-${encodeURIComponent(key)}`
}

/** The name on a pane's tab, updated when it changes. */
export function usePaneTitle(pane: Pane | undefined): string {
  const other = pane?.kind === 'session' ? pane.sessionId : undefined
  const isOwn = useLayout(({ view }) => view.kind === 'session' && view.sessionId === other)
  const summary = useSessions(({ sessions }) => (other === undefined ? undefined : sessions.get(other)))
  const terminals = useTerminals(pane?.kind === 'terminal')
  if (!pane) return ''
  const terminal = pane.kind === 'terminal' && terminals?.find(({ terminalId }) => terminalId === pane.terminalId)
  if (terminal) return numberedName(terminal, terminals ?? [])
  if (isOwn) return 'Conversation'
  return summary ? titleOf(summary) : paneTitle(pane)
}

/** The terminals of the session on screen, read only where a tab shows one. */
function useTerminals(enabled: boolean): UserTerminal[] | undefined {
  const queries = useQueries()
  const sessionId = useLayout(({ view }) => (view.kind === 'session' ? view.sessionId : ''))
  return useQuery(queries.terminal.list.queryOptions({ input: { sessionId }, enabled })).data
}
