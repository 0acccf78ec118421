import { memoryConversations, memoryHistories, memoryMoves } from './memory-history'
import { randomUUID } from 'node:crypto'
import type { Approval, RuleChoice } from '../../src/shared/model/approval/approval'
import { CodedError } from '../../src/shared/errors'
import type { EventBody, LiveEvent, RecordedEvent, SessionEvent } from '../../src/shared/events/event'
import { applyHeader, emptyHeader } from '../../src/shared/events/fold-header'
import type { UserPart } from '../../src/shared/model/turn/message'
import { NO_USAGE } from '../../src/shared/model/turn/usage'
import { type SessionHeader, type SessionSummary, statusOf } from '../../src/shared/model/session/session'
import type { ShellEnvironmentView } from '../../src/shared/configuration/app'
import type { TrustView } from '../../src/shared/configuration/customize/customizations'
import type { Engine } from '../../src/main/engine/engine-api'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'
import { NO_DEVICES } from './memory-devices'
import { memoryFiles } from './memory-files'
import { memoryCustomize } from './memory-customize'
import { NO_ALARMS, NO_MEMORY, NO_SCHEDULES } from './memory-assistant'
import { memoryBackups } from './memory-backups'
import { NO_GIT } from './memory-git'
import { memoryMarks } from './memory-marks'
import { memoryMcp, memoryMcpContent } from './memory-mcp'
import { NO_NOTIFICATIONS } from './memory-notifications'
import { memoryPlaces } from './memory-places'
import { memoryPlugins } from './memory-plugins'
import { memoryTerminals } from './memory-terminals'
import { memorySettings } from './memory-settings'
import { memoryTasks, type MemoryTasks } from './memory-tasks'
import { memoryTrust } from './memory-trust'
import { runFolder } from './run-folder'
import { NO_WORKTREES } from './memory-worktrees'
import type { Inbox } from '../../src/main/engine/approval/inbox'
import type { Sessions } from '../../src/main/engine/session/sessions-for-hosts'

interface Session {
  header: SessionHeader
  log: RecordedEvent[]
  live: LiveEvent[]
  listeners: Set<(event: SessionEvent) => void>
}

export interface MemoryEngine extends Engine {
  readonly tasks: MemoryTasks
  /** Appends to the log and notifies the listeners, as the engine does. */
  record(sessionId: string, ...bodies: EventBody[]): RecordedEvent[]
  /** Sends a live event to the listeners and keeps it for `live()`. */
  stream(sessionId: string, event: LiveEvent): void
  /** Requests an approval that `approval.reply` answers; `more` describes it, `choices` is what "always" can cover. */
  ask(sessionId: string, approvalId: string, more?: Partial<Approval>, choices?: RuleChoice[]): void
  /** Gives a folder its own configuration, or changes it. */
  putTrust(view: TrustView): void
  changed(change: EngineChange): void
  /** Number of listeners of the session, to detect leaks. */
  listenerCount(sessionId: string): number
  readonly changeListenerCount: number
  /** Maximum number of events returned by one `since` call. */
  readonly largestRead: number
  readonly isClosed: boolean
}

const ENVIRONMENT: ShellEnvironmentView = { state: 'inherited', enabled: true, path: ['/usr/bin'] }

/**
 * The `Engine` interface with plain arrays, for tests of the API and the hosts, which need to record 5,000 events a
 * second or hold an approval open. It keeps the engine's promises (seq without gaps, listeners notified synchronously
 * after the append) and has no model and no tools.
 */
