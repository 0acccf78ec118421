import { useQuery } from '@tanstack/react-query'
import {
  BellRing,
  Brain,
  CalendarClock,
  ChartColumn,
  Inbox,
  Settings,
  SquareTerminal,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { isFeatureOn } from '../../../shared/configuration/features'
import { t } from '../../../shared/language/shell-messages'
import { useInbox } from '../../state/inbox-state'
import { useLayout } from '../../state/page/layout-state'
import { useQueries, useSettings } from '../../state/page/queries'
import { useTasks } from '../../state/tasks/tasks-state'
import { Badge } from '../../ui/badge'
import { CommandKeys, useAriaKeys } from '../../ui/command-keys'
import { cx } from '../../ui/cx'

/** The links to the other pages, each with the number of items that need the user. */
export function SidebarFoot() {
  const view = useLayout((layout) => layout.view.kind)
  const { data: settings } = useSettings()
  return (
    <footer className="flex-none border-t border-line p-1.5">
      <InboxLink current={view === 'inbox'} />
      <TasksLink current={view === 'tasks'} />
      <NotificationsLink current={view === 'notifications'} />
      <PageLink
        icon={ChartColumn}
        label="Usage"
        current={view === 'usage'}
        open={() => useLayout.getState().openUsage()}
      />
      {isFeatureOn(settings, 'memory') && (
        <PageLink
          icon={Brain}
          label="Memory"
          current={view === 'memory'}
          open={() => useLayout.getState().openMemory()}
        />
      )}
      {isFeatureOn(settings, 'scheduling') && (
        <PageLink
          icon={CalendarClock}
          label="Schedules"
          current={view === 'schedules'}
          open={() => useLayout.getState().openSchedules()}
        />
      )}
      <PageLink
        icon={Settings}
        label={t('shell.settings')}
        current={view === 'settings'}
        open={() => useLayout.getState().openSettings()}
        keys={useAriaKeys('settings')}
      >
        <CommandKeys id="settings" />
      </PageLink>
    </footer>
  )
}

interface PageLinkProps {
  icon: LucideIcon
  label: string
  current: boolean
  open: () => void
  /** Its shortcut, as assistive technology reads it. */
  keys?: string | undefined
  /** On the right: a number that needs the user, or the shortcut. */
  children?: ReactNode
}

function PageLink({ icon: Icon, label, current, open, keys, children }: PageLinkProps) {
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      aria-keyshortcuts={keys}
      onClick={open}
      className={cx(
        'flex h-[31px] w-full items-center gap-[9px] rounded-[6px] px-2 text-left',
        'text-ink-2 hover:bg-sunken hover:text-ink focus-visible:-outline-offset-2',
        current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]',
      )}
    >
      <Icon aria-hidden className="size-[15px] stroke-[1.6]" />
      {label}
      {children !== undefined && (
        <>
          <span className="flex-1" />
          {children}
        </>
      )}
    </button>
  )
}

/** The link to the inbox, with the number of pending requests. */
function InboxLink({ current }: { current: boolean }) {
  const waiting = useInbox((state) => state.entries.length)
  return (
    <PageLink
      icon={Inbox}
      label={t('shell.inbox')}
      current={current}
      open={() => useLayout.getState().openInbox()}
      keys={useAriaKeys('inbox')}
    >
      <span role="status" className="contents">
        {waiting > 0 && <Badge tone="wait">{t('shell.pending', { count: waiting })}</Badge>}
      </span>
      {waiting === 0 && <CommandKeys id="inbox" />}
    </PageLink>
  )
}

/** The link to all tasks, with the number of running ones; in amber the number that wait for input. */
function TasksLink({ current }: { current: boolean }) {
  const running = useTasks((state) => state.running)
  const waiting = useTasks((state) => state.waiting.length)
  return (
    <PageLink
      icon={SquareTerminal}
      label={t('shell.tasks')}
      current={current}
      open={() => useLayout.getState().openTasks()}
      keys={useAriaKeys('tasks')}
    >
      {waiting > 0 ? (
        <Badge tone="wait">{t('shell.pending', { count: waiting })}</Badge>
      ) : running > 0 ? (
        <Badge tone="run">{t('shell.running', { count: running })}</Badge>
      ) : (
        <CommandKeys id="tasks" />
      )}
    </PageLink>
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
    <PageLink
      icon={BellRing}
      label="Notifications"
      current={current}
      open={() => useLayout.getState().openNotifications()}
    >
      <span role="status" className="contents">
        {unread > 0 && <Badge tone="run">{`${unread} unread`}</Badge>}
      </span>
    </PageLink>
  )
}
