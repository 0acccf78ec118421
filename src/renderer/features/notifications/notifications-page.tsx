import { useQuery } from '@tanstack/react-query'
import { BellRing, CheckCheck, Plus, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import {
  type UserNotification,
  ALARM_LIMITS,
  SNOOZE_MINUTES,
  type Alarm,
} from '../../../shared/model/assistant/notification'
import { failureFrom } from '../../client/failure-from'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { useNotificationActions } from './notification-actions'
import type { Failure } from '../../../shared/errors'
import { Badge } from '../../ui/badge'
import { TextField } from '../../ui/form/field'

/** Another process of the same home may set an alarm or notify. */
const REFETCH_MS = 30_000

/** Alarms, and all notifications. */
export function NotificationsPage() {
  const queries = useQueries()
  const actions = useNotificationActions()
  const [adding, setAdding] = useState(false)
  const alarms = useQuery(queries.alarm.list.queryOptions({ input: {}, refetchInterval: REFETCH_MS }))
  const page = useQuery(queries.notification.list.queryOptions({ input: {}, refetchInterval: REFETCH_MS }))
  const error = alarms.error ?? page.error
  const { notifications = [], unread = 0, total = 0 } = page.data ?? {}
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
      <div className="mx-auto max-w-[760px] px-[18px] py-5 max-mid:px-3">
        {error && <ErrorNote failure={failureFrom(error)} className="mb-4" />}
        <section aria-labelledby="alarms-head" className="mb-7">
          <div className="mb-2 flex items-center gap-2">
            <h2 id="alarms-head" className="flex-1 font-semibold">
              Alarms
            </h2>
            {!adding && (
              <Button size="small" icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
                New alarm
              </Button>
            )}
          </div>
          {adding && <AlarmForm onDone={() => setAdding(false)} />}
          {!alarms.data ? (
            !alarms.error && <Skeleton className="w-2/5" />
          ) : alarms.data.length > 0 ? (
            <AlarmList alarms={alarms.data} />
          ) : (
            !adding && <p className="text-ui text-ink-3">No alarms. They ring while Trestle is running.</p>
          )}
        </section>
        <section aria-labelledby="notifications-head">
          <div className="mb-2 flex flex-wrap items-center gap-2">
            <h2 id="notifications-head" className="flex-1 font-semibold whitespace-nowrap">
              Notifications{unread > 0 && <span className="font-normal text-ink-3"> ({unread} unread)</span>}
            </h2>
            <Button
              size="small"
              variant="quiet"
              icon={<CheckCheck aria-hidden />}
              disabled={unread === 0}
              onClick={() => actions.markRead()}
            >
              Mark all as read
            </Button>
            <Button
              size="small"
              variant="quiet"
              icon={<Trash2 aria-hidden />}
              disabled={total === 0}
              onClick={() => actions.clear()}
            >
              Clear all
            </Button>
          </div>
          {page.isPending ? (
            <div role="status" aria-label="Loading the notifications" className="space-y-4 py-2">
              {['w-3/5', 'w-2/5', 'w-1/2'].map((width) => (
                <Skeleton key={width} className={width} />
              ))}
            </div>
          ) : notifications.length > 0 ? (
            <NotificationList notifications={notifications} />
          ) : (
            <EmptyState icon={<BellRing aria-hidden />} title="No notifications" className="mx-auto mt-8">
              Notifications from agents and alarms appear here.
            </EmptyState>
          )}
        </section>
      </div>
    </div>
  )
}

