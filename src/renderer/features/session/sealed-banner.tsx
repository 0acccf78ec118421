import { PlaneTakeoff } from 'lucide-react'
import { useState } from 'react'
import type { SealedSession } from '../../../shared/model/place/move'
import { showFailureToast, showToast } from '../../state/page/toasts-state'
import { useClient } from '../../state/page/queries'
import { usePlace } from '../../state/places'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { Banner } from '../../ui/notice'
import { formatMoment } from '../../../shared/language/speak'

/** Says where a moved session continues, and lets the user move it back. */
export function SealedBanner({ sessionId, sealed }: { sessionId: string; sealed: SealedSession }) {
  const client = useClient()
  const [asks, setAsks] = useState(false)
  const place = placeOf(sealed)
  const known = usePlace(sealed.place)
  const [isContinuing, setContinuing] = useState(false)
  const continueThere = async (): Promise<void> => {
    setContinuing(true)
    try {
      // Finishes the move. The file is copied again, but a session that was already received is not received twice.
      for await (const push of await client.place.move({ sessionId, to: place }))
        if (push.type === 'done') showToast(`The session continues on ${place}.`)
    } catch (error) {
      showFailureToast(error)
    }
    setContinuing(false)
  }
  const cancelMove = (): void => {
    setAsks(false)
    client.move
      .cancel({ sessionId, moveId: sealed.moveId })
      .then(() => showToast('The session continues here'), showFailureToast)
  }
  return (
    <Banner
      tone="wait"
      icon={<PlaneTakeoff aria-hidden />}
      actions={
        <>
          {known && (
            <Button size="small" busy={isContinuing} onClick={() => void continueThere()}>
              Continue there
            </Button>
          )}
          <Button size="small" {...(known && { variant: 'quiet' })} onClick={() => setAsks(true)}>
            Cancel the move…
          </Button>
        </>
      }
    >
      This session was moved to {place} on {formatMoment(sealed.at)}. It continues there and is read-only here.
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title="Cancel the move?"
        action="It was never received: cancel the move"
        onConfirm={cancelMove}
      >
        Only do this if {place} never received the session, and never will: otherwise there are two sessions that cannot
        be joined again. To make sure, run this command there first:
        <code className="mt-2 block text-small wrap-anywhere">trestle session move-refuse {sealed.moveId}</code>
      </ConfirmDialog>
    </Banner>
  )
}

/** The user's name for the place, or its address. */
function placeOf({ place, to }: SealedSession): string {
  return place ?? to
}
