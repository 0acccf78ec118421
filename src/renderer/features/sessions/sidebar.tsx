import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Bell, PanelLeft, Plus, Search, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { plural } from '../../../shared/language/plural'
import { t } from '../../../shared/language/shell-messages'
import { useLayout } from '../../state/page/layout-state'
import { archivedOf, projectsOf, useSessions } from '../../state/session-list/sessions-state'
import { useNowEachMinute } from '../../format/relative-time'
import { useKeys } from '../../state/page/shortcuts'
import { useSessionActions } from '../../state/session/session-actions'
import { isUnread, useSessionMarks } from '../../state/session-list/session-marks'
import { useToasts } from '../../state/page/toasts-state'
import { useQueries } from '../../state/page/queries'
import { IconButton } from '../../ui/button'
import { CommandKeys } from '../../ui/command-keys'
import { Logo } from '../../ui/logo'
import { Skeleton } from '../../ui/loading'
import { useRemovals } from '../../state/session-list/bulk-actions'
import { HERE, ListMenu, useGrouping } from './grouping'
import { SelectionBar } from './selection-bar'
import { SidebarFoot } from './sidebar-foot'
import { SessionTree } from './session-tree'
import { useArchive } from './use-archive'
import { searchRows, treeRows } from './tree-rows'
import { cx } from '../../ui/cx'

/** Debounce of the message search, in ms. */
const SEARCH_REST = 180
const MAX_HITS = 30

interface SidebarProps {
  userHome: string | undefined
  /** Undefined when it is a drawer. */
  onHide: (() => void) | undefined
}

