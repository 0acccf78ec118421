import { useQuery } from '@tanstack/react-query'
import { AlarmClock } from 'lucide-react'
import { useEffect } from 'react'
import { SNOOZE_MINUTES } from '../../../shared/model/assistant/notification'
import { playNotificationSound } from '../../state/notifications'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { useNotificationActions } from './notification-actions'
import { cx } from '../../ui/cx'

/** How often the sound is repeated, and for how long, in ms. */
const REPEAT_MS = 2_000
const SOUNDS_MS = 60_000

/** Alarms that ring now, above everything else, with their sound. Only one of several open pages plays it. */
export function RingingAlarms() {
  const actions = useNotificationActions()
  const { data = [] } = useQuery(useQueries().alarm.list.queryOptions({ input: {} }))
  const ringing = data.filter(({ status }) => status === 'ringing')
  const sounds = ringing
    .filter(({ ringsHere }) => ringsHere)
    .map(({ id, at }) => `${id} ${at}`)
    .join()
  useEffect(() => (sounds === '' ? undefined : ring()), [sounds])
  if (ringing.length === 0) return null
  return (
    <section
      aria-label="Alarm"
      className={cx(
        'fixed inset-x-3 top-3 z-50 mx-auto max-w-[440px] divide-y',
        'divide-line rounded-lg border border-wait bg-raised shadow-high',
      )}
    >
      {ringing.map((alarm) => (
        <div key={alarm.id} role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3.5 py-3">
          <AlarmClock aria-hidden className="size-[18px] flex-none text-wait-ink" />
          <p className="min-w-0 flex-1 basis-[140px] break-words font-medium">
            <span className="sr-only">Alarm: </span>
            {alarm.label}
          </p>
          <Button size="small" onClick={() => actions.snooze(alarm)}>
            Snooze {SNOOZE_MINUTES} min
          </Button>
          <Button size="small" variant="primary" onClick={() => actions.stop(alarm)}>
            Stop
          </Button>
        </div>
      ))}
    </section>
  )
}

function ring(): () => void {
  const stopped = new AbortController()
  void navigator.locks
    .request('trestle.alarm', { signal: stopped.signal }, async () => {
      void playNotificationSound()
      const repeat = setInterval(() => void playNotificationSound(), REPEAT_MS)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, SOUNDS_MS)
        stopped.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      })
      clearInterval(repeat)
    })
    .catch(() => {})
  return () => stopped.abort()
}
