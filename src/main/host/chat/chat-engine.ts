import type { Approval } from '../../../shared/model/approval'
import type { SessionSummary } from '../../../shared/model/session'
import type { Engine } from '../../engine/engine-api'

type ChatMethods =
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

/** What the chat uses of an engine, in this process or in another one. */
export interface ChatEngine extends Pick<Engine, 'notices' | 'problems' | 'onChange' | 'close'> {
  sessions: Pick<Engine['sessions'], ChatMethods> & {
    list(filter: { folder?: string; limit?: number }): SessionSummary[] | Promise<SessionSummary[]>
  }
  settings: Pick<Engine['settings'], 'view'>
  inbox: Pick<Engine['inbox'], 'list' | 'choices'> & {
    get(sessionId: string, approvalId: string): Approval | Promise<Approval>
  }
  plans: Pick<Engine['plans'], 'enter' | 'leave'>
  checkpoints: Pick<Engine['checkpoints'], 'points' | 'preview' | 'restore' | 'latestRestore'>
  trust: Pick<Engine['trust'], 'view'>
  skills: Engine['skills']
  agents: Engine['agents']
  mcp: Pick<Engine['mcp'], 'list'>
  mcpContent: Pick<Engine['mcpContent'], 'prompts' | 'resources'>
  tasks: Pick<Engine['tasks'], 'list' | 'stop' | 'onExit'>
  alarms: Pick<Engine['alarms'], 'list' | 'stop'>
}
