import { Archive, ChevronRight } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { SessionSummary } from '../../../shared/model/session/session'
import { titleOf } from '../../state/session-list/sessions-state'
import type { SessionActions } from '../../state/session/session-actions'
import {
  clearSelection,
  selectAll,
  selectRange,
  toggleSelected,
  useSelection,
} from '../../state/session-list/selection-state'
import { isShortcut } from '../../format/shortcut'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { cx } from '../../ui/cx'
import { HitRow, SessionRow } from './session-row'
import { ProjectRow, MoreRow } from './project-row'
import { RowMenu } from './row-menu'
import { isReachable, type TreeRow } from './tree-rows'

interface SessionTreeProps {
  rows: readonly TreeRow[]
  currentSessionId: string | undefined
  userHome: string | undefined
  actions: SessionActions
  onToggleProject: (folder: string) => void
  onToggleArchive: () => void
  onShowMore: (folder: string) => void
}

/** Maximum number of frames until a new row can be focused. */
const FOCUS_FRAMES = 10

/**
 * The sessions as a virtualized list, so that thousands of them are cheap, and navigated with the arrow keys; one row
 * at a time is in the tab order.
 */
export function SessionTree({
  rows,
  currentSessionId,
  userHome,
  actions,
  onToggleProject,
  onToggleArchive,
  onShowMore,
}: SessionTreeProps) {
  const list = useRef<VListHandle>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [focusKey, setFocusKey] = useState<string>()
  const [renaming, setRenaming] = useState<string>()
  const [removing, setRemoving] = useState<SessionSummary>()
  const [keepsWorktree, setKeepsWorktree] = useState(false)
  const [aimed, setAimed] = useState<string>()
  const wanted = useRef<string>(undefined)

  const activeIndex = useMemo(() => {
    const at = (key: string | undefined): number => (key === undefined ? -1 : rows.findIndex((row) => row.key === key))
    const remembered = at(focusKey)
    if (remembered !== -1) return remembered
    const current = at(currentSessionId)
    return current !== -1 ? current : rows.findIndex(isReachable)
  }, [rows, focusKey, currentSessionId])

  /** Whether the row took the focus: a row that was just mounted is hidden until the list has measured it. */
  const focusRow = (key: string): boolean => {
    const row = [...(frame.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].find(
      (element) => element.dataset.row === key,
    )
    row?.focus({ preventScroll: true })
    return row !== undefined && document.activeElement === row
  }

  useEffect(() => {
    const key = wanted.current
    if (key === undefined) return
    wanted.current = undefined
    let frames = 0
    const attempt = (): void => {
      frames += 1
      if (!focusRow(key) && frames < FOCUS_FRAMES) requestAnimationFrame(attempt)
    }
    attempt()
  })

  // Scroll to the current session when it changes, also when it was selected elsewhere.
  const currentIndex = currentSessionId === undefined ? -1 : rows.findIndex((row) => row.key === currentSessionId)
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (currentIndex === -1 || shown.current === currentSessionId) return
    shown.current = currentSessionId
    list.current?.scrollToIndex(currentIndex, { align: 'nearest' })
  }, [currentIndex, currentSessionId])

  const moveTo = (index: number): void => {
    const row = rows[index]
    if (!row) return
    list.current?.scrollToIndex(index, { align: 'nearest' })
    if (focusRow(row.key)) return
    wanted.current = row.key
    setFocusKey(row.key)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isShortcut(event, 'Mod+A') && !(event.target instanceof HTMLInputElement)) {
      event.preventDefault()
      return selectAll(rows.flatMap((row) => (row.kind === 'session' ? [row.key] : [])))
    }
    if (
      event.defaultPrevented ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.target instanceof HTMLInputElement
    )
      return
    if (event.key === 'Escape' && useSelection.getState().ids.size > 0) {
      event.preventDefault()
      event.stopPropagation()
      return clearSelection()
    }
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key]
    let next: number | undefined
    if (step !== undefined) next = reachableFrom(rows, activeIndex + step, step > 0 ? 1 : -1)
    else if (event.key === 'Home') next = reachableFrom(rows, 0, 1)
    else if (event.key === 'End') next = reachableFrom(rows, rows.length - 1, -1)
    else if (event.key === 'ArrowLeft') next = parentOf(rows, activeIndex)
    else return
    event.preventDefault()
    if (next === undefined) return
    // With Shift, the rows in between are selected.
    const row = rows[next]
    if (event.shiftKey && row?.kind === 'session') {
      const from = rows[activeIndex]
      if (useSelection.getState().ids.size === 0 && from?.kind === 'session') toggleSelected(from.key)
      onSelect(row.key, 'range')
    }
    moveTo(next)
  }

  const onSelect = useCallback(
    (sessionId: string, how: 'toggle' | 'range'): void => {
      if (how === 'toggle') return toggleSelected(sessionId)
      selectRange(
        sessionId,
        rows.flatMap((row) => (row.kind === 'session' ? [row.key] : [])),
      )
    },
    [rows],
  )

  const finishRename = (sessionId: string, title: string | undefined): void => {
    setRenaming(undefined)
    if (title !== undefined) actions.rename(sessionId, title)
    wanted.current = sessionId
  }

  return (
    <>
      <RowMenu
        rows={rows}
        userHome={userHome}
        actions={actions}
        onRename={setRenaming}
        onRemove={setRemoving}
        onOpen={setAimed}
      >
        <div ref={frame} className="min-h-0 flex-1">
          <VList
            ref={list}
            // Without selectable rows it is not a tree.
            {...(activeIndex !== -1 && { role: 'tree', 'aria-label': 'Sessions', 'aria-multiselectable': true })}
            onKeyDown={onKeyDown}
            data={rows}
            itemSize={28}
            keepMounted={activeIndex === -1 ? [] : [activeIndex]}
            className="px-1.5 pb-2"
            style={{ height: '100%' }}
          >
            {(row, index) => {
              const reachable = index === activeIndex
              switch (row.kind) {
                case 'project':
                  return (
                    <ProjectRow
                      key={row.key}
                      folder={row.folder}
                      count={row.count}
                      collapsed={row.collapsed}
                      userHome={userHome}
                      reachable={reachable}
                      onToggle={onToggleProject}
                      onBegin={actions.begin}
                      onFocus={setFocusKey}
                    />
                  )
                case 'session':
                  return (
                    <SessionRow
                      key={row.key}
                      summary={row.summary}
                      level={row.level}
                      showFolder={row.showFolder}
                      userHome={userHome}
                      current={row.summary.sessionId === currentSessionId}
                      reachable={reachable}
                      renaming={renaming === row.summary.sessionId}
                      aimed={aimed === row.key}
                      actions={actions}
                      onRename={setRenaming}
                      onRenamed={finishRename}
                      onRemove={setRemoving}
                      onSelect={onSelect}
                      onFocus={setFocusKey}
                    />
                  )
                case 'hit':
                  return (
                    <HitRow
                      key={row.key}
                      hit={row.hit}
                      rowKey={row.key}
                      reachable={reachable}
                      onOpen={actions.openHit}
                      onFocus={setFocusKey}
                    />
                  )
                case 'more':
                  return (
                    <MoreRow key={row.key} row={row} reachable={reachable} onShow={onShowMore} onFocus={setFocusKey} />
                  )
                case 'archive':
                  return (
                    <ArchiveRow
                      key={row.key}
                      open={row.open}
                      loading={row.loading}
                      reachable={reachable}
                      onToggle={onToggleArchive}
                      onFocus={setFocusKey}
                    />
                  )
                case 'date':
                  return (
                    <div
                      key={row.key}
                      className="pt-1.5 pr-2 pb-0.5 pl-[23px] text-[11px] leading-4 text-ink-3 select-none"
                    >
                      {row.text}
                    </div>
                  )
                case 'heading':
                  return (
                    <div key={row.key} className="px-2 pt-3 pb-1 text-tiny font-semibold text-ink-2">
                      {row.text}
                    </div>
                  )
                default:
                  return (
                    <div key={row.key} className="px-2 py-1 text-small text-ink-3">
                      {row.text}
                    </div>
                  )
              }
            }}
          </VList>
        </div>
      </RowMenu>
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={(open) => !open && setRemoving(undefined)}
        title="Delete this session?"
        action="Delete session"
        onConfirm={() => {
          if (removing) actions.remove(removing.sessionId, keepsWorktree ? undefined : removing.worktree?.worktreeId)
          setKeepsWorktree(false)
        }}
      >
        “{removing && titleOf(removing)}” and all its messages will be permanently deleted.{' '}
        {removing?.status === 'running' || removing?.status === 'waiting'
          ? 'It is working right now and will be stopped. '
          : ''}
        {removing?.worktree ? (
          <label className="mt-2 flex items-start gap-2">
            <input
              type="checkbox"
              className="mt-1"
              checked={!keepsWorktree}
              onChange={(event) => setKeepsWorktree(!event.target.checked)}
            />
            Remove its worktree, too. Uncommitted changes are saved first, and it can be restored.
          </label>
        ) : (
          'Files in the folder aren’t changed.'
        )}
      </ConfirmDialog>
    </>
  )
}

