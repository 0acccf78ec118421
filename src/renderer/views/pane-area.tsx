import { X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { paneKey } from '../state/panes/pane'
import { usePanes, useSessionPanes } from '../state/panes/panes-state'
import { IconButton } from '../ui/button'
import { PaneContent, paneTitle } from './pane-content'

/** The panes beside a session's conversation, as tabs; takes no room without them. */
export function PaneArea({ sessionId }: { sessionId: string }) {
  const { tabs, active } = useSessionPanes(sessionId)
  const { showPane, closePane } = usePanes.getState()
  if (tabs.length === 0) return null
  return (
    <Tabs.Root
      value={tabValue(active ?? '')}
      onValueChange={(value) => showPane(sessionId, decodeURIComponent(value))}
      className="flex min-h-0 min-w-0 flex-1 flex-col border-l border-line"
    >
      <div className="flex h-[36px] flex-none items-center border-b border-line px-2">
        <Tabs.List aria-label="Panes" className="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          {tabs.map((pane) => (
            <Tabs.Trigger
              key={paneKey(pane)}
              value={tabValue(paneKey(pane))}
              className="h-[26px] flex-none rounded-[6px] px-2 text-ui text-ink-2 data-[state=active]:bg-raised data-[state=active]:text-ink"
            >
              {paneTitle(pane)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {active !== undefined && (
          <IconButton label="Close the tab" onClick={() => closePane(sessionId, active)}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {tabs.map((pane) => (
        <Tabs.Content key={paneKey(pane)} value={tabValue(paneKey(pane))} className="flex min-h-0 flex-1 flex-col">
          <PaneContent sessionId={sessionId} pane={pane} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

/** A key as a value of the tabs, which becomes part of ids: without spaces. */
function tabValue(key: string): string {
  return encodeURIComponent(key)
}
