import { useEffect, useEffectEvent } from 'react'
import { hasArrived, sentMessage, type SentMessage } from '../../state/drafts/sent-messages'
import { sessionStore, useSessionState } from '../../state/session/session-view'
import { useClient } from '../../state/page/queries'
import type { PersistedDraft } from './draft'

/**
 * Finds unconfirmed messages of the draft that have arrived after all. `onArrived` gets the text without them; it is
 * not called before `isReady`.
 */
export function useArrived(
  { sessionId, draft, isReady }: { sessionId: string; draft: PersistedDraft; isReady: boolean },
  onArrived: (text: string, arrived: readonly SentMessage[]) => void,
): void {
  const view = useSessionState(sessionId, (state) => (draft.unconfirmed.length > 0 ? state.view : undefined))
  const report = useEffectEvent(onArrived)
  useEffect(() => {
    const arrived = view && isReady ? draft.unconfirmed.filter((message) => hasArrived(message, view)) : []
    if (arrived.length > 0) report(draft.confirm(arrived), arrived)
  }, [draft, view, isReady])
}

/** Returns a function that tracks a message from now on; see `PersistedDraft.trackOutgoing`. */
export function useTracking(sessionId: string, draft: PersistedDraft) {
  const client = useClient()
  return (message: Pick<SentMessage, 'text' | 'files'>): ((arrived: boolean) => void) => {
    const { view } = sessionStore(client, sessionId).store.getState()
    return draft.trackOutgoing(sentMessage(message, view, draft.onTheirWay))
  }
}
