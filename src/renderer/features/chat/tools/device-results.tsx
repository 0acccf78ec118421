import { Download, ExternalLink } from 'lucide-react'
import type { ToolDetails } from '../../../../shared/model/approval/preview'
import { useOpenLink } from '../../../state/use-open-link'
import { Button } from '../../../ui/button'
import { downloadEvent, EventFields } from '../../../ui/content/event-fields'
import { FileLink } from '../../../ui/content/file-link'

type OpenDetails = Extract<ToolDetails, { kind: 'open' }>
type EventDetails = Extract<ToolDetails, { kind: 'event' }>

/** What a call hands to the user without expanding its row: a link, or the file of an event. */
export function HandedOver({ details }: { details: ToolDetails | undefined }) {
  if (details?.kind === 'open')
    return (
      <div className="tool-details">
        <OpenedAddress details={details} />
      </div>
    )
  if (details?.kind === 'event' && details.file)
    return (
      <div className="tool-details">
        <EventResult details={details} />
      </div>
    )
  return null
}

/** The address as a link that the user can open again. */
export function OpenedAddress({ details: { address, target, opened } }: { details: OpenDetails }) {
  const open = useOpenLink()
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-2 text-ui">
      {target === 'file' ? (
        <FileLink path={address}>{address}</FileLink>
      ) : (
        <Button
          size="small"
          variant={opened ? 'quiet' : 'default'}
          icon={<ExternalLink aria-hidden />}
          className="max-w-full"
          title={address}
          onClick={() => open(address)}
        >
          <span className="truncate">
            {opened ? 'Open again' : 'Open'} <span className="font-mono text-small">{address}</span>
          </span>
        </Button>
      )}
    </p>
  )
}

/** A created event, with its file to save. */
export function EventResult({ details: { event, file } }: { details: EventDetails }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-raised">
      <EventFields event={event} />
      {file && (
        <p className="flex flex-wrap items-center gap-3 border-t border-line px-3.5 py-2">
          <Button size="small" icon={<Download aria-hidden />} onClick={() => downloadEvent(file)}>
            Save the .ics file
          </Button>
          {file.opened && <span className="text-small text-ink-3">Opened in your calendar app.</span>}
        </p>
      )}
    </div>
  )
}
