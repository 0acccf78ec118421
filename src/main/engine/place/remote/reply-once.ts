import { CodedError } from '../../../../shared/errors'
import type { RemoteEngine } from './remote-engine'

/** Number of latest events that are searched for an answer. */
const EVENTS = 400

/**
 * Answers an approval even if the connection is lost: the answer is sent again, and if the first one was accepted, the
 * session's log shows it.
 */
export async function replyOnce(
  remote: Pick<RemoteEngine, 'call' | 'reconnected'>,
  input: { sessionId: string; approvalId: string; optionId: string },
  signal?: AbortSignal,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await remote.call('approval.reply', input, signal)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      if (error.code === 'approval.gone' && attempt > 1 && (await wasAccepted(remote, input, signal))) return undefined
      if (error.code !== 'connection.lost' || attempt === 5) throw error
      await remote.reconnected(signal)
    }
  }
}

/** Whether the approval was answered with this option. */
async function wasAccepted(
  remote: Pick<RemoteEngine, 'call'>,
  { sessionId, approvalId, optionId }: { sessionId: string; approvalId: string; optionId: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const opened = (await remote.call('session.open', { sessionId, limit: EVENTS }, signal)) as {
    events?: readonly Record<string, unknown>[]
  }
  return (opened.events ?? []).some(
    (event) =>
      event['type'] === 'approval.resolved' && event['approvalId'] === approvalId && event['chosen'] === optionId,
  )
}
