import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  Bell,
  BellRing,
  Brain,
  CalendarClock,
  Inbox,
  PanelLeft,
  Plus,
  Search,
  Settings,
  SquareTerminal,
  X,
} from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { isFeatureOn } from '../../../shared/configuration/features'
import { t } from '../../../shared/language/shell-messages'
import { useInbox } from '../../state/inbox-state'
import { useLayout } from '../../state/page/layout-state'
import { archivedOf, projectsOf, useSessions } from '../../state/session/sessions-state'
import { useNowEachMinute } from '../../format/relative-time'
import { useKeys } from '../../state/page/shortcuts'
import { useSessionActions } from '../../state/session/session-actions'
import { isUnread, useSessionMarks } from '../../state/session/session-marks'
import { useTasks } from '../../state/tasks-state'
import { useToasts } from '../../state/page/toasts-state'
import { useQueries, useSettings } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { cx } from '../../ui/cx'
import { IconButton } from '../../ui/button'
import { CommandKeys, useAriaKeys } from '../../ui/command-keys'
import { Logo } from '../../ui/logo'
import { Skeleton } from '../../ui/loading'
import { useRemovals } from '../../state/session/bulk-actions'
import { HERE, ListMenu, useGrouping } from './grouping'
import { SelectionBar } from './selection-bar'
import { UsageLink } from './usage-link'
import { SessionTree } from './session-tree'
import { useArchive } from './use-archive'
import { searchRows, treeRows } from './tree-rows'

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
      className="mx-2.5 mt-0.5 mb-1 flex h-[30px] flex-none items-center gap-[7px] rounded-md border border-line bg-raised pr-1 pl-2 text-ink-3 has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-1 has-[input:focus-visible]:outline-focus"
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

function SidebarFoot() {
  const view = useLayout((layout) => layout.view)
  return (
    <footer className="flex-none border-t border-line p-1.5">
      <InboxEntry current={view.kind === 'inbox'} />
      <TasksEntry current={view.kind === 'tasks'} />
      <NotificationsLink current={view.kind === 'notifications'} />
      <UsageLink current={view.kind === 'usage'} rowClass={FOOT_ROW} />
      <MemoryLink current={view.kind === 'memory'} />
      <SchedulesLink current={view.kind === 'schedules'} />
      <button
        type="button"
        aria-current={view.kind === 'settings' ? 'page' : undefined}
        aria-keyshortcuts={useAriaKeys('settings')}
        onClick={() => useLayout.getState().openSettings()}
        className={cx(FOOT_ROW, view.kind === 'settings' && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
      >
        <Settings aria-hidden className="size-[15px] stroke-[1.6]" />
        {t('shell.settings')}
        <span className="flex-1" />
        <CommandKeys id="settings" />
      </button>
    </footer>
  )
}

/** The link to the inbox, with the number of pending requests. */
function InboxEntry({ current }: { current: boolean }) {
  const waiting = useInbox((state) => state.entries.length)
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      aria-keyshortcuts={useAriaKeys('inbox')}
      onClick={() => useLayout.getState().openInbox()}
      className={cx(FOOT_ROW, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <Inbox aria-hidden className="size-[15px] stroke-[1.6]" />
      {t('shell.inbox')}
      <span className="flex-1" />
      <span role="status" className="contents">
        {waiting > 0 && <Badge tone="wait">{t('shell.pending', { count: waiting })}</Badge>}
      </span>
      {waiting === 0 && <CommandKeys id="inbox" />}
    </button>
  )
}

/** The link to alarms and notifications, while there are any, with the number of unread ones. */
function NotificationsLink({ current }: { current: boolean }) {
  const queries = useQueries()
  const { data: page } = useQuery(queries.notification.list.queryOptions({ input: { limit: 0 } }))
  const { data: alarms = [] } = useQuery(queries.alarm.list.queryOptions({ input: {} }))
  const { total = 0, unread = 0 } = page ?? {}
  if (!current && total === 0 && alarms.length === 0) return null
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      onClick={() => useLayout.getState().openNotifications()}
      className={cx(FOOT_ROW, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <BellRing aria-hidden className="size-[15px] stroke-[1.6]" />
      Notifications
      <span className="flex-1" />
      <span role="status" className="contents">
        {unread > 0 && <Badge tone="run">{`${unread} unread`}</Badge>}
      </span>
    </button>
  )
}

/** The link to what is remembered, while the feature is on. */
function MemoryLink({ current }: { current: boolean }) {
  const { data: settings } = useSettings()
  if (!isFeatureOn(settings, 'memory')) return null
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      onClick={() => useLayout.getState().openMemory()}
      className={cx(FOOT_ROW, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <Brain aria-hidden className="size-[15px] stroke-[1.6]" />
      Memory
    </button>
  )
}

/** The link to the schedules, while the feature is on. */
function SchedulesLink({ current }: { current: boolean }) {
  const { data: settings } = useSettings()
  if (!isFeatureOn(settings, 'scheduling')) return null
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      onClick={() => useLayout.getState().openSchedules()}
      className={cx(FOOT_ROW, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <CalendarClock aria-hidden className="size-[15px] stroke-[1.6]" />
      Schedules
    </button>
  )
}

/** The link to all tasks, with the number of running ones; in amber the number that wait for input. */
function TasksEntry({ current }: { current: boolean }) {
  const running = useTasks((state) => state.running)
  const waiting = useTasks((state) => state.waiting.length)
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      aria-keyshortcuts={useAriaKeys('tasks')}
      onClick={() => useLayout.getState().openTasks()}
      className={cx(FOOT_ROW, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <SquareTerminal aria-hidden className="size-[15px] stroke-[1.6]" />
      {t('shell.tasks')}
      <span className="flex-1" />
      {waiting > 0 ? (
        <Badge tone="wait">{t('shell.pending', { count: waiting })}</Badge>
      ) : running > 0 ? (
        <Badge tone="run">{t('shell.running', { count: running })}</Badge>
      ) : (
        <CommandKeys id="tasks" />
      )}
    </button>
  )
}

const openNew = (): void => useLayout.getState().openNew()
const FOOT_ROW =
  'flex h-[31px] w-full items-center gap-[9px] rounded-[6px] px-2 text-left text-ink-2 hover:bg-sunken hover:text-ink focus-visible:-outline-offset-2'

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
