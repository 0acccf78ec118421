import { Maximize2, Minimize2, X } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { paneKey } from '../../state/panes/pane'
import type { PaneGroup } from '../../state/panes/pane-tree'
import { closePane, showPane, toggleMaximized } from '../../state/panes/panes-state'
import { conversationPane } from '../../state/panes/stored-panes'
import { IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import { PaneDropZone } from './pane-drop'
import type { PaneHosts } from './pane-hosts'
import { PaneTab, panelId, tabId, usePaneTitle } from './pane-tab'

export interface PaneFrameCommon {
  sessionId: string
  hosts: PaneHosts
  /** The conversation is the only pane, and needs no tab. */
  isAlone: boolean
  /** Whether panes can be moved: not if only one fits. */
  canMove: boolean
}

interface PaneFrameProps extends PaneFrameCommon {
  group: PaneGroup
  isMaximized: boolean
}

/** One group: its tabs, and the pane on screen. */
export function PaneFrame({ sessionId, hosts, isAlone, canMove, group, isMaximized }: PaneFrameProps) {
  const own = paneKey(conversationPane(sessionId))
  const active = group.tabs.find((tab) => paneKey(tab) === group.active) ?? group.tabs[0]
  const title = usePaneTitle(active)
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
      {!isAlone && (
        <div
          className="flex h-[34px] flex-none items-center gap-1 border-b border-line bg-panel pr-1 pl-1.5"
          onDoubleClick={(event) =>
            event.target === event.currentTarget && canMove && toggleMaximized(sessionId, group.id)
          }
        >
          <div
            role="tablist"
            aria-label={`Panes with ${title}`}
            className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto"
          >
            {group.tabs.map((pane) => (
              <PaneTab
                key={paneKey(pane)}
                sessionId={sessionId}
                group={group}
                pane={pane}
                isOwn={paneKey(pane) === own}
                canMove={canMove}
                isMaximized={isMaximized}
                onShow={() => showPane(sessionId, paneKey(pane))}
              />
            ))}
          </div>
          {canMove && (
            <IconButton
              label={isMaximized ? 'Restore the panes' : 'Maximize'}
              aria-pressed={isMaximized}
              className="size-[25px]!"
              onClick={() => toggleMaximized(sessionId, group.id)}
            >
              {isMaximized ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
            </IconButton>
          )}
          {group.active !== own && (
            <IconButton
              label={`Close ${title}`}
              className="size-[25px]!"
              onClick={() => closePane(sessionId, group.active)}
            >
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      )}
      {group.tabs.map((pane) => (
        <Slot key={paneKey(pane)} paneKey={paneKey(pane)} hosts={hosts} isShown={pane === active} isTab={!isAlone} />
      ))}
      {canMove && <PaneDropZone sessionId={sessionId} groupId={group.id} />}
    </div>
  )
}

/** Where a pane's element is shown. */
function Slot({
  paneKey: key,
  hosts,
  isShown,
  isTab,
}: {
  paneKey: string
  hosts: PaneHosts
  isShown: boolean
  isTab: boolean
}) {
  const slot = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = slot.current
    if (!element) return undefined
    hosts.show(key, element)
    return () => hosts.park(key, element)
  }, [hosts, key])
  useLayoutEffect(() => {
    if (isShown) hosts.restoreScroll(key)
  }, [hosts, key, isShown])
  return (
    <div
      ref={slot}
      {...(isTab && { role: 'tabpanel', id: panelId(key), 'aria-labelledby': tabId(key) })}
      className={cx('min-h-0 min-w-0 flex-1', isShown ? 'flex' : 'hidden')}
    />
  )
}
