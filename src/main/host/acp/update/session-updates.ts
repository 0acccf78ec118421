import type { ClientCapabilities, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import type { RecordedEvent } from '../../../../shared/model/event'
import { fellBackText } from '../../../../shared/model/fell-back-text'
import type { Usage } from '../../../../shared/model/message'
import type { TaskNews } from '../../../../shared/model/task'
import type { Todo } from '../../../../shared/model/todo'
import { textBlock } from './update-queue'

const STATUSES = { pending: 'pending', in_progress: 'in_progress', done: 'completed' } as const

export function planEntries(todos: readonly Todo[]): PlanEntry[] {
  return todos.map(({ title, status }) => ({ content: title, priority: 'medium', status: STATUSES[status] }))
}

/** How full the model's window is; undefined where its size is not known. */
export function usageUpdate({ input, output }: Usage, window: number | undefined): SessionUpdate | undefined {
  return window === undefined ? undefined : { sessionUpdate: 'usage_update', used: input + output, size: window }
}

/** What has become of background tasks, in a line each. */
export function newsText(news: readonly TaskNews[]): string {
  return news
    .map(({ taskId, description, command, status }) => `Background task ${taskId} (${description ?? command}): ${status}.\n`)
    .join('')
}

type CompactionEvent = RecordedEvent & { type: 'compaction.started' | 'compaction.finished' | 'compaction.failed' }

/** A compaction, in the way this client understands; in a thought where it knows neither compactions nor notices. */
export function compactionUpdate(event: CompactionEvent, capabilities: ClientCapabilities): SessionUpdate {
  const { compactionId } = event
  if (capabilities.session?.compaction) {
    if (event.type === 'compaction.started') return { sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' }
    if (event.type === 'compaction.finished')
      return { sessionUpdate: 'compaction_update', compactionId, status: 'completed', summary: [textBlock(event.summary)] }
    const status = event.why === 'failed' ? 'failed' : 'cancelled'
    return { sessionUpdate: 'compaction_update', compactionId, status, ...(event.failure && { error: event.failure.message }) }
  }
  const title = titleOf(event)
  if (capabilities.session?.notices)
    return { sessionUpdate: 'notice', severity: event.type === 'compaction.failed' ? 'warning' : 'info', title }
  return { sessionUpdate: 'agent_thought_chunk', content: textBlock(`${title}\n`), messageId: `${compactionId}-${event.type}` }
}

/** That another model took over, where the client knows notices; otherwise in a thought. */
export function fellBackUpdate(event: RecordedEvent & { type: 'model.fell_back' }, { session }: ClientCapabilities): SessionUpdate {
  const title = fellBackText(event)
  if (session?.notices) return { sessionUpdate: 'notice', severity: 'warning', title }
  return { sessionUpdate: 'agent_thought_chunk', content: textBlock(`${title}\n`), messageId: `fell-back-${event.seq}` }
}

function titleOf(event: CompactionEvent): string {
  if (event.type === 'compaction.started') return 'Making room: the conversation is being summarised.'
  if (event.type === 'compaction.failed')
    return `The conversation stays as it is: ${event.failure?.message ?? 'summarising it was stopped.'}`
  return `The conversation was summarised, from about ${event.before.toLocaleString('en-US')} to ${event.after.toLocaleString('en-US')} tokens; the whole of it stays in the session.`
}
