import { useState } from 'react'
import { ALARM_LIMITS, SNOOZE_MINUTES, type Alarm } from '../../../shared/model/alarm'
import type { Failure } from '../../../shared/errors'
import { failureFrom } from '../../client/failure-from'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/field'
import { ErrorNote } from '../../ui/notice'
import { useNotificationActions } from './notification-actions'

/** Alarms that ring or will ring, with what can be done to each. */
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
    hour: '2-digit',
    minute: '2-digit',
  })
}
