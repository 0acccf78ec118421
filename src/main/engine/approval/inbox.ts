import { isDangerous, type InboxEntry, type Approval, type RuleChoice } from '../../../shared/model/approval/approval'
import { CodedError, failureOf } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session/session'

import type { Store } from '../store/store'
import { describeResolution } from './gate-answers'

export interface InboxDeps {
  store: Pick<Store, 'header' | 'waiting' | 'window'>
  choices: Inbox['choices']
  notify(change: { kind: 'inbox' }): void
  log(message: string): void
  /**
   * Interval for polling the requests of other processes, in ms. Each poll is one query that finds only sessions with
   * pending requests. Default 2 s.
   */
  pollMs?: number
}

export interface OpenInbox extends Inbox {
  /** Call after a change of a session's header. */
  sessionChanged(before: SessionHeader | undefined, after: SessionHeader): void
  /** Starts polling for changes by other processes. */
  watch(): void
  close(): void
}

/** Maximum number of events read to find out how a request ended. */
const RECENT_EVENTS = 1000

/**
 * The requests pending in all sessions. A fold over session headers: only headers with pending requests are read, each
 * again only after a change.
 */
export function createInbox({ store, choices, notify, log, pollMs = 2000 }: InboxDeps): OpenInbox {
  let read = new Map<string, { seq: number; entries: InboxEntry[] }>()
  let timer: NodeJS.Timeout | undefined
  let shown = ''
  let hasFailed = false

  function list(): InboxEntry[] {
    const before = read
    read = new Map()
    const all = store.waiting().flatMap(({ sessionId, seq, elsewhere }) => {
      const known = before.get(sessionId)
      const entries = known?.seq === seq ? known.entries : entriesOf(store.header(sessionId))
      read.set(sessionId, { seq, entries })
      return elsewhere === undefined ? entries : entries.map((entry) => ({ ...entry, elsewhere }))
    })
    all.sort((a, b) => a.requestedAt - b.requestedAt || compare(a.sessionId, b.sessionId))
    return all
  }

  /** The store may be unreadable for a moment: the next poll tries again. */
  function poll(): void {
    try {
      const now = fingerprint(list())
      if (now !== shown) notify({ kind: 'inbox' })
      shown = now
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log(`The inbox could not be checked: ${failureOf(error).message}`)
      hasFailed = true
    }
  }

  return {
    list,
    get(sessionId, approvalId) {
      const header = store.header(sessionId)
      if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
      const found = header.approvals.find((approval) => approval.approvalId === approvalId)
      if (found) return found
      const { events } = store.window(sessionId, { limit: RECENT_EVENTS })
      throw new CodedError('approval.gone', describeResolution(events, approvalId) ?? 'It is no longer pending.')
    },
    choices,
    sessionChanged(before, after) {
      if (!before || (before.approvals.length === 0 && after.approvals.length === 0)) return
      if (before.approvals !== after.approvals || before.title !== after.title) notify({ kind: 'inbox' })
    },
    watch() {
      shown = fingerprint(list())
      timer = setInterval(poll, pollMs).unref()
    },
    close: () => clearInterval(timer),
  }
}

function entriesOf(header: SessionHeader | undefined): InboxEntry[] {
  if (!header) return []
  const { sessionId, title: sessionTitle, folder } = header
  const agent = header.agent && {
    agent: { type: header.agent.agentType, description: header.agent.description, rootId: header.agent.rootId },
  }
  return header.approvals.map(({ approvalId, tool, summary, reason, reasons, options, asks, requestedAt }) => {
    const dangerous = isDangerous({ ...(reasons && { reasons }) })
    const group = asks || dangerous ? approvalId : `${tool}: ${reason}`
    return {
      sessionId,
      sessionTitle,
      folder,
      approvalId,
      tool,
      summary,
      reason,
      options,
      requestedAt,
      group,
      ...(asks && { asks }),
      ...(dangerous && { dangerous }),
      ...agent,
    }
  })
}

function fingerprint(entries: readonly InboxEntry[]): string {
  return entries
    .map(({ approvalId, sessionTitle, elsewhere = '' }) => `${approvalId} ${elsewhere} ${sessionTitle}`)
    .join('\n')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Pending approvals of all sessions. */
export interface Inbox {
  /** Oldest first. */
  list(): InboxEntry[]
  get(sessionId: string, approvalId: string): Approval
  choices(sessionId: string, approvalId: string): Promise<RuleChoice[]>
}
