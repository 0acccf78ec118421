import { CirclePause, CirclePlay, Ellipsis, Play, RotateCcw, Trash2 } from 'lucide-react'
import { type Schedule, noNextText, whenText } from '../../../shared/model/assistant/schedule'
import { folderName } from '../../format/folder-name'
import { useNowEachMinute } from '../../format/relative-time'
import { useLayout } from '../../state/page/layout-state'
import { Badge } from '../../ui/badge'
import { Button, IconButton } from '../../ui/button'
import { Menu, MenuItem } from '../../ui/overlay/menu'
import { dueText } from './due-text'
import { RunStatus } from './schedule-history'
import { useScheduleActions } from './schedule-actions'
import { cx } from '../../ui/cx'

/** The schedules with their next and last runs, and the actions on each. */
export function ScheduleList({
  schedules,
  userHome,
}: {
  schedules: readonly Schedule[]
  userHome: string | undefined
}) {
  return (
    <ul aria-label="Schedules" className="min-h-0 flex-1 overflow-y-auto">
      {schedules.map((schedule) => (
        <ScheduleRow key={schedule.id} schedule={schedule} userHome={userHome} />
      ))}
    </ul>
  )
}

function ScheduleRow({ schedule, userHome }: { schedule: Schedule; userHome: string | undefined }) {
  const { id, name, time, zone, folder, heartbeat, isPaused, failures, deletedAt, isDamaged } = schedule
  const actions = useScheduleActions()
  const isDeleted = deletedAt !== undefined
  const about = [
    `${whenText(schedule)}${zone === OWN_ZONE || time.kind === 'mail' || isDamaged ? '' : ` (${zone})`}`,
    ...(heartbeat ? ['heartbeat'] : []),
    ...(folder === undefined ? [] : [folderName(folder, userHome).name]),
  ]
  return (
    <li
      className={cx(
        'flex flex-wrap items-center gap-x-3 gap-y-1 border-b',
        'border-line px-[18px] py-2 hover:bg-sunken max-mid:px-3',
      )}
    >
      <button
        type="button"
        disabled={isDeleted}
        onClick={() => useLayout.getState().openSchedules(id)}
        className="min-w-[200px] flex-1 rounded-sm text-left disabled:cursor-default"
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          {isPaused && <Badge tone={failures > 0 ? 'fail' : 'plain'}>Paused</Badge>}
          {!isPaused && failures > 1 && <Badge tone="fail">{`${failures} failed in a row`}</Badge>}
        </span>
        <span className="block truncate text-small text-ink-3">{about.join(' · ')}</span>
      </button>
      <Times schedule={schedule} />
      {isDeleted ? (
        <Button size="small" icon={<RotateCcw aria-hidden />} onClick={() => actions.restore(schedule)}>
          Restore
        </Button>
      ) : (
        <span className="flex flex-none items-center gap-1">
          <Button
            size="small"
            aria-label={`Run now: ${name}`}
            icon={<Play aria-hidden />}
            disabled={schedule.lastRun?.status === 'running'}
            onClick={() => actions.runNow(schedule)}
          >
            Run now
          </Button>
          <IconButton
            label={isPaused ? `Resume ${name}` : `Pause ${name}`}
            onClick={() => actions.setPaused(schedule, !isPaused)}
          >
            {isPaused ? <CirclePlay aria-hidden /> : <CirclePause aria-hidden />}
          </IconButton>
          <Menu
            label={name}
            align="end"
            trigger={
              <IconButton label={`More for ${name}`}>
                <Ellipsis aria-hidden />
              </IconButton>
            }
          >
            <MenuItem onSelect={() => useLayout.getState().openSchedules(id)}>Edit and history</MenuItem>
            <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => actions.remove(schedule)}>
              Delete
            </MenuItem>
          </Menu>
        </span>
      )}
    </li>
  )
}

/** The next and the last run. */
function Times({ schedule: { nextAt, time, isPaused, lastRun, deletedAt } }: { schedule: Schedule }) {
  const now = useNowEachMinute()
  const next = isPaused
    ? 'Paused'
    : nextAt === undefined
      ? sentence(noNextText(time))
      : nextAt < now && lastRun?.status === 'running'
        ? 'After this run'
        : dueText(nextAt, now)
  return (
    <dl className="grid flex-none grid-cols-[auto_minmax(150px,auto)] gap-x-2 text-small">
      <dt className="text-ink-3">{deletedAt === undefined ? 'Next' : 'Deleted'}</dt>
      <dd className="tabular-nums">{deletedAt === undefined ? next : dueText(deletedAt, now)}</dd>
      <dt className="text-ink-3">Last</dt>
      <dd className="flex min-w-0 items-center gap-1.5 tabular-nums">
        {lastRun ? (
          <>
            <LastRun run={lastRun} text={dueText(lastRun.startedAt, now)} />
            <RunStatus run={lastRun} />
          </>
        ) : (
          'Never'
        )}
      </dd>
    </dl>
  )
}

function LastRun({ run: { sessionId }, text }: { run: NonNullable<Schedule['lastRun']>; text: string }) {
  if (sessionId === undefined) return <span>{text}</span>
  return (
    <button
      type="button"
      className="rounded-sm underline underline-offset-2"
      onClick={() => useLayout.getState().openSession(sessionId)}
    >
      {text}
      <span className="sr-only">, open the session</span>
    </button>
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
