import { Brain, Download, Plus } from 'lucide-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState, useCallback, useRef, type KeyboardEvent } from 'react'
import {
  MEMORY_LIMITS,
  type MemoryFilter,
  type MemoryOrder,
  type MemoryOverview,
  memoryAsMarkdown,
  type MemoryEntry,
} from '../../../shared/model/assistant/memory'
import { folderName, shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useClient, useQueries } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { CONTROL_CLASS } from '../../ui/form/field'
import { FilterField } from '../../ui/form/filter-field'
import { Skeleton } from '../../ui/loading'
import { Menu, MenuItem } from '../../ui/overlay/menu'
import { Banner, EmptyState } from '../../ui/notice'
import { MemoryDialog } from './memory-dialog'
import { VList, type VListHandle } from 'virtua'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useMemoryActions } from './memory-actions'
import { cx } from '../../ui/cx'
import { LoadError } from '../../ui/load-error'

export interface MemoryPageProps {
  /** The open entry. */
  id: number | undefined
  userHome: string | undefined
  /** Whether agents use it. */
  isOn: boolean
}

/** How many entries are loaded at first, and how many more each time. */
const PAGE = 500
const ORDERS: Record<MemoryOrder, string> = { recent: 'Latest change', used: 'Latest use', key: 'Name' }

const close = (): void => useLayout.getState().openMemory()

/** Everything that is remembered: to read, search, correct, delete, restore and export. */
export function MemoryPage({ id, userHome, isOn }: MemoryPageProps) {
  const queries = useQueries()
  const [query, setQuery] = useState('')
  const [scope, setScope] = useState('')
  const [order, setOrder] = useState<MemoryOrder>('recent')
  const [deleted, setDeleted] = useState(false)
  const [limit, setLimit] = useState(PAGE)
  const [adding, setAdding] = useState(false)
  const words = useDeferredValue(query.trim())
  const filter: MemoryFilter = {
    ...(words !== '' && { query: words }),
    ...(scope !== '' && { scope }),
    ...(deleted && { deleted }),
    order,
  }
  const list = useQuery(
    queries.memory.list.queryOptions({ input: { ...filter, limit }, placeholderData: keepPreviousData }),
  )
  const { data: page, error } = list
  const { data: overview } = useQuery(queries.memory.overview.queryOptions())
  const isFiltered = words !== '' || scope !== '' || deleted

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {!isOn && (
        <Banner
          tone="plain"
          actions={
            <Button size="small" onClick={() => useLayout.getState().openSettings('general')}>
              Settings
            </Button>
          }
        >
          Memory is off: agents neither see nor change these entries.
        </Banner>
      )}
      <div
        role="toolbar"
        aria-label="Entries"
        className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-[18px] py-2 max-mid:px-3"
      >
        <FilterField
          landmark="Memory"
          label="Search the memory"
          placeholder="Search"
          value={query}
          onChange={setQuery}
          className="h-[29px] min-w-[160px] flex-1"
        />
        <select aria-label="Where" value={scope} className={SELECT} onChange={(event) => setScope(event.target.value)}>
          <option value="">All projects</option>
          <option value="everywhere">Everywhere</option>
          {overview?.projects.map(({ folder }) => (
            <option key={folder} value={folder}>
              {folderName(folder, userHome).name} ({shortPath(folder, userHome)})
            </option>
          ))}
        </select>
        <select
          aria-label="Order"
          value={order}
          className={SELECT}
          onChange={(event) => setOrder(event.target.value as MemoryOrder)}
        >
          {Object.entries(ORDERS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <Button
          size="small"
          aria-pressed={deleted}
          variant={deleted ? 'default' : 'quiet'}
          onClick={() => setDeleted(!deleted)}
        >
          Deleted{overview && overview.deleted > 0 ? ` (${overview.deleted.toLocaleString()})` : ''}
        </Button>
        <ExportMenu disabled={!overview || overview.entries === 0} />
        <Button size="small" icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
          Add
        </Button>
      </div>
      {error && <LoadError query={list} className="m-3" />}
      {!page ? (
        !error && <Loading />
      ) : page.entries.length > 0 ? (
        <>
          <MemoryList entries={page.entries} userHome={userHome} />
          <footer
            className={cx(
              'flex flex-none items-center gap-3 border-t border-line',
              'px-[18px] py-1.5 text-small text-ink-3 max-mid:px-3',
            )}
          >
            <p role="status" className="min-w-0 flex-1">
              {countText(page.total, deleted, overview)}
            </p>
            {page.total > page.entries.length && (
              <Button size="small" variant="quiet" onClick={() => setLimit(Math.min(limit * 4, MEMORY_LIMITS.entries))}>
                Show more
              </Button>
            )}
          </footer>
        </>
      ) : (
        <EmptyState
          icon={<Brain aria-hidden />}
          title={isFiltered ? 'No matching entries' : 'No memories yet'}
          className="m-auto"
        >
          {isFiltered
            ? deleted
              ? 'Deleted entries stay here for 30 days.'
              : 'Try other words or another project.'
            : 'Tell the agent what to remember, for example "Remember that we use pnpm". ' +
              'Later sessions recall it when it is relevant.'}
        </EmptyState>
      )}
      {id !== undefined && <MemoryDialog key={id} id={id} userHome={userHome} overview={overview} onClose={close} />}
      {adding && (
        <MemoryDialog id={undefined} userHome={userHome} overview={overview} onClose={() => setAdding(false)} />
      )}
    </div>
  )
}

const SELECT = `${CONTROL_CLASS} h-[29px]! w-auto! max-w-[170px]`

function countText(total: number, deleted: boolean, overview: MemoryOverview | undefined): string {
  const count = `${total.toLocaleString()} ${deleted ? 'deleted ' : ''}${total === 1 ? 'entry' : 'entries'}`
  if (deleted || !overview) return `${count}.`
  const budget = (overview.budgetBytes / 1024).toLocaleString(undefined, { maximumFractionDigits: 1 })
  return `${count}. Entries relevant to a message are sent with it, at most ${budget} kB per conversation.`
}

/** Saves all entries as a file. */
function ExportMenu({ disabled }: { disabled: boolean }) {
  const client = useClient()
  const save = async (kind: 'json' | 'md'): Promise<void> => {
    try {
      const { entries } = await client.memory.list({ order: 'key', limit: MEMORY_LIMITS.entries })
      const text = kind === 'json' ? `${JSON.stringify(entries, undefined, 2)}\n` : memoryAsMarkdown(entries)
      const url = URL.createObjectURL(
        new Blob([text], { type: kind === 'json' ? 'application/json' : 'text/markdown' }),
      )
      const link = Object.assign(document.createElement('a'), { href: url, download: `trestle-memory.${kind}` })
      link.click()
      URL.revokeObjectURL(url)
    } catch (error) {
      showFailureToast(error)
    }
  }
  return (
    <Menu
      label="Export"
      trigger={
        <Button size="small" variant="quiet" icon={<Download aria-hidden />} disabled={disabled}>
          Export
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('md')}>Markdown</MenuItem>
      <MenuItem onSelect={() => void save('json')}>JSON</MenuItem>
    </Menu>
  )
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the memory" className="space-y-4 px-[18px] py-4">
      {['w-3/5', 'w-2/5', 'w-1/2'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  )
}

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
              className={cx(
                'flex h-[54px] w-full flex-col justify-center border-b border-line px-[18px]',
                'text-left hover:bg-sunken focus-visible:-outline-offset-2 max-mid:px-3',
              )}
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
