import type { RecordedEvent } from '../../../shared/events/event'
import type { Approval } from '../../../shared/model/approval/approval'
import type { SessionHeader, SessionSummary } from '../../../shared/model/session/session'
import type { Engine } from '../../engine/engine-api'

type SessionMethods =
  | 'create'
  | 'open'
  | 'header'
  | 'change'
  | 'remove'
  | 'prompt'
  | 'stop'
  | 'reply'
  | 'removeQueued'
  | 'compact'
  | 'context'
  | 'tools'
  | 'completeFile'
  | 'listen'
  | 'live'

/** The part of an engine, in this process or another one, that hosts for one user need: the chat and editors. */
export interface ClientEngine extends Pick<
  Engine,
  'notices' | 'problems' | 'onChange' | 'close' | 'skills' | 'agents' | 'registerCapabilities'
> {
  sessions: Pick<Engine['sessions'], SessionMethods> & {
    list(filter: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[] | Promise<SessionSummary[]>
    /** The header of a session that may not be open here. */
    read(sessionId: string): SessionHeader | Promise<SessionHeader>
    since(sessionId: string, since: number, limit: number): RecordedEvent[] | Promise<RecordedEvent[]>
  }
  settings: Pick<Engine['settings'], 'view'> & {
    models(): readonly { id: string; label: string; contextWindow: number; scripted?: boolean }[]
  }
  plans: Pick<Engine['plans'], 'enter' | 'leave'>
  mcpContent: Pick<Engine['mcpContent'], 'prompts' | 'resources'>
  inbox: Pick<Engine['inbox'], 'list' | 'choices'> & {
    get(sessionId: string, approvalId: string): Approval | Promise<Approval>
  }
  checkpoints: Pick<Engine['checkpoints'], 'points' | 'preview' | 'restore' | 'latestRestore'>
  trust: Pick<Engine['trust'], 'view'>
  mcp: Pick<Engine['mcp'], 'list' | 'useInSession' | 'leave'>
  tasks: Pick<Engine['tasks'], 'list' | 'stop' | 'onExit'>
  alarms: Pick<Engine['alarms'], 'list' | 'stop'>
}

/** An engine of this process. */
export function ownEngine(engine: Engine): ClientEngine {
  return { ...engine, sessions: { ...engine.sessions, read: (sessionId) => engine.sessions.header(sessionId) } }
}
