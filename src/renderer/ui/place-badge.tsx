import { Server } from 'lucide-react'
import { isOutOfReach, stateText, usePlace } from '../state/places'
import { cx } from './cx'
import { Tooltip } from './tooltip'

/** The name of the place that something is on; grayed while it cannot be reached. */
export function PlaceBadge({ placeId, className }: { placeId: string; className?: string }) {
  const place = usePlace(placeId)
  const isUnreachable = isOutOfReach(place)
  return (
    <Tooltip text={place ? `${placeId}: ${stateText(place)}` : placeId} side="right">
      <span
        className={cx(
          'inline-flex max-w-[120px] min-w-0 flex-none items-center gap-1 rounded-[5px]',
          'border border-line px-1 text-tiny leading-[15px] font-normal text-ink-2',
          isUnreachable && 'border-dashed text-ink-3',
          className,
        )}
      >
        <Server aria-hidden className="size-[11px] flex-none" />
        <span className="truncate">{placeId}</span>
        <span className="sr-only">{isUnreachable && place ? `, ${stateText(place).toLowerCase()}` : ''}</span>
      </span>
    </Tooltip>
  )
}
