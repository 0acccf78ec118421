import { CalendarClock, CalendarDays, List, Plus } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ScheduleService } from '../../../shared/model/schedule'
import { failureFrom } from '../../client/failure-from'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { Banner, EmptyState, ErrorNote } from '../../ui/notice'
import { ScheduleDialog } from './schedule-dialog'
import { ScheduleList } from './schedule-list'
import { WeekCalendar } from './week-calendar'

export interface SchedulesPageProps {
  /** The schedule that is open. */
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
  const { data, error } = useQuery(queries.schedule.list.queryOptions({ input: { deleted: isDeleted } }))
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
      {error && <ErrorNote failure={failureFrom(error)} className="m-3" />}
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
            : 'A schedule runs a prompt at set times, for example a dependency check every night. Each run is a session of its own; its questions wait in the inbox.'}
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

/** Where schedules run, when it is not here. */
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