/** The left column: projects and their sessions, a search over titles and messages, and what needs the user. */
export function Sidebar({ userHome, onHide }: SidebarProps) {
  const state = useSessions()
  const view = useLayout((layout) => layout.view)
  const actions = useSessionActions()
  const [search, setSearch] = useState('')
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const [grown, setGrown] = useState<ReadonlyMap<string, number>>(new Map())
  const marks = useSessionMarks()
  // Constant all day, so that the rows are not rebuilt every minute.
  const today = new Date(useNowEachMinute()).setHours(0, 0, 0, 0)
  const currentId = view.kind === 'session' ? view.sessionId : undefined
  const archive = useArchive()
  const hits = useHits(search.trim())
  const searching = search.trim() !== ''
  const hasMessages = useToasts((toasts) => toasts.history.length > 0)

  const removals = useRemovals((removing) => removing.ids)
  const grouping = useGrouping((now) => now.grouping)
  const shownPlace = useGrouping((now) => now.shownPlace)
  const listed = useMemo(
    () =>
      removals.size === 0 && shownPlace === ''
        ? state
        : {
            ...state,
            sessions: new Map(
              [...state.sessions].filter(
                ([sessionId, { place }]) =>
                  !removals.has(sessionId) && (shownPlace === '' || (place ?? HERE) === shownPlace),
              ),
            ),
          },
    [state, removals, shownPlace],
  )
  const projects = useMemo(() => projectsOf(listed), [listed])
  const archived = useMemo(() => archivedOf(listed), [listed])
  const rows = useMemo(
    () =>
      searching
        ? searchRows({
            query: search,
            sessions: [...projects.flatMap((project) => project.sessions), ...archived],
            hits,
          })
        : treeRows({
            projects,
            collapsed,
            grown,
            pinned: marks.pinned,
            grouping,
            isKept: (summary) =>
              summary.sessionId === currentId ||
              summary.status === 'running' ||
              summary.waiting > 0 ||
              isUnread(marks, summary),
            archived,
            archive: { open: archive.open, loading: archive.loading, any: archive.any || archived.length > 0 },
            now: today,
          }),
    [
      searching,
      search,
      projects,
      archived,
      hits,
      collapsed,
      grown,
      marks,
      grouping,
      currentId,
      archive.open,
      archive.loading,
      archive.any,
      today,
    ],
  )

  const found = searching ? rows.filter(({ kind }) => kind === 'session' || kind === 'hit').length : 0
  const [sidebarKeys, newKeys] = [useKeys('sidebar'), useKeys('new')]
  const toggleProject = (folder: string): void => {
    setCollapsed((before) => {
      const next = new Set(before)
      if (!next.delete(folder)) next.add(folder)
      return next
    })
  }

  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex h-[46px] flex-none items-center gap-2 px-3.5 font-semibold tracking-[-0.01em]">
        <Logo />
        Trestle
        <span className="flex-1" />
        {hasMessages && (
          <IconButton label={t('shell.messages')} onClick={() => useLayout.getState().setMessagesOpen(true)}>
            <Bell aria-hidden />
          </IconButton>
        )}
        <ListMenu />
        {onHide && (
          <IconButton label={t('shell.hideSidebar')} kbd={sidebarKeys} onClick={onHide}>
            <PanelLeft aria-hidden />
          </IconButton>
        )}
        <IconButton label={t('shell.newSession')} kbd={newKeys} className="-mr-1.5" onClick={openNew}>
          <Plus aria-hidden />
        </IconButton>
      </header>
      <SearchField value={search} onChange={setSearch} />
      <p role="status" className="sr-only">
        {searching && `${found} ${plural(found, 'result')}`}
      </p>
      {state.loaded ? (
        <SessionTree
          rows={rows}
          currentSessionId={currentId}
          userHome={userHome}
          actions={actions}
          onToggleProject={toggleProject}
          onToggleArchive={archive.toggle}
          onShowMore={(folder) => setGrown((before) => new Map(before).set(folder, (before.get(folder) ?? 0) + 1))}
        />
      ) : (
        <LoadingRows />
      )}
      <SelectionBar />
      <SidebarFoot />
    </div>
  )
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <div
      role="search"
      className={cx(
        'mx-2.5 mt-0.5 mb-1 flex h-[30px] flex-none items-center gap-[7px] rounded-md border',
        'border-line bg-raised pr-1 pl-2 text-ink-3 has-[input:focus-visible]:outline-2',
        'has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-focus',
      )}
    >
      <Search aria-hidden className="size-[14px] flex-none" />
      <input
        ref={field}
        type="text"
        value={value}
        aria-label={t('shell.searchSessionsAndMessages')}
        placeholder={t('shell.searchSessions')}
        spellCheck={false}
        className="h-full min-w-0 flex-1 bg-transparent text-small text-ink outline-none"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value !== '') {
            event.stopPropagation()
            onChange('')
          } else if (event.key === 'ArrowDown') {
            event.preventDefault()
            field.current?.closest('[data-sidebar]')?.querySelector<HTMLElement>('[role=tree] [tabindex="0"]')?.focus()
          } else if (event.key === 'Enter' && value.trim() !== '' && !event.nativeEvent.isComposing) {
            // The first session or message. Only groups have `aria-expanded`.
            const first = '[role=tree] [role=treeitem]:not([aria-expanded])'
            field.current?.closest('[data-sidebar]')?.querySelector<HTMLElement>(first)?.click()
          }
        }}
      />
      {value === '' ? (
        <button
          type="button"
          className="rounded-sm px-0.5 leading-none"
          onClick={() => useLayout.getState().setPaletteOpen(true)}
        >
          <span className="sr-only">{t('shell.openPalette')}</span>
          <CommandKeys id="palette" />
        </button>
      ) : (
        <button
          type="button"
          aria-label={t('shell.clearSearch')}
          className="rounded-sm p-1 hover:text-ink"
          onClick={() => {
            onChange('')
            field.current?.focus()
          }}
        >
          <X aria-hidden className="size-[14px]" />
        </button>
      )}
    </div>
  )
}

const openNew = (): void => useLayout.getState().openNew()

function LoadingRows() {
  return (
    <div className="min-h-0 flex-1 space-y-4 px-4 py-4" role="status" aria-busy>
      <span className="sr-only">Loading the sessions</span>
      {['w-2/5', 'w-4/5', 'w-3/5', 'w-3/4', 'w-1/3', 'w-2/3'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  )
}

/** Messages that match the search, after the debounce; undefined while searching. */
function useHits(query: string) {
  const queries = useQueries()
  const [rested, setRested] = useState(query)
  useEffect(() => {
    const timer = setTimeout(() => setRested(query), SEARCH_REST)
    return () => clearTimeout(timer)
  }, [query])
  const { data, error } = useQuery(
    queries.session.search.queryOptions({
      input: { query: rested.slice(0, 500) || ' ', limit: MAX_HITS },
      enabled: rested !== '' && query !== '',
      placeholderData: keepPreviousData,
      retry: false,
    }),
  )
  return error ? [] : data
}
