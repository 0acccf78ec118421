import type { RecordedEvent } from '../../../shared/events/event'
import type { Approval } from '../../../shared/model/approval'
import type { SessionHeader, SessionSummary } from '../../../shared/model/session'
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
  | 'listen'
  | 'live'

/** What ACP uses of an engine, in this process or in another one. */
export interface AcpEngine extends Pick<Engine, 'notices' | 'problems' | 'onChange' | 'close' | 'skills' | 'lend'> {
  sessions: Pick<Engine['sessions'], SessionMethods> & {
    list(filter: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[] | Promise<SessionSummary[]>
    /** The header of a session that may not be open here. */
    read(sessionId: string): SessionHeader | Promise<SessionHeader>
    since(sessionId: string, since: number, limit: number): RecordedEvent[] | Promise<RecordedEvent[]>
  }
  settings: Pick<Engine['settings'], 'view'> & {
    models(): readonly { id: string; label: string; contextWindow: number; scripted?: boolean }[]
  }
  inbox: Pick<Engine['inbox'], 'list' | 'choices'> & {
    get(sessionId: string, approvalId: string): Approval | Promise<Approval>
  }
  plans: Pick<Engine['plans'], 'enter' | 'leave'>
  checkpoints: Pick<Engine['checkpoints'], 'points' | 'restore' | 'latestRestore'>
  trust: Pick<Engine['trust'], 'view'>
  mcp: Pick<Engine['mcp'], 'useInSession' | 'leave'>
  mcpContent: Pick<Engine['mcpContent'], 'prompts'>
  tasks: Pick<Engine['tasks'], 'list' | 'onExit'>
  alarms: Pick<Engine['alarms'], 'list' | 'stop'>
}

/** An engine of this process as ACP uses it. */
export function ownEngine(engine: Engine): AcpEngine {
  return { ...engine, sessions: { ...engine.sessions, read: (sessionId) => engine.sessions.header(sessionId) } }
}
