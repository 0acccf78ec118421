import type { RecordedEvent } from './event'

/**
 * The consumers of events: the header of a session, its transcript, the model's history (`history`), the calls of a
 * turn that was cut short (`openTurn`), a fork, editors (`acp`, `acpReplay`), the terminal (`chat`), and exports.
 */
export type EventConsumer =
  | 'header'
  | 'transcript'
  | 'history'
  | 'openTurn'
  | 'fork'
  | 'acp'
  | 'acpReplay'
  | 'chat'
  | 'export'

/**
 * Every recorded event with its consumers. A new event does not compile until it is listed here, and until each of its
 * consumers has a case for it. An older Trestle ignores events it does not know.
 */
export const EVENT_USES = {
  'session.created': ['header'],
  'session.changed': ['header', 'acp'],
  'session.sealed': ['header'],
  'session.received': ['header'],
  'session.unsealed': ['header'],
  'sandbox.changed': ['header', 'chat'],
  'sandbox.allowed': ['header'],
  'prompt.queued': ['header'],
  'prompt.edited': ['header'],
  'prompt.removed': ['header'],
  'prompt.moved': ['header'],
  'prompt.joins': ['header'],
  'turn.started': ['header', 'transcript', 'history', 'acp', 'acpReplay', 'chat', 'export', 'fork'],
  'turn.steered': ['header', 'transcript', 'history', 'acp', 'acpReplay', 'chat', 'export', 'fork'],
  'prefix.frozen': ['header', 'fork'],
  'step.started': ['header', 'transcript', 'openTurn', 'chat', 'fork'],
  'step.retried': ['transcript', 'acp', 'chat', 'fork'],
  'step.finished': ['header', 'transcript', 'history', 'openTurn', 'acp', 'acpReplay', 'chat', 'export', 'fork'],
  'tool.started': ['transcript', 'openTurn', 'acp', 'acpReplay', 'chat', 'export', 'fork'],
  'tool.judged': ['transcript', 'openTurn', 'acp', 'chat', 'fork'],
  'approval.requested': ['header', 'transcript'],
  'approval.resolved': ['header', 'transcript', 'openTurn', 'acp', 'chat'],
  'tool.finished': ['header', 'transcript', 'history', 'openTurn', 'acp', 'acpReplay', 'chat', 'export', 'fork'],
  'sampling.finished': ['header'],
  'checkpoint.made': [],
  'checkpoint.changed': [],
  'checkpoint.restored': ['header', 'transcript', 'chat'],
  'model.fell_back': ['transcript', 'acp', 'chat'],
  'title.made': ['header', 'acp'],
  'todos.changed': ['header', 'acp', 'acpReplay', 'chat', 'fork'],
  'context.trimmed': ['header', 'history', 'fork'],
  'compaction.started': ['header', 'transcript', 'acp', 'chat'],
  'compaction.retried': ['transcript'],
  'compaction.finished': ['header', 'transcript', 'acp', 'chat'],
  'compaction.failed': ['header', 'transcript', 'acp', 'chat'],
  'compaction.undone': ['header', 'transcript'],
  'plan.entered': ['header', 'acp', 'chat'],
  'plan.submitted': ['header'],
  'plan.resolved': ['header', 'acp'],
  'plan.left': ['header', 'acp', 'chat'],
  'task.started': ['header', 'chat'],
  'news.requested': ['header'],
  'agent.started': ['header'],
  'agent.ended': ['header'],
  'agent.moved': ['header'],
  'subagent.started': ['transcript', 'acp', 'chat'],
  'subagent.defined': ['header'],
  'rules.allowed': ['header'],
  'turn.finished': ['header', 'transcript', 'acp', 'chat', 'fork'],
} as const satisfies Record<RecordedEvent['type'], readonly EventConsumer[]>

type Uses = typeof EVENT_USES
type TypesOf<Consumer extends EventConsumer> = {
  [Type in keyof Uses]: Consumer extends Uses[Type][number] ? Type : never
}[keyof Uses]

/** The events that a consumer does not handle. */
type OthersOf<Consumer extends EventConsumer> = Exclude<RecordedEvent, { type: TypesOf<Consumer> }>

/**
 * For the `default` of a consumer's switch: does nothing, and does not compile if an event of this consumer has no
 * case.
 */
export function ignoreOthers<Consumer extends EventConsumer>(_event: OthersOf<Consumer>): void {}

/** The types of the events that a consumer handles. */
export function eventTypesOf(consumer: EventConsumer): ReadonlySet<string> {
  return new Set(
    Object.entries(EVENT_USES).flatMap(([type, consumers]: [string, readonly EventConsumer[]]) =>
      consumers.includes(consumer) ? [type] : [],
    ),
  )
}
