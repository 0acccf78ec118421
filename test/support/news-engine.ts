import { onTestFinished } from 'vitest'
import { noAgents, noAgentTurn } from './no-agents'
import { noSkills } from './no-skills'
import { readArticle } from '../../src/main/engine/web/web-access'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { textOf, type Message } from '../../src/shared/model/turn/message'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import type { ModelChunk, ModelRequest, Provider } from '../../src/main/engine/model/provider'
import { sessionPlan } from '../../src/main/engine/turn/session/session-plans'
import { createTaskNotifier, type TaskNotifier } from '../../src/main/engine/session/task-notifier'
import { createSessionTasks, createTaskActions } from '../../src/main/engine/session/session-tasks'
import { createSessionTools } from '../../src/main/engine/turn/session/session-tools'
import { createSessions, type SessionManager } from '../../src/main/engine/session/sessions'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { Store } from '../../src/main/engine/store/store'
import { createTurnRunner } from '../../src/main/engine/turn/turn-runner'
import { createContextWindows } from '../../src/main/engine/turn/context-windows'
import type { MemorySupervisor } from './memory-supervisor'
import { until } from './until'

type Body<Type extends EventBody['type']> = RecordedEvent & { type: Type }

const NO_WAY_BACK = { problem: 'There is no way back in this test.' }

export interface NewsEngine {
  sessions: SessionManager
  store: Store
  desk: TaskNotifier
  actions: ReturnType<typeof createTaskActions>
  /** Requests to the model, in order. */
  requests: ModelRequest[]
  /** Errors that were not reported to a client. */
  logged: string[]
  events(sessionId: string): RecordedEvent[]
  of<Type extends EventBody['type']>(sessionId: string, type: Type): Body<Type>[]
  /** Every message that notified the agent about tasks, as text. */
  told(sessionId: string): string[]
  /** Waits until no turn is running and this many have ended. */
  ended(sessionId: string, turns: number): Promise<void>
  close(): Promise<void>
}

export type Script = (request: ModelRequest, n: number) => ModelChunk[] | Promise<ModelChunk[]>

/**
 * The engine's sessions and their tasks: with the real store, sessions, turns and tools; tasks are plain data, the
 * model is scripted, and everything is allowed.
 */
export function newsEngine(options: {
  home: string
  supervisor: MemorySupervisor
  script: Script
  interactive?: boolean
  pid?: number
}): NewsEngine {
  const { home, supervisor, script, interactive = true, pid } = options
  const { store } = openStore({ home, ...(pid !== undefined && { pid }) })
  const requests: ModelRequest[] = []
  const logged: string[] = []
  const log = (message: string): void => void logged.push(message)
  let ids = 0
  const newId = (prefix: string): string => `${prefix}-${pid ?? 0}-${(ids += 1)}`
  const provider: Provider = {
    async *stream(request) {
      requests.push({ ...request, messages: [...request.messages] })
      yield* await script(request, requests.length)
    },
  }
  const info = {
    id: 'p/m',
    model: 'm',
    label: 'm',
    providerId: 'p',
    contextWindow: 100_000,
    toolCalls: true,
    imagesIn: false,
    thinking: false,
    origin: 'configured' as const,
  }
  const sessions = createSessions({
    makeScratchFolder: async () => {
      throw new Error('Every session of this engine has a project.')
    },
    store,
    newId,
    now: Date.now,
    interactive,
    runsQueue: interactive,
    defaults: () => ({ mode: 'auto' }),
    completeFile: async () => [],
    log,
  })
  const notifier = createTaskNotifier({
    supervisor,
    store,
    sessions,
    startsTurns: interactive,
    retryMs: 20,
    now: Date.now,
    log,
  })
  const tools = createSessionTools({
    commandsOf: () => supervisor.terminals,
    tasksOf: (session) => createSessionTasks(session, { supervisor, notifier, interactive }),
    skills: noSkills,
    planOf: (session) => sessionPlan(home, session),
    effectiveHeader: (session) => session.header,
    agentsOf: () => noAgents,
    checkpointsOf: () => ({ previewDMail: async () => NO_WAY_BACK }),
    webOf: () => ({ allowedHosts: () => [], search: () => undefined, refusal: async () => undefined, readArticle }),
  })
  const runner = createTurnRunner({
    home,
    store,
    canAsk: () => interactive,
    clock: { now: Date.now, newId },
    report: { log, warn: () => undefined },
    project: {
      effectiveHeader: (session) => session.header,
      settingsFor: async () => ({ settings: DEFAULT_SETTINGS, problems: [], trust: { state: 'nothing', hash: '' } }),
      skills: noSkills,
      snapshots: {
        prefetch: () => undefined,
        take: async () => ({ entries: [] }),
        takeChanging: async () => ({ entries: [] }),
      },
      problemsIn: async () => [],
      checkpoints: {
        before: () => undefined,
        recover: async () => undefined,
        sendDMail: async () => NO_WAY_BACK,
        writtenByAgents: async () => new Set(),
      },
    },
    models: { resolve: async () => ({ info, provider }), windows: createContextWindows() },
    tools,
    agents: {
      turnOf: async () => noAgentTurn,
      scheduleCalls: () => (_accesses, _signal, work) => work(),
    },
    tasks: {
      prepareNotifications: (session) => notifier.prepareForTurn(session),
      running: async () => [],
      warmUp: () => undefined,
    },
    extensions: {},
  })
  sessions.connect({
    runner,
    gateFor: (session) => ({
      policies: [() => ({ decision: 'allow', reason: 'a test' })],
      record: (...events) => void session.record(...events),
      isOpen: () => false,
      describeResolution: () => undefined,
      canAsk: () => interactive,
      now: Date.now,
      newId,
      stopTurn: () => undefined,
      session: {
        home,
        ownOutput: [],
        mode: () => 'auto',
        plan: () => undefined,
        workspace: () => tools.workspaceOf(session),
        rules: async () => [],
        isRemembered: () => false,
      },
      kept: {
        keepRules: async () => undefined,
        pastCalls: async () => [],
      },
    }),
    chooseAgent: async () => {
      throw new Error('No test of this engine chooses an agent.')
    },
    withSkill: async (_header, parts) => parts,
  })
  sessions.follow({ opened: (session) => notifier.sessionOpened(session) })
  notifier.start()
  let closed: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      notifier.close()
      await sessions.close()
      store.close()
    })())
  onTestFinished(close)
  const events = (sessionId: string): RecordedEvent[] => store.since(sessionId, 0)
  const of = <Type extends EventBody['type']>(sessionId: string, type: Type): Body<Type>[] =>
    events(sessionId).filter((event): event is Body<Type> => event.type === type)
  return {
    sessions,
    store,
    desk: notifier,
    actions: createTaskActions({ supervisor, sessions, notifier, onExit: () => 'keep', endsHere: () => false }),
    requests,
    logged,
    events,
    of,
    told: (sessionId) =>
      events(sessionId).flatMap((event) =>
        (event.type === 'turn.started' || event.type === 'turn.steered') && event.news ? [textOf(event.parts)] : [],
      ),
    ended: (sessionId, turns) =>
      until(
        () => of(sessionId, 'turn.finished').length >= turns && store.header(sessionId)?.turnId === undefined,
        `turn ${turns} of ${sessionId} to end`,
      ),
    close,
  }
}

/** The text of the newest message from the user or Trestle. */
export function lastWords(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user')
  return last ? textOf(last.parts) : ''
}
