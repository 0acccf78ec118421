import type { RecordedEvent } from '../../../shared/events/event'
import { textOf } from '../../../shared/model/message'

/** Characters of the text of one event. */
const MAX_TEXT = 20_000

/** What an event says, for a person who looks at the history. */
export function describeEvent(event: RecordedEvent): { title: string; text: string } {
  const { title, text } = described(event)
  return {
    title,
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}\n… shortened` : text,
  }
}

function described(event: RecordedEvent): { title: string; text: string } {
  switch (event.type) {
    case 'session.created':
      return { title: 'The session was created', text: event.folder }
    case 'turn.started':
      return { title: event.news ? 'Background tasks started a turn' : 'You asked', text: textOf(event.parts) }
    case 'turn.steered':
      return {
        title: event.by === 'user' ? 'You added a message' : 'Trestle added a message',
        text: textOf(event.parts),
      }
    case 'turn.finished':
      return { title: `The turn ended: ${event.stop.replaceAll('_', ' ')}`, text: event.failure?.message ?? '' }
    case 'step.started':
      return { title: `Request ${event.n} was sent`, text: event.model }
    case 'step.finished':
      return {
        title: event.partial === true ? 'The model was cut off' : 'The model answered',
        text: event.parts
          .map((part) => (part.type === 'tool_call' ? `→ ${part.name}` : 'text' in part ? part.text : ''))
          .filter((text) => text !== '')
          .join('\n\n'),
      }
    case 'step.retried':
      return { title: `Attempt ${event.attempt} failed`, text: event.failure.message }
    case 'tool.started':
      return { title: `Call: ${event.name}`, text: event.summary === '' ? event.input : event.summary }
    case 'tool.judged':
      return { title: `Decided without asking: ${event.decision}`, text: event.reason }
    case 'approval.requested':
      return { title: 'Approval was requested', text: `${event.approval.summary}\n${event.approval.reason}` }
    case 'approval.resolved':
      return {
        title: `The request was answered: ${event.outcome.replaceAll('_', ' ')}`,
        text: event.feedback ?? event.reason ?? '',
      }
    case 'tool.finished':
      return {
        title: event.isError ? `${event.name} failed` : `${event.name} finished`,
        text: event.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join('\n'),
      }
    case 'checkpoint.made':
      return { title: 'A checkpoint was made', text: event.files.map(({ path }) => path).join('\n') }
    case 'checkpoint.changed':
      return {
        title: event.count === 1 ? 'A file was changed' : `${event.count} files were changed`,
        text: (event.notCovered ?? []).join('\n'),
      }
    case 'checkpoint.restored':
      return { title: `Restored to event ${event.to}`, text: event.conversation ? 'The conversation as well.' : '' }
    case 'prompt.queued':
    case 'prompt.edited':
      return {
        title: event.type === 'prompt.queued' ? 'A prompt was queued' : 'A queued prompt was changed',
        text: textOf(event.parts),
      }
    case 'todos.changed':
      return {
        title: 'The to-do list changed',
        text: event.todos.map(({ title, status }) => `${status.replace('_', ' ')}: ${title}`).join('\n'),
      }
    case 'compaction.finished':
      return { title: 'The conversation was compacted', text: event.note }
    case 'subagent.started':
      return { title: `A subagent was started: ${event.agentType}`, text: event.description }
    case 'task.started':
      return { title: 'A background task was started', text: event.task.command }
    case 'title.made':
      return { title: 'The session was named', text: event.title ?? '' }
    default:
      return { title: OTHER[event.type] ?? event.type, text: fieldsOf(event) }
  }
}

/** Events that are rarely looked at: what they say is shown as fields. */
const OTHER: Readonly<Record<string, string>> = {
  'session.changed': 'Settings of the session changed',
  'sandbox.changed': 'The sandbox changed',
  'sandbox.allowed': 'The sandbox was opened to something',
  'prompt.removed': 'A queued prompt was removed',
  'prompt.moved': 'The queue was reordered',
  'prompt.joins': 'A queued prompt joins the turn',
  'prefix.frozen': 'The system prompt and tools were set',
  'model.fell_back': 'Another model took over',
  'sampling.finished': 'A server used the model',
  'context.trimmed': 'Old results were trimmed',
  'compaction.started': 'A compaction started',
  'compaction.retried': 'A compaction was tried again',
  'compaction.failed': 'A compaction failed',
  'compaction.undone': 'A compaction was undone',
  'plan.entered': 'Plan mode was turned on',
  'plan.submitted': 'A plan was submitted',
  'plan.resolved': 'The plan was answered',
  'plan.left': 'Plan mode was turned off',
  'news.requested': 'A task was sent to the agent',
  'agent.started': 'The subagent was given work',
  'agent.ended': 'The subagent ended',
  'agent.moved': 'The subagent moved to the background',
  'subagent.defined': 'A type of subagents was defined',
  'rules.allowed': 'Permissions were given for the session',
}

function fieldsOf({ type: _type, sessionId: _session, seq: _seq, at: _at, ...fields }: RecordedEvent): string {
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields, undefined, 2)
}
