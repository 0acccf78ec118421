import { CalendarClock, CalendarDays, List, Plus } from 'lucide-react'
import { useQueries as useAllQueries, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ScheduleService, PlannedRun, Schedule } from '../../../shared/model/assistant/schedule'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { Banner, EmptyState } from '../../ui/notice'
import { ScheduleDialog } from './schedule-dialog'
import { ScheduleList } from './schedule-list'
import { formatDate } from '../../../shared/language/speak'
import { useNowEachMinute } from '../../format/relative-time'
import { addDays, dayText, startOfDay } from './due-text'
import { cx } from '../../ui/cx'
import { LoadError } from '../../ui/load-error'

export interface SchedulesPageProps {
  /** The open schedule. */
  id: string | undefined
  userHome: string | undefined
  /** Whether schedules run. */
  isOn: boolean
}

type Shown = 'list' | 'week' | 'deleted'

/** All schedules: when they run next, how they ran, and the calendar of the next week. */
export function SchedulesPage({ id, userHome, isOn }: SchedulesPageProps) {
  const queries = useQueries()
  const [shown, setShown] = useState<Shown>('list')
  const [adding, setAdding] = useState(false)
  const isDeleted = shown === 'deleted'
  const query = useQuery(queries.schedule.list.queryOptions({ input: { deleted: isDeleted } }))
  const { data, error } = query
  const { data: all } = useQuery(queries.schedule.list.queryOptions({ input: { deleted: false } }))
  const opened = id === undefined ? undefined : all?.schedules.find((schedule) => schedule.id === id)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {!isOn ? (
        <Banner
          tone="plain"
          actions={
            <Button size="small" onClick={() => useLayout.getState().openSettings('general')}>
              Settings
            </Button>
          }
        >
          Schedules are off: no schedule runs until you turn them on.
        </Banner>
      ) : (
        data && <ServiceNote service={data.service} />
      )}
      <div
        role="toolbar"
        aria-label="Schedules"
        className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-[18px] py-2 max-mid:px-3"
      >
        <ShownButton shown={shown} value="list" icon={<List aria-hidden />} onShow={setShown}>
          Schedules
        </ShownButton>
        <ShownButton shown={shown} value="week" icon={<CalendarDays aria-hidden />} onShow={setShown}>
          Week
        </ShownButton>
        <ShownButton shown={shown} value="deleted" onShow={setShown}>
          Deleted
        </ShownButton>
        <span className="flex-1" />
        <Button size="small" icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
          New schedule
        </Button>
      </div>
      {error && <LoadError query={query} className="m-3" />}
      {!data ? (
        !error && <Loading />
      ) : data.schedules.length === 0 ? (
        <EmptyState
          icon={<CalendarClock aria-hidden />}
          title={isDeleted ? 'No deleted schedules' : 'No schedules yet'}
          className="m-auto"
        >
          {isDeleted
            ? 'Deleted schedules stay here for 30 days.'
            : 'A schedule runs a prompt at set times, for example a dependency check every night. ' +
              'Each run is a session of its own; its questions wait in the inbox.'}
        </EmptyState>
      ) : shown === 'week' ? (
        <WeekCalendar schedules={data.schedules} />
      ) : (
        <ScheduleList schedules={data.schedules} userHome={userHome} />
      )}
      {opened && <ScheduleDialog key={opened.id} schedule={opened} userHome={userHome} onClose={closeSchedule} />}
      {adding && <ScheduleDialog schedule={undefined} userHome={userHome} onClose={() => setAdding(false)} />}
    </div>
  )
}

function closeSchedule(): void {
  useLayout.getState().openSchedules()
}

function ShownButton({
  shown,
  value,
  icon,
  onShow,
  children,
}: {
  shown: Shown
  value: Shown
  icon?: ReactNode
  onShow: (value: Shown) => void
  children: string
}) {
  const isShown = shown === value
  return (
    <Button
      size="small"
      aria-pressed={isShown}
      variant={isShown ? 'default' : 'quiet'}
      {...(icon !== undefined && { icon })}
      onClick={() => onShow(value)}
    >
      {children}
    </Button>
  )
}

