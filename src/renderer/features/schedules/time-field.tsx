import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { timeText } from '../../../shared/model/assistant/schedule'
import { failureFrom } from '../../client/failure-from'
import { useNowEachMinute } from '../../format/relative-time'
import { useQueries } from '../../state/page/queries'
import { TextField } from '../../ui/form/field'
import { dueText } from './due-text'

type Times = { time: string; zone: string; heartbeat: boolean; quiet: string }

interface TimeFieldProps {
  /** The saved time of the schedule; it may have passed. */
  saved: string
  draft: Times
  /** The draft, debounced while the user types. */
  checked: Times
  onChange: (part: Partial<Pick<Times, 'time' | 'zone'>>) => void
}

/** When it runs, as text, with the interpretation of that text; and the time zone. */
export function TimeField({ draft, checked, saved, onChange }: TimeFieldProps) {
  const queries = useQueries()
  const now = useNowEachMinute()
  const listId = useId()
  const { time, zone, heartbeat, quiet } = checked
  const { data, error } = useQuery(
    queries.schedule.check.queryOptions({
      input: {
        time: time.trim(),
        heartbeat,
        ...(zone.trim() !== '' && { zone: zone.trim() }),
        ...(heartbeat && quiet.trim() !== '' && { quiet: quiet.trim() }),
      },
      enabled: time.trim() !== '',
      retry: false,
    }),
  )
  const hint =
    time.trim() === ''
      ? 'For example: every 2 h, weekdays at 9:00, 2026-12-01T09:00, or a cron pattern such as 0 9 * * 1-5.'
      : error && time === saved
        ? 'This time has passed.'
        : data && `${timeText(data.time, data.zone)}. Next: ${data.next.map((at) => dueText(at, now)).join(', ')}`
  return (
    <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)] gap-3 max-[460px]:grid-cols-1">
      <TextField
        label="When"
        value={draft.time}
        placeholder="weekdays at 9:00"
        hint={hint}
        error={time.trim() !== '' && time !== saved && error ? failureFrom(error).message : undefined}
        onChange={(event) => onChange({ time: event.target.value })}
      />
      <div className="min-w-0">
        <TextField
          label="Time zone"
          value={draft.zone}
          list={listId}
          onChange={(event) => onChange({ zone: event.target.value })}
        />
        <datalist id={listId}>
          {ZONES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </datalist>
      </div>
    </div>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')
