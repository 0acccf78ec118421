import { useCallback, useRef, useState, type KeyboardEvent } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { MemoryEntry } from '../../../shared/model/memory'
import { folderName } from '../../format/folder-name'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useLayout } from '../../state/page/layout-state'
import { useMemoryActions } from './memory-actions'

/** Height of a row in px. */
const ROW = 54

/** The entries as a virtualized list. Up and Down move between rows, Enter opens one, Delete deletes it. */
export function MemoryList({ entries, userHome }: { entries: readonly MemoryEntry[]; userHome: string | undefined }) {
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<number>()
  const actions = useMemoryActions()
  const now = useNowEachMinute()
  const reachable = entries.some(({ id }) => id === focused) ? focused : entries[0]?.id

  const focusRow = useCallback((index: number, id: number): void => {
    setFocused(id)
    list.current?.scrollToIndex(index, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-entry="${id}"]`)?.focus())
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = entries.findIndex(({ id }) => id === reachable)
    const entry = entries[from]
    if (!entry || !(event.target instanceof HTMLElement) || !event.target.matches('[data-entry]')) return
    if (event.key === 'Delete' && entry.deletedAt === undefined) {
      event.preventDefault()
      const next = entries[from + 1] ?? entries[from - 1]
      if (next) focusRow(from, next.id)
      actions.remove(entry)
      return
    }
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: entries.length - 1 }[event.key]
    const next = to === undefined ? undefined : entries[to]
    if (to === undefined || !next) return
    event.preventDefault()
    focusRow(to, next.id)
  }

  return (
    <div ref={box} role="presentation" className="min-h-0 flex-1" onKeyDown={onKeyDown}>
      <VList ref={list} role="list" aria-label="Memory" data={entries} itemSize={ROW} item="div">
        {(entry) => (
          <div role="listitem" key={entry.id}>
            <button
              type="button"
              data-entry={entry.id}
              tabIndex={entry.id === reachable ? 0 : -1}
              onFocus={() => setFocused(entry.id)}
              onClick={() => useLayout.getState().openMemory(entry.id)}
              className="flex h-[54px] w-full flex-col justify-center border-b border-line px-[18px] text-left hover:bg-sunken focus-visible:-outline-offset-2 max-mid:px-3"
            >
              <span className="flex w-full items-baseline gap-2.5">
                <span className="min-w-0 truncate font-medium">{entry.key}</span>
                <span className="min-w-0 flex-1 truncate text-small text-ink-3">
                  {[
                    entry.folder === undefined ? 'Everywhere' : folderName(entry.folder, userHome).name,
                    ...(entry.category === undefined ? [] : [entry.category]),
                  ].join(' · ')}
                </span>
                <span className="flex-none text-small text-ink-3">{usageText(entry, now)}</span>
              </span>
              <span className="w-full truncate text-ui text-ink-2">{entry.text}</span>
            </button>
          </div>
        )}
      </VList>
    </div>
  )
}

/** When it was deleted or last used. */
function usageText({ deletedAt, usedAt }: MemoryEntry, now: number): string {
  if (deletedAt !== undefined) return `deleted ${relativeTime(deletedAt, now)}`
  return usedAt === undefined ? 'never used' : `used ${relativeTime(usedAt, now)}`
}
