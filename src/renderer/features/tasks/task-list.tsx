import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { TaskActions } from '../../state/task-actions'
import { TaskRow } from './task-row'

interface TaskListProps {
  ids: readonly string[]
  selected: string | undefined
  userHome: string | undefined
  actions: TaskActions
  onOpen: (taskId: string) => void
}

/** Height of a row in px; the same as in tasks.css. */
const ROW = 50

/** The tasks. Only rows near the viewport are in the document; Up and Down go from one to the next. */
export function TaskList({ ids, selected, userHome, actions, onOpen }: TaskListProps) {
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const reachable = focused !== undefined && ids.includes(focused) ? focused : (selected ?? ids[0])

  const focusRow = useCallback((taskId: string): void => {
    box.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(taskId)}"] [data-task-button]`)?.focus()
  }, [])
  useEffect(() => {
    // One that was chosen elsewhere is brought into sight, once.
    const index = selected === undefined ? -1 : ids.indexOf(selected)
    if (index >= 0) list.current?.scrollToIndex(index, { align: 'nearest' })
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.closest('[data-task]') === null) return
    const from = reachable === undefined ? -1 : ids.indexOf(reachable)
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: ids.length - 1 }[event.key]
    const next = to === undefined ? undefined : ids[to]
    if (to === undefined || next === undefined) return
    event.preventDefault()
    setFocused(next)
    list.current?.scrollToIndex(to, { align: 'nearest' })
    requestAnimationFrame(() => focusRow(next))
  }

  return (
    <div ref={box} role="presentation" className="task-list" onKeyDown={onKeyDown}>
      <VList ref={list} role="list" aria-label="Tasks" data={ids} itemSize={ROW} item="div">
        {(taskId) => (
          <div role="listitem" key={taskId}>
            <TaskRow
              taskId={taskId}
              selected={taskId === selected}
              reachable={taskId === reachable}
              userHome={userHome}
              actions={actions}
              onOpen={onOpen}
              onFocus={setFocused}
            />
          </div>
        )}
      </VList>
    </div>
  )
}