export function memoryEngine(options: { home?: string; version?: string } = {}): MemoryEngine {
  const sessions = new Map<string, Session>()
  const ruleChoices = new Map<string, RuleChoice[]>()
  const changeListeners = new Set<(change: EngineChange) => void>()
  const home = options.home ?? runFolder('memory-home-')
  let largestRead = 0
  let isClosed = false

  const get = (sessionId: string): Session => {
    const session = sessions.get(sessionId)
    if (!session) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return session
  }
  const summaryOf = ({ header }: Session): SessionSummary => ({
    sessionId: header.sessionId,
    folder: header.folder,
    title: header.title,
    status: statusOf(header),
    waiting: header.approvals.length,
    updatedAt: header.updatedAt,
    archived: header.archived,
  })
  const changed = (change: EngineChange): void => {
    for (const listener of changeListeners) listener(change)
  }
  const record = (sessionId: string, ...bodies: EventBody[]): RecordedEvent[] => {
    const session = get(sessionId)
    const events = bodies.map((body, index): RecordedEvent => ({
      ...body,
      sessionId,
      seq: session.header.seq + index + 1,
      at: Date.now(),
    }))
    session.log.push(...events)
    for (const event of events) session.header = applyHeader(session.header, event)
    if (bodies.some((body) => body.type === 'step.finished' || body.type === 'turn.finished')) session.live = []
    for (const event of events) for (const listener of session.listeners) listener(event)
    changed({ kind: 'session', summary: summaryOf(session) })
    if (bodies.some((body) => body.type.startsWith('approval.') || body.type === 'turn.finished'))
      changed({ kind: 'inbox' })
    return events
  }

  const sessionActions: Sessions = {
    list: ({ folder, archived = false, limit = 1000 }) =>
      [...sessions.values()]
        .map(summaryOf)
        .filter((summary) => summary.archived === archived && (folder === undefined || summary.folder === folder))
        .slice(0, limit),
    async create({
      folder = '/home/ada/.trestle-scratch/2026-11-24-0a1b2c3d',
      model,
      mode = 'ask',
      addedFolders = [],
    }) {
      if (folder === '/missing') throw new CodedError('session.folder_missing', 'There is no folder /missing.')
      if (folder === '/bug') throw new TypeError('a bug in the engine')
      const sessionId = randomUUID()
      sessions.set(sessionId, { header: emptyHeader(sessionId), log: [], live: [], listeners: new Set() })
      record(sessionId, {
        type: 'session.created',
        folder,
        title: 'New session',
        mode,
        addedFolders,
        ...(model !== undefined && { model }),
      })
      return get(sessionId).header
    },
    async open(sessionId, limit) {
      const { header, log } = get(sessionId)
      return { header, events: log.slice(-limit), hasMore: log.length > limit }
    },
    window(sessionId, { before, limit }) {
      const older = get(sessionId).log.filter((event) => event.seq < before)
      return { events: older.slice(-limit), hasMore: older.length > limit }
    },
    since(sessionId, since, limit = Number.POSITIVE_INFINITY) {
      const events = get(sessionId).log.slice(since, since + limit)
      largestRead = Math.max(largestRead, events.length)
      return events
    },
    header: (sessionId) => get(sessionId).header,
    async change(sessionId, { agent: _agent, ...change }) {
      record(sessionId, { type: 'session.changed', ...change })
      return get(sessionId).header
    },
    async remove(sessionId) {
      get(sessionId)
      sessions.delete(sessionId)
      changed({ kind: 'session.removed', sessionId })
    },
    async fork(sessionId) {
      return get(sessionId).header
    },
    search: (query, _limit, sessionId) =>
      [...sessions.values()]
        .filter(
          ({ header }) => header.title.includes(query) && (sessionId === undefined || header.sessionId === sessionId),
        )
        .map(({ header }) => ({
          sessionId: header.sessionId,
          title: header.title,
          folder: header.folder,
          seq: 1,
          at: 0,
          snippet: query,
        })),
    async prompt(sessionId, parts) {
      const { header } = get(sessionId)
      if (header.turnId !== undefined) {
        const promptId = randomUUID()
        record(sessionId, { type: 'prompt.queued', promptId, parts })
        return { queued: true, promptId }
      }
      record(sessionId, { type: 'turn.started', turnId: randomUUID(), parts, model: 'test/model' })
      return { queued: false }
    },
    async steer(sessionId, { parts, promptId }) {
      const { header } = get(sessionId)
      const steered: UserPart[] = parts ?? header.queue.find((prompt) => prompt.promptId === promptId)?.parts ?? []
      record(sessionId, {
        type: 'turn.steered',
        turnId: header.turnId ?? '',
        parts: steered,
        by: 'user',
        ...(promptId !== undefined && { promptId }),
      })
    },
    async editQueued(sessionId, promptId, parts) {
      record(sessionId, { type: 'prompt.edited', promptId, parts })
    },
    async removeQueued(sessionId, promptId) {
      record(sessionId, { type: 'prompt.removed', promptId })
    },
    async moveQueued(sessionId, promptId, to) {
      record(sessionId, { type: 'prompt.moved', promptId, to })
    },
    async compact(sessionId, instruction) {
      const compactionId = randomUUID()
      const result = { kept: [], note: 'note', summary: 'summary', files: [], before: 1000, after: 100, durationMs: 0 }
      record(
        sessionId,
        {
          type: 'compaction.started',
          compactionId,
          reason: 'manual',
          tokens: 1000,
          ...(instruction !== undefined && { instruction }),
        },
        { type: 'compaction.finished', compactionId, ...result, dropped: { answers: 1, results: 0, messages: 0 } },
      )
      return true
    },
    async undoCompaction(sessionId, compactionId) {
      if (get(sessionId).header.compacted?.compactionId !== compactionId)
        throw new CodedError('compaction.gone', 'It cannot be undone.')
      record(sessionId, { type: 'compaction.undone', compactionId, tokens: 1000 })
    },
    async context(sessionId) {
      get(sessionId)
      const parts = { system: 0, tools: 0, memory: 0, files: 0, results: 0, conversation: 0 }
      return { window: 1000, limit: 850, used: 0, parts, heaviest: [], compactable: false }
    },
    async tools(sessionId) {
      get(sessionId)
      return { tools: [] }
    },
    async stop(sessionId) {
      const { turnId } = get(sessionId).header
      if (turnId !== undefined)
        record(sessionId, { type: 'turn.finished', turnId, stop: 'cancelled', steps: 0, durationMs: 0 })
    },
    proposal: async () => undefined,
    async reply(sessionId, { approvalId, optionId, feedback }) {
      const approval = get(sessionId).header.approvals.find((waiting) => waiting.approvalId === approvalId)
      if (!approval) throw new CodedError('approval.gone', 'Already answered by another client.')
      const kind = approval.options.find((option) => option.optionId === optionId)?.kind
      if (!kind) throw new CodedError('request.invalid', `optionId: there is no option ${optionId}`)
      record(sessionId, {
        type: 'approval.resolved',
        approvalId,
        callId: approval.callId,
        outcome: kind,
        chosen: optionId,
        ...(feedback !== undefined && { feedback }),
      })
    },
    listen(sessionId, listener) {
      const { listeners } = get(sessionId)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    live: (sessionId) => get(sessionId).live.map((event) => ({ ...event })),
    completeFile: async (_sessionId, query) => [{ path: `src/${query}.ts`, isFolder: false }],
  }

  const inbox: Inbox = {
    list: () =>
      [...sessions.values()]
        .flatMap(({ header }) =>
          header.approvals.map(({ approvalId, tool, summary, reason, options: choices, requestedAt, asks }) => ({
            sessionId: header.sessionId,
            sessionTitle: header.title,
            folder: header.folder,
            approvalId,
            tool,
            summary,
            reason,
            options: choices,
            requestedAt,
            group: `${tool}: ${reason}`,
            ...(asks && { asks }),
          })),
        )
        .toSorted((a, b) => a.requestedAt - b.requestedAt),
    get(sessionId, approvalId) {
      const approval = get(sessionId).header.approvals.find((waiting) => waiting.approvalId === approvalId)
      if (!approval) throw new CodedError('approval.gone', 'Already answered by another client.')
      return approval
    },
    choices: async (_sessionId, approvalId) => ruleChoices.get(approvalId) ?? [],
  }
  const { trust, putTrust } = memoryTrust(changed)

  return {
    version: options.version ?? '0.0.0-test',
    home,
    notices: ['a notice'],
    problems: () => [],
    sessions: sessionActions,
    conversations: memoryConversations((sessionId) => get(sessionId).header, sessionActions.create),
    histories: memoryHistories((sessionId) => get(sessionId).header),
    moves: memoryMoves((sessionId) => get(sessionId).header),
    settings: memorySettings(changed),
    tasks: memoryTasks(changed),
    inbox,
    memory: NO_MEMORY,
    marks: memoryMarks(changed),
    devices: NO_DEVICES,
    git: async () => NO_GIT,
    worktrees: async () => NO_WORKTREES,
    usage: NO_USAGE_ACTIONS,
    notifications: NO_NOTIFICATIONS,
    alarms: NO_ALARMS,
    mail: NO_MAIL,
    schedule: NO_SCHEDULES,
    plugins: memoryPlugins(),
    places: memoryPlaces(),
    terminals: memoryTerminals(changed),
    trust,
    hooks: { list: async () => ({ hooks: [], runs: [] }) },
    diagnostics: {
      report: async (sections = []) => ({ at: 0, sections: [...sections], checks: [], errors: [] }),
      redact: (text) => text,
    },
    environment: { view: () => ENVIRONMENT, read: async () => ENVIRONMENT, ready: async () => {} },
    plans: {
      async enter(sessionId) {
        record(sessionId, { type: 'plan.entered', plan: 1, by: 'user' })
        return get(sessionId).header
      },
      async leave(sessionId) {
        record(sessionId, { type: 'plan.left' })
        return get(sessionId).header
      },
      view: async () => ({ active: false, file: '/plan.md', revisions: [] }),
      revision: async () => ({ text: '' }),
    },
    checkpoints: {
      points: async () => [],
      preview: async (_sessionId, { to }) => ({ to, steps: [], kept: [], notCovered: [] }),
      restore: async (_sessionId, { to }) => ({ to, steps: [], kept: [], notCovered: [] }),
      latestRestore: async () => undefined,
      files: async () => [],
      hunks: async (_sessionId, path) => ({ path, hunks: [] }),
      undoHunk: async () => ({ seq: 1 }),
    },
    reviews: NO_REVIEWS,
    customize: memoryCustomize,
    agents: { list: async () => ({ agents: [], problems: [] }) },
    skills: { list: async () => ({ skills: [], problems: [] }) },
    files: memoryFiles(home, (id) => get(id).header),
    mcp: memoryMcp(),
    mcpContent: memoryMcpContent(),
    backups: memoryBackups(),
    registerCapabilities: () => () => undefined,
    onChange(listener) {
      changeListeners.add(listener)
      return () => changeListeners.delete(listener)
    },
    async close() {
      isClosed = true
    },
    record,
    stream(sessionId, event) {
      const session = get(sessionId)
      session.live.push(event)
      for (const listener of session.listeners) listener(event)
    },
    ask(sessionId, approvalId, more = {}, choices = []) {
      const approval: Approval = {
        approvalId,
        turnId: 't',
        callId: 'c',
        tool: 'Bash',
        summary: 'Run ls',
        reason: 'It runs a command.',
        options: [
          { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
          { optionId: 'no', kind: 'reject_once', name: 'Reject' },
        ],
        requestedAt: 0,
        ...more,
      }
      ruleChoices.set(approvalId, choices)
      record(sessionId, { type: 'approval.requested', approval })
    },
    putTrust,
    changed,
    listenerCount: (sessionId) => sessions.get(sessionId)?.listeners.size ?? 0,
    get changeListenerCount() {
      return changeListeners.size
    },
    get largestRead() {
      return largestRead
    },
    get isClosed() {
      return isClosed
    },
  }
}

const NO_ACCOUNT = async (): Promise<never> => {
  throw new CodedError('mail.account', 'There is no mail account.')
}

/** An engine without mail accounts. */
const NO_MAIL: Engine['mail'] = {
  accounts: () => [],
  save: async (account, password) => ({ ...account, password: password === undefined ? 'none' : 'stored' }),
  remove: NO_ACCOUNT,
  restore: NO_ACCOUNT,
  test: NO_ACCOUNT,
  search: NO_ACCOUNT,
  read: NO_ACCOUNT,
  draft: NO_ACCOUNT,
  send: NO_ACCOUNT,
  move: NO_ACCOUNT,
  flag: NO_ACCOUNT,
}

/** An engine whose models never received a request. */
const NO_USAGE_ACTIONS: Engine['usage'] = {
  report: (by) => ({
    by,
    from: '2026-11-01',
    to: '2026-11-01',
    rows: [],
    days: [],
    total: NO_USAGE,
    prices: { generated: '2026-11-22', sources: [] },
  }),
  session: (sessionId) => ({ sessionId, total: NO_USAGE, own: NO_USAGE, agents: [], limits: [] }),
}

/** An engine without reviews. */
const NO_REVIEWS: Engine['reviews'] = {
  list: async () => ({ files: [] }),
  diffs: async () => [],
  lines: async () => [],
  undo: async () => ({ kept: [] }),
  bases: async () => ({ branches: [] }),
  marks: async () => ({ viewed: {}, kept: {}, comments: [] }),
  setViewed: async () => undefined,
  setKept: async () => undefined,
  addComment: async () => ({ id: 'comment-1' }),
  changeComment: async () => undefined,
  removeComment: async () => undefined,
  send: async () => 0,
}
