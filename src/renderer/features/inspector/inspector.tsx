import { X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { useLayout, type InspectorTab } from '../../state/page/layout-state'
import { IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'

interface InspectorProps {
  /** The content of each tab, in the order of the tabs. */
  panes: readonly { tab: InspectorTab; label: string; count?: number; content: ReactNode }[]
  /** Set when the inspector is a drawer. */
  onClose?: () => void
}

/** The right column: one pane at a time, the tab is remembered. */
export function Inspector({ panes, onClose }: InspectorProps) {
  const tab = useLayout((layout) => layout.inspectorTab)
  const choose = (value: string): void => {
    const pane = panes.find((candidate) => candidate.tab === value)
    if (pane) useLayout.getState().setInspectorTab(pane.tab)
  }
  const list = useRef<HTMLDivElement>(null)
  /** Whether there are tabs to the right of those on screen. */
  const [more, setMore] = useState(false)
  const look = useCallback(() => {
    const { current } = list
    if (current) setMore(current.scrollLeft + current.clientWidth < current.scrollWidth - 1)
  }, [])
  useEffect(() => {
    const { current } = list
    if (!current) return undefined
    const observer = new ResizeObserver(look)
    for (const element of [current, ...current.children]) observer.observe(element)
    return () => observer.disconnect()
  }, [look])
  // Keep the selected tab in view, even if it was selected elsewhere.
  useEffect(() => {
    list.current?.querySelector(`[data-tab=${tab}]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  return (
    <Tabs.Root value={tab} onValueChange={choose} className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-[46px] flex-none items-center border-b border-line px-2.5">
        {/* Counts can make the tabs wider than the column: only the list scrolls. */}
        <Tabs.List
          ref={list}
          aria-label="Inspector"
          data-more={more || undefined}
          onScroll={look}
          className={cx(
            'flex min-w-0 flex-1 overflow-x-auto overscroll-x-contain [scrollbar-width:none]',
            'data-more:[mask-image:linear-gradient(to_right,black_calc(100%-28px),transparent)]',
          )}
        >
          {panes.map((pane) => (
            <Tabs.Trigger
              key={pane.tab}
              value={pane.tab}
              data-tab={pane.tab}
              className={cx(
                'flex h-[28px] items-center flex-none gap-1 rounded-[6px] px-[7px]',
                'text-ui text-ink-2 hover:text-ink focus-visible:-outline-offset-2',
                'data-[state=active]:bg-raised data-[state=active]:font-medium',
                'data-[state=active]:text-ink data-[state=active]:shadow-[inset_0_0_0_1px_var(--line)]',
              )}
            >
              {pane.label}
              {pane.count !== undefined && pane.count > 0 && (
                <span className="text-tiny font-normal text-ink-3 tabular-nums">{pane.count}</span>
              )}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {onClose && (
          <IconButton label="Close the inspector" onClick={onClose}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {panes.map((pane) => (
        <Tabs.Content
          key={pane.tab}
          value={pane.tab}
          className="min-h-0 flex-1 overflow-y-auto outline-none focus-visible:shadow-[inset_0_0_0_2px_var(--focus)]"
        >
          {pane.content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
