import type { RecordedEvent } from '../../src/shared/events/event'
import type { SessionHeader } from '../../src/shared/model/session/session'

export type Decision = 'allow' | 'ask' | 'deny'

/** A method of the contract, however a host is reached. */
export type Call = (method: string, input: unknown) => Promise<unknown>

/** Where a session of a host stands. */
interface Opened {
  header: SessionHeader
  events: RecordedEvent[]
}

/**
 * Lets a session of an interactive host make these calls, and says what was decided about each: every request is
 * answered by `answer`, or rejected. The scripted model makes one call a step.
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
  // Each look is a call of the contract, so this does not spin.
  while (!(await look())) if (Date.now() > end) throw new Error('the turn did not end')
  return events.flatMap((event): Decision[] => {
    if (event.type !== 'tool.finished') return []
    if (asked.has(event.callId)) return ['ask']
    const text = event.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return [text.startsWith('Denied') ? 'deny' : 'allow']
  })
}