function NotificationList({ notifications }: { notifications: readonly UserNotification[] }) {
  const actions = useNotificationActions()
  const now = useNowEachMinute()
  return (
    <ul
      aria-label="Notifications"
      className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised"
    >
      {notifications.map(({ id, at, title, body, readAt, sessionId }) => {
        const isUnread = readAt === undefined
        return (
          <li key={id} className="flex items-start gap-2.5 px-3.5 py-2">
            <span
              aria-hidden
              className={cx('mt-[7px] size-[7px] flex-none rounded-full', isUnread ? 'bg-run' : 'bg-transparent')}
            />
            <span className="min-w-0 flex-1">
              <span className="flex items-baseline gap-2.5">
                <span className={cx('min-w-0 flex-1 break-words', isUnread && 'font-medium')}>
                  {isUnread && <span className="sr-only">Unread: </span>}
                  {title}
                </span>
                <time dateTime={new Date(at).toISOString()} className="flex-none text-small text-ink-3">
                  {relativeTime(at, now)}
                </time>
              </span>
              {body !== '' && <span className="block break-words whitespace-pre-wrap text-ui text-ink-2">{body}</span>}
              {(isUnread || sessionId !== undefined) && (
                <span className="mt-1 flex flex-wrap gap-2">
                  {sessionId !== undefined && (
                    <Button
                      size="small"
                      onClick={() => {
                        if (isUnread) actions.markRead([id])
                        useLayout.getState().openSession(sessionId)
                      }}
                    >
                      Open session
                    </Button>
                  )}
                  {isUnread && (
                    <Button size="small" variant="quiet" className="first:-ml-2" onClick={() => actions.markRead([id])}>
                      Mark as read
                    </Button>
                  )}
                </span>
              )}
            </span>
            <IconButton label={`Clear ${title}`} onClick={() => actions.clear([id])}>
              <X aria-hidden />
            </IconButton>
          </li>
        )
      })}
    </ul>
  )
}

/** Ringing and upcoming alarms, with their actions. */
export function AlarmList({ alarms }: { alarms: readonly Alarm[] }) {
  const actions = useNotificationActions()
  return (
    <ul aria-label="Alarms" className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
      {alarms.map((alarm) => (
        <li key={alarm.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2">
          <span className="min-w-0 flex-1 basis-[180px]">
            <span className="block break-words font-medium">{alarm.label}</span>
            <time dateTime={new Date(alarm.at).toISOString()} className="text-small text-ink-3">
              {alarmWhen(alarm.at)}
            </time>
          </span>
          {alarm.status === 'ringing' ? (
            <>
              <Badge tone="wait">ringing</Badge>
              <Button size="small" onClick={() => actions.snooze(alarm)}>
                Snooze {SNOOZE_MINUTES} min
              </Button>
              <Button size="small" onClick={() => actions.stop(alarm)} aria-label={`Stop ${alarm.label}`}>
                Stop
              </Button>
            </>
          ) : (
            <Button
              size="small"
              variant="quiet"
              aria-label={`Cancel ${alarm.label}`}
              onClick={() => actions.cancel(alarm)}
            >
              Cancel
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Sets an alarm. */
export function AlarmForm({ onDone }: { onDone: () => void }) {
  const actions = useNotificationActions()
  const [when, setWhen] = useState('')
  const [label, setLabel] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const submit = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await actions.set(when, label)
      onDone()
    } catch (error) {
      setFailure(failureFrom(error))
      setBusy(false)
    }
  }
  return (
    <form
      aria-label="New alarm"
      className="mb-3 rounded-lg border border-line bg-raised px-3.5 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (when.trim() !== '' && label.trim() !== '' && !busy) void submit()
      }}
    >
      <div className="grid grid-cols-[repeat(auto-fit,minmax(180px,1fr))] gap-3">
        <TextField
          label="When"
          hint="18:30, 2026-12-01 09:00, 25m or 1h30m"
          value={when}
          autoFocus
          onChange={(event) => setWhen(event.target.value)}
        />
        <TextField
          label="Label"
          value={label}
          maxLength={ALARM_LIMITS.labelChars}
          onChange={(event) => setLabel(event.target.value)}
        />
      </div>
      {failure && <ErrorNote failure={failure} className="mt-3" />}
      <div className="mt-3 flex justify-end gap-2">
        <Button size="small" variant="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" size="small" busy={busy} disabled={when.trim() === '' || label.trim() === ''}>
          Set alarm
        </Button>
      </div>
    </form>
  )
}

function alarmWhen(at: number): string {
  return new Date(at).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  })
}
