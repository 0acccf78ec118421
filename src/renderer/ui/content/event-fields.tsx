import { eventFields, type CalendarEvent } from '../../../shared/model/approval/calendar-event'
import { VisibleTokens } from './visible-tokens'

/** All fields of a calendar event, as a list of labels and values. */
export function EventFields({ event }: { event: CalendarEvent }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 px-3.5 py-2.5 text-ui">
      {eventFields(event).map(({ label, text }) => (
        <div key={label} className="contents">
          <dt className="text-ink-3">{label}</dt>
          <dd className="break-words whitespace-pre-wrap">
            <VisibleTokens text={text} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Saves an .ics file with the browser. */
export function downloadEvent({ path, text }: { path: string; text: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/calendar' }))
  const name = path.split(/[\\/]/).at(-1) ?? 'event.ics'
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
