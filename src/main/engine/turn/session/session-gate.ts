import { join } from 'node:path'
import type { createGate } from '../../approval/gate'
import { describeResolution } from '../../approval/gate-answers'
import type { CommandSandboxes } from '../../approval/rules/policy'
import type { ToolPins } from '../../approval/rules/tool-pins'
import type { PermissionRule } from '../../permission/permission-rule'
import { sessionPlan } from './session-plans'
import type { Skills } from '../../skill/skills'
import type { Session } from '../../session/session'
import type { SessionTools } from './session-tools'
import type { Store } from '../../store/store'

export interface SessionGateDeps {
  home: string
  store: Pick<Store, 'window' | 'header' | 'agents'>
  tools: Pick<SessionTools, 'workspaceOf'>
  skills: Pick<Skills, 'readable'>
  /** The header whose mode and plan apply: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Session): Session['header']
  rulesOf(session: Session): Promise<PermissionRule[]>
  /** Whether a user can currently be asked about the calls of a session. */
  canAsk(header: Session['header']): boolean
  /**
   * Whether this process shows the requests of every session; otherwise only those of sessions that a client watches.
   */
  hasInbox: boolean
  /** The sandboxes that are available for the commands of a session. */
  sandboxesOf?(session: Session, forCommand: boolean): Promise<CommandSandboxes>
  toolPins: ToolPins
  /** Writes allow rules into the user's own configuration. */
  keepRules(patterns: readonly string[]): Promise<void>
  newId(prefix: string): string
}

/** How many events of a session's log are read to show what a rule would have changed, or how a request ended. */
const PAST_EVENTS = 3000

/** The dependencies of a session's approval gate. */
export function createGateDeps(deps: SessionGateDeps): (session: Session) => Parameters<typeof createGate>[0] {
  const {
    home,
    store,
    tools,
    skills,
    effectiveHeader,
    rulesOf,
    canAsk,
    hasInbox,
    sandboxesOf,
    toolPins,
    keepRules,
    newId,
  } = deps
  const now = strictlyIncreasing(Date.now)
  const past = (session: Session) => store.window(session.id, { limit: PAST_EVENTS }).events
  return (session) => ({
    record: (...events) => void session.record(...events),
    isOpen: (approvalId) => session.header.approvals.some((approval) => approval.approvalId === approvalId),
    describeResolution: (approvalId) => describeResolution(past(session), approvalId),
    canAsk: () => canAsk(session.header),
    canAskMidCall: () => canAsk(session.header) && (hasInbox || !session.header.schedule || session.watched),
    now,
    newId,
    stopTurn: () => session.endTurn(),
    session: {
      home,
      get ownOutput() {
        return readableOutputFolders(home, skills, session)
      },
      mode: () => effectiveHeader(session).mode,
      plan: () =>
        sessionPlan(home, { id: effectiveHeader(session).sessionId, header: effectiveHeader(session) }).guard(),
      readOnlyAgent: () => {
        const { agent, runsAs } = session.header
        return agent?.readOnly ? agent.agentType : runsAs?.readOnly ? (runsAs.title ?? runsAs.name) : undefined
      },
      workspace: () => tools.workspaceOf(session),
      rules: () => rulesOf(session),
      ...(sandboxesOf && { sandboxes: (forCommand: boolean) => sandboxesOf(session, forCommand) }),
      hasReadMail: () => hasRead(store, session.header, containsMail),
      hasReadThirdParty: () => hasRead(store, session.header, containsThirdParty),
      isRemembered: (key) => session.header.allowed.includes(key),
    },
    kept: {
      keepRules,
      toolPins,
      pastCalls: async () => {
        const { pastCalls } = await import('../../approval/choices/rule-choices')
        return pastCalls(past(session))
      },
    },
  })
}

type Contains = (header: Session['header'] | undefined) => boolean

/**
 * Whether any agent of a session has read such text: agents pass text to each other. The text stays in the
 * conversation, so it counts from then on.
 */
export function hasRead(
  store: Pick<Store, 'header' | 'agents'>,
  header: Session['header'],
  contains: Contains,
): boolean {
  if (contains(header)) return true
  const rootId = header.agent?.rootId
  if (rootId !== undefined && contains(store.header(rootId))) return true
  return store.agents({ rootId: rootId ?? header.sessionId }).some(contains)
}

export const containsMail: Contains = (header) => header?.thirdParty?.mail !== undefined

const containsThirdParty: Contains = (header) => Object.keys(header?.thirdParty ?? {}).length > 0

/** The folders in TRESTLE_HOME that a session's own calls may read. */
export function readableOutputFolders(
  home: string,
  skills: Pick<Skills, 'readable'>,
  { id, header }: Pick<Session, 'id' | 'header'>,
): string[] {
  return [join(home, 'sessions', id), join(home, 'tasks'), ...skills.readable(header.folder)]
}

/** A strictly increasing clock, so that requests made in the same millisecond keep their order. */
function strictlyIncreasing(now: () => number): () => number {
  let last = 0
  return () => (last = Math.max(now(), last + 1))
}
