import type { RecordedEvent } from '../../src/shared/events/event'
import type { SessionHeader } from '../../src/shared/model/session/session'

export type Decision = 'allow' | 'ask' | 'deny'

/** Calls a method of the contract, whatever the host. */
export type Call = (method: string, input: unknown) => Promise<unknown>

/** An open session of a host. */
interface Opened {
  header: SessionHeader
  events: RecordedEvent[]
}

/**
 * Makes a session of an interactive host execute these calls, and returns the decision about each: every request is
 * answered by `answer`, or rejected. The scripted model makes one call per step.
 */
export async function decidedBy(
  call: Call,
  folder: string,
  mode: string,
  answer: (approval: SessionHeader['approvals'][number], sessionId: string) => Promise<unknown> = () =>
    Promise.resolve(undefined),
): Promise<Decision[]> {
  const { sessionId } = (await call('session.create', { folder, mode })) as SessionHeader
  await call('session.prompt', { sessionId, parts: [{ type: 'text', text: 'go' }] })
  const asked = new Set<string>()
  let events: RecordedEvent[] = []
  const look = async (): Promise<boolean> => {
    const opened = (await call('session.open', { sessionId, limit: 500 })) as Opened
    events = opened.events
    for (const approval of opened.header.approvals) {
      if (asked.has(approval.callId)) continue
      asked.add(approval.callId)
      if ((await answer(approval, sessionId)) === undefined)
        await call('approval.reply', { sessionId, approvalId: approval.approvalId, optionId: 'reject' })
    }
    return opened.header.turnId === undefined
  }
  const end = Date.now() + 150_000
  // Each check is a call of the contract, so this is not a busy loop.
  while (!(await look())) if (Date.now() > end) throw new Error('the turn did not end')
  return events.flatMap((event): Decision[] => {
    if (event.type !== 'tool.finished') return []
    if (asked.has(event.callId)) return ['ask']
    const text = event.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return [text.startsWith('Denied') ? 'deny' : 'allow']
  })
}
