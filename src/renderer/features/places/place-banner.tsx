import { Unplug } from 'lucide-react'
import { splitPlaceFolder } from '../../../shared/model/place/place-folder'
import { useLayout } from '../../state/page/layout-state'
import { isOutOfReach, stateText, usePlace } from '../../state/places'
import { Button } from '../../ui/button'
import { Banner } from '../../ui/notice'
import { usePlaceActions } from './place-actions'

/** Says that the place of the open session cannot be reached, so the session is shown in its last known state. */
export function PlaceBanner({ folder }: { folder: string | undefined }) {
  const place = usePlace(folder === undefined ? undefined : splitPlaceFolder(folder)?.placeId)
  const actions = usePlaceActions()
  if (!place || !isOutOfReach(place)) return null
  const isFinal = place.state === 'unreachable'
  return (
    <Banner
      tone={isFinal ? 'fail' : 'plain'}
      icon={<Unplug aria-hidden />}
      actions={
        <>
          {place.state !== 'connecting' && (
            <Button size="small" onClick={() => void actions.connect(place.placeId)}>
              Connect
            </Button>
          )}
          <Button size="small" variant="quiet" onClick={() => useLayout.getState().openSettings('places')}>
            Places
          </Button>
        </>
      }
    >
      {place.placeId}: {lowerFirst(stateText(place))}. Showing its last known state.
      {place.failure && ` ${place.failure.message}`}
    </Banner>
  )
}

/** Lowercases the first letter for the middle of a sentence; times stay unchanged. */
function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
