import { join } from 'node:path'
import type { createGate } from '../approval/gate'
import { howEnded } from '../approval/how-ended'
import { POLICIES } from '../approval/policies'
import type { CommandSandboxes } from '../approval/policy'
import type { ToolPins } from '../approval/tool-pins'
import type { PermissionRule } from '../approval/rules/permission-rule'
import { planOf } from '../plan/plan-of'
import type { Skills } from '../skill/skills'
import type { Session } from './session'
import type { SessionTools } from './session-tools'
import type { Store } from './store'

export interface GateOfDeps {
  home: string
  store: Pick<Store, 'window'>
  tools: Pick<SessionTools, 'workspaceOf'>
  skills: Pick<Skills, 'readable'>
  /** The header whose mode and plan count: that of the person's session a subagent belongs to. */
  standing(session: Session): Session['header']
  rulesOf(session: Session): Promise<PermissionRule[]>
  interactive: boolean
  /** What the sandboxes can do for the commands of a session. */
  sandboxesOf?(session: Session, forCommand: boolean): Promise<CommandSandboxes>
  toolPins: ToolPins
  /** Writes allow rules into the user's own configuration. */
  keepRules(patterns: readonly string[]): Promise<void>
  newId(prefix: string): string
}

/** So far back a session's log is read to show what a rule would have meant, or how a request has ended. */
const PAST_EVENTS = 3000

/** What the gate of a session asks of the rest of the engine. */
export function createGateOf(deps: GateOfDeps): (session: Session) => Parameters<typeof createGate>[0] {
  const { home, store, tools, skills, standing, rulesOf, interactive, sandboxesOf, toolPins, keepRules, newId } = deps
  const now = inOrder(Date.now)
  const past = (session: Session) => store.window(session.id, { limit: PAST_EVENTS }).events
  return (session) => ({
    policies: POLICIES,
    home,
    get ownOutput() {
      return ownOutputOf(home, skills, session)
    },
    mode: () => standing(session).mode,
    plan: () => planOf(home, { id: standing(session).sessionId, header: standing(session) }).guard(),
    readOnlyAgent: () => {
      const { agent, runsAs } = session.header
      return agent?.readOnly ? agent.agentType : runsAs?.readOnly ? (runsAs.title ?? runsAs.name) : undefined
    },
    workspace: () => tools.workspaceOf(session),
    rules: () => rulesOf(session),
    ...(sandboxesOf && { sandboxes: (forCommand: boolean) => sandboxesOf(session, forCommand) }),
    record: (...events) => void session.record(...events),
    isOpen: (approvalId) => session.header.approvals.some((approval) => approval.approvalId === approvalId),
    howEnded: (approvalId) => howEnded(past(session), approvalId),
    canAsk: () => interactive,
    now,
    newId,
    isRemembered: (key) => session.header.allowed.includes(key),
    stopTurn: () => session.endTurn(),
    keepRules,
    toolPins,
    pastCalls: async () => {
      const { pastCalls } = await import('../approval/choices/past-calls')
      return pastCalls(past(session))
    },
  })
}

/** The folders in TRESTLE_HOME that a session's own calls may read. */
export function ownOutputOf(home: string, skills: Pick<Skills, 'readable'>, { id, header }: Pick<Session, 'id' | 'header'>): string[] {
  return [join(home, 'sessions', id), join(home, 'tasks'), ...skills.readable(header.folder)]
}

/** A clock that never gives the same time twice, nor an earlier one: first in, first out, however many ask in one moment. */
function inOrder(now: () => number): () => number {
  let last = 0
  return () => (last = Math.max(now(), last + 1))
}
