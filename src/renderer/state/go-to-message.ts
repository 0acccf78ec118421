import type { TrestleClient } from '../../shared/contract'
import type { RecordedEvent } from '../../shared/model/event'
import { onFrame } from './on-frame'
import { sessionStore, transcriptOf } from './session-view'
import { useLayout } from './layout-state'

/** How many frames the transcript may take to be on screen with what was loaded. */
const MOST_FRAMES = 120

/**
 * Brings the message of an event into view, in the session that is being opened: older messages are loaded until it is there. Gives up when the
 * user goes elsewhere meanwhile.
 */
export async function goToMessage(client: TrestleClient, sessionId: string, seq: number): Promise<void> {
  const { events } = await client.session.window({ sessionId, before: seq + 1, limit: 1 })
  // A window begins where a step or turn does, which is before the event.
  const event = events.findLast((one) => one.seq === seq)
  const itemId = event && itemOf(event)
  if (itemId === undefined) return
  const { store } = sessionStore(client, sessionId)
  const isHere = (): boolean => {
    const { view } = useLayout.getState()
    return view.kind === 'session' && view.sessionId === sessionId
  }
  for (let frames = 0; frames < MOST_FRAMES && isHere();) {
    const { status, view } = store.getState()
    if (status === 'failed') return
    if (view && view.firstSeq > seq && view.hasMore) {
      if (!(await loadOlder(client, sessionId))) return
    } else if (view && transcriptOf(sessionId)?.toItem(itemId)) return
    else frames += 1
    await nextFrame()
  }
}

/** The next older window; false when it could not be had. */
async function loadOlder(client: TrestleClient, sessionId: string): Promise<boolean> {
  const known = sessionStore(client, sessionId)
  const { firstSeq } = known.store.getState().view ?? {}
  await known.loadOlder()
  // It is folded in at the next frame.
  for (let frames = 0; frames < MOST_FRAMES; frames += 1) {
    const { view, loadingOlder } = known.store.getState()
    if (view?.firstSeq !== firstSeq) return true
    if (!loadingOlder) return false
    await nextFrame()
  }
  return false
}

/** The row an event of the search index belongs to. */
function itemOf(event: RecordedEvent): string | undefined {
  switch (event.type) {
    case 'turn.started':
    case 'turn.steered':
      return `u${event.seq}`
    case 'step.finished':
      return `s:${event.stepId}`
    default:
      return undefined
  }
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    onFrame(resolve)
  })
}