/** Where schedules run, if it is not in this process. */
function ServiceNote({ service: { runs, where } }: { service: ScheduleService }) {
  if (runs !== 'elsewhere') return null
  return (
    <Banner tone="plain">{`Schedules run in ${where ?? 'another Trestle'}. This one takes over when it ends.`}</Banner>
  )
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the schedules" className="space-y-4 px-[18px] py-4">
      {['w-3/5', 'w-2/5', 'w-1/2'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  )
}

const DAYS = [0, 1, 2, 3, 4, 5, 6]
/** Maximum number of due times of one schedule in a day that are listed separately. */
const MAX_LISTED = 3

interface Entry {
  schedule: Schedule
  times: number[]
}

/** The due times of the next seven days, by this machine's clock. */
export function WeekCalendar({ schedules }: { schedules: readonly Schedule[] }) {
  const queries = useQueries()
  const now = useNowEachMinute()
  const from = startOfDay(now)
  // One request per day: a schedule that runs every few minutes has more due times in a week than one response lists.
  const days = useAllQueries({
    queries: DAYS.map((day) =>
      queries.schedule.planned.queryOptions({ input: { from: addDays(from, day), until: addDays(from, day + 1) } }),
    ),
  })
  const failed = days.find((day) => day.error)
  if (failed) return <LoadError query={failed} className="m-3" />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ol
        aria-label="The next seven days"
        className={cx(
          'grid min-h-full grid-cols-7 divide-x divide-line max-[900px]:min-h-0',
          'max-[900px]:grid-cols-1 max-[900px]:divide-x-0 max-[900px]:divide-y',
        )}
      >
        {DAYS.map((day) => (
          <Day
            key={day}
            start={addDays(from, day)}
            now={now}
            entries={days[day]?.data && entriesOf(days[day].data, schedules)}
          />
        ))}
      </ol>
    </div>
  )
}

function Day({ start, now, entries }: { start: number; now: number; entries: readonly Entry[] | undefined }) {
  const date = new Date(start)
  return (
    <li className="min-h-[120px] min-w-0 p-2 max-[900px]:min-h-0 max-[900px]:px-3">
      <h2 className="mb-1.5 flex items-baseline gap-1.5 text-ui font-semibold">
        {dayText(date, now)}
        <span className="text-small font-normal text-ink-3">
          {formatDate(date, { day: 'numeric', month: 'short' })}
        </span>
      </h2>
      {entries === undefined ? (
        <Skeleton className="w-3/4" />
      ) : entries.length === 0 ? (
        <p className="text-small text-ink-3">No runs</p>
      ) : (
        <ul className="space-y-1">
          {entries.map(({ schedule: { id, name }, times }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => useLayout.getState().openSchedules(id)}
                className="w-full rounded-md border border-line bg-raised px-2 py-1 text-left hover:bg-sunken"
              >
                <span className="block text-small text-ink-2 tabular-nums">{timesText(times)}</span>
                <span className="block truncate text-ui" title={name}>
                  {name}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** The schedules that are due on a day, the earliest first. */
function entriesOf(planned: readonly PlannedRun[], schedules: readonly Schedule[]): Entry[] {
  const ofDay = Map.groupBy(planned, ({ scheduleId }) => scheduleId)
  return [...ofDay].flatMap(([scheduleId, runs]) => {
    const schedule = schedules.find(({ id }) => id === scheduleId)
    return schedule ? [{ schedule, times: runs.map(({ at }) => at) }] : []
  })
}

function timesText(times: readonly number[]): string {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0]
  if (times.length > MAX_LISTED) return `${times.length} times, ${clock(first)}–${clock(last)}`
  return times.map(clock).join(', ')
}

function clock(at: number): string {
  return formatDate(at, { timeStyle: 'short' })
}