interface ArchiveRowProps {
  open: boolean
  loading: boolean
  reachable: boolean
  onToggle: () => void
  onFocus: (key: string) => void
}

function ArchiveRow({ open, loading, reachable, onToggle, onFocus }: ArchiveRowProps) {
  return (
    <div
      role="treeitem"
      aria-level={1}
      aria-expanded={open}
      aria-busy={loading || undefined}
      data-row="archive"
      tabIndex={reachable ? 0 : -1}
      onClick={onToggle}
      onFocus={() => onFocus('archive')}
      onKeyDown={(event) => {
        if (
          event.key !== 'Enter' &&
          event.key !== ' ' &&
          !(event.key === 'ArrowRight' && !open) &&
          !(event.key === 'ArrowLeft' && open)
        )
          return
        event.preventDefault()
        onToggle()
      }}
      className={cx(
        'mt-3 flex h-[28px] cursor-pointer items-center gap-1.5 rounded-[6px] px-2 text-tiny font-semibold',
        'tracking-[0.01em] text-ink-3 select-none hover:text-ink-2 focus-visible:-outline-offset-2',
      )}
    >
      <Archive aria-hidden className="size-[13px]" />
      Archived
      <ChevronRight aria-hidden className={cx('size-[13px] transition-transform duration-100', open && 'rotate-90')} />
    </div>
  )
}

function reachableFrom(rows: readonly TreeRow[], index: number, direction: 1 | -1): number | undefined {
  const from = Math.max(0, Math.min(rows.length - 1, index))
  for (let at = from; at >= 0 && at < rows.length; at += direction) if (isReachable(rows[at])) return at
  for (let at = from; at >= 0 && at < rows.length; at -= direction) if (isReachable(rows[at])) return at
  return undefined
}

function parentOf(rows: readonly TreeRow[], index: number): number | undefined {
  for (let at = index - 1; at >= 0; at -= 1) if (rows[at]?.kind === 'project' || rows[at]?.kind === 'archive') return at
  return undefined
}
