import { useQuery } from '@tanstack/react-query'
import type { PlannedRun, Schedule } from '../../../shared/model/schedule'
import { failureFrom } from '../../client/failure-from'
import { useNowEachMinute } from '../../format/relative-time'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Skeleton } from '../../ui/loading'
import { ErrorNote } from '../../ui/notice'
import { addDays, dayText, startOfDay } from './due-text'

const DAYS = [0, 1, 2, 3, 4, 5, 6]
/** Due times of one schedule in a day that are listed one by one. */
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
  const { data: planned, error } = useQuery(
    queries.schedule.planned.queryOptions({ input: { from, until: addDays(from, DAYS.length) } }),
  )
  if (error) return <ErrorNote failure={failureFrom(error)} className="m-3" />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ol
        aria-label="The next seven days"
        className="grid min-h-full grid-cols-7 divide-x divide-line max-[900px]:min-h-0 max-[900px]:grid-cols-1 max-[900px]:divide-x-0 max-[900px]:divide-y"
      >
        {DAYS.map((day) => (
          <Day
            key={day}
            start={addDays(from, day)}
            now={now}
            entries={planned && entriesOf(planned, schedules, addDays(from, day), addDays(from, day + 1))}
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
          {date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}
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
function entriesOf(
  planned: readonly PlannedRun[],
  schedules: readonly Schedule[],
  start: number,
  end: number,
): Entry[] {
  const ofDay = Map.groupBy(
    planned.filter(({ at }) => at >= start && at < end),
    ({ scheduleId }) => scheduleId,
  )
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
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}
