import { join } from 'node:path'
import { withSubagentTasks } from './agent/agent-supervision'
import { createAgentRuns } from './agent/agent-runs'
import { createAgents } from './agent/agents'
import { createInbox } from './approval/inbox'
import { createTrust } from './trust/create-trust'
import { createConversations } from './conversation/conversations'
import { createCheckpoints } from './checkpoint/checkpoints'
import { createSettingsActions } from './customize/settings-actions'
import { failureOf } from '../../shared/errors'
import { NOTIFICATION_LIMITS } from '../../shared/model/assistant/notification'
import type { Engine } from './engine-api'
import type { EngineOptions } from './foundation/engine-options'
import { createSessionFiles } from './files/session-files'
import { createFileAccess } from './workspace/file-access'
import { createSessionFilesView } from './workspace/session-files-view'
import { createEngineMcp } from './mcp/engine-mcp'
import { followSessions } from './engine-events'
import { createExecution } from './foundation/engine-execution'
import { openFoundation } from './foundation/engine-foundation'
import { createEngineCustomize } from './engine-customize'
import { createEngineMoves } from './engine-move'
import { createEngineHistory } from './engine-history'
import { createFeatures } from './features/engine-features'
import { createEngineReview } from './engine-review'
import { createTurns } from './engine-turns'
import { createTaskNotifier } from './session/task-notifier'
import { removeOrphanedPlaceholders } from './sandbox/mounts/placeholders'
import { probeSandboxSupport, sandboxSupport } from './sandbox/sandbox-support'
import { PACKAGE_REGISTRIES } from './network/host-list'
import { createTaskActions } from './session/session-tasks'
import { createKeptTurns } from './session/kept-turns'
import { createSessions } from './session/sessions'
import { createTitleGenerator } from './session/input/title'
import { createPlanActions } from './turn/session/session-plans'
import { createKeptTurnRows } from './store/rows/kept-turn-rows'
import { createStoreBackups } from './store/backup/store-backups'
import { namedEnv } from './environment/command-env'
import { withInProcessTasks } from './task/run/in-process-tasks'
import { agentTrace } from './runtime/agent-trace'
import { BUILTIN_TOOLS } from '../../shared/tool-label'
import { cutText } from '../../shared/cut-text'

/**
 * Assembles the product; no other code knows all parts. Each part is created from those before it. Sessions come early
 * because most parts use them, and are connected to what their turns need at the end. The caller closes the engine.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { version, interactive = false } = options
  const hasInbox = options.hasInbox ?? interactive
  const foundation = await openFoundation(options)
  const { home, store, config, settings, effectiveHeader, env, catalog, network, environment } = foundation
  const { background, notify, warn, log, newId, now } = foundation
  const execution = createExecution(foundation, options)
  const { sandboxes, programSandboxes, clientCapabilities, machine, inProcessTasks, skills, hooks, diagnostics } =
    execution
  const features = createFeatures(foundation, options)
  const backups = createStoreBackups({ home, now, onProblem: warn })

  const sessions = createSessions({
    store,
    newId,
    now,
    interactive,
    runsQueue: options.runsQueue ?? true,
    keepsTurn: (sessionId) => keeper?.keeps(sessionId) ?? false,
    defaults: () => ({
      mode: settings().defaultPermissionMode,
      ...(catalog.defaultModel() !== undefined && { model: catalog.defaultModel() }),
      ...(options.agent && { agent: options.agent }),
    }),
    makeScratchFolder: async () => {
      const { makeScratchFolder } = await import('./session/scratch-folder')
      return makeScratchFolder(home)
    },
    makeWorktree: features.worktrees.make,
    worktreeOf: features.worktrees.of,
    completeFile: async (root, query, limit) => {
      const { completeFile } = await import('./workspace/ripgrep/complete-file')
      return completeFile(root, query, limit)
    },
    log,
  })
  const notifyUser = (title: string, body: string, sessionId?: string): void =>
    void features.device.notifyUser({
      title,
      body: cutText(body, NOTIFICATION_LIMITS.bodyChars),
      source: 'engine',
      ...(sessionId && { sessionId }),
    })
  const keeper = options.keepsTurns
    ? createKeptTurns({
        rows: createKeptTurnRows(foundation.database),
        header: store.header,
        sessions,
        notify: notifyUser,
      })
    : undefined
  const runs = createAgentRuns({
    home,
    store,
    sessions,
    settings: () => settings().agents,
    isScheduled: features.places.isScheduled,
    log,
  })

  const supervisor = withSubagentTasks(withInProcessTasks(machine, inProcessTasks), runs)
  supervisor.onChange((task) => notify({ kind: 'task', task }))
  supervisor.onRemoved((taskId) => notify({ kind: 'task.removed', taskId }))
  supervisor.onNotice((text) => notify({ kind: 'notice', text, tone: 'warning' }))
  const notifier = createTaskNotifier({ supervisor, store, sessions, startsTurns: interactive, now, log })
  /** Called when rules have changed: answers the pending requests that they now decide. */
  const reconsider = (): void =>
    background.add(sessions.reconsider(), (error) => log(`Requests could not be checked again: ${describe(error)}`))
  const agents = createAgents({
    home,
    store,
    sessions,
    runs,
    plugins: foundation.plugins.active,
    settings: () => settings().agents,
    smallModel: async (model) => (await catalog.smallModel(model))?.info.id,
    notifyTasks: (sessionId, taskIds) => void notifier.deliver(sessionId, taskIds),
    warn,
    log,
  })

  const checkpoints = createCheckpoints({
    home,
    store,
    sessions,
    settings: () => settings().checkpoints,
    newId,
    background,
    log,
  })
  const fileAccess = createFileAccess({
    home,
    header: (sessionId) => effectiveHeader({ header: sessions.header(sessionId) }),
  })
  const sessionFiles = createSessionFiles({ home, access: fileAccess, keepUserChange: checkpoints.keepUserChange })
  const reviews = createEngineReview(foundation, { checkpoints, sessions })
  const mcp = createEngineMcp({
    home,
    version,
    settings,
    environment: { env, namedEnv: () => namedEnv(process.env, settings()), ready: environment.ready },
    access: { keyStore: foundation.keyStore, fetch: network.fetch },
    sandboxes: programSandboxes,
    watch: options.watch ?? true,
    report: {
      changed: () => notify({ kind: 'mcp' }),
      toUser: (text, tone) => notify({ kind: 'notice', text, tone, about: 'mcp' }),
      onTrust: (folder) => notify({ kind: 'trust', folder }),
    },
    plugins: foundation.plugins.active,
    store,
    catalog,
    record: (sessionId, event) =>
      void sessions
        .withSession(sessionId, (session) => void session.record(event))
        .catch((error: unknown) =>
          log(`What a server's use of the model took is not counted: ${failureOf(error).message}`),
        ),
    effectiveHeader,
    log,
  })

  const parts = { supervisor, notifier, agents, checkpoints, features, mcp }
  const { tools, turns } = createTurns(foundation, execution, parts, { ...options, unattended: sessions.unattended })
  sessions.connect(turns)

  // Without a UI that lists sessions, a title is not worth a request.
  const titles = interactive
    ? createTitleGenerator({
        smallModel: async (model) => {
          const { enabled, model: chosen } = settings().titles
          if (!enabled) return undefined
          return chosen === undefined ? catalog.smallModel(model) : catalog.resolve(chosen)
        },
        resolveModel: catalog.resolve,
        record: (id, event) => sessions.withSession(id, (session) => void session.record(event)),
        log,
      })
    : undefined
  const conversations = createConversations({
    store,
    sessions,
    version,
    mode: () => settings().defaultPermissionMode,
    makeScratchFolder: async () => (await import('./session/scratch-folder')).makeScratchFolder(home),
    newId,
    now,
    chained: async () => (await import('./store/received-sessions')).createReceivedSessions(foundation.database).events,
  })
  const inbox = createInbox({ store, choices: sessions.choices, notify, log })
  followSessions({
    ...parts,
    reviews,
    sessions,
    notify,
    tools,
    inbox,
    hooks,
    sandboxes,
    titles,
    backups,
    keeper,
    background,
    log,
  })

  const trust = createTrust({
    describeServers: async (...file) => (await import('./mcp/config/describe-server')).describeServerFile(...file),
    home,
    now,
    agentTrace: () => agentTrace({ home, orphans: false }),
    notify: (folder) => {
      notify({ kind: 'trust', folder })
      mcp.trustChanged()
      reconsider()
    },
  })
  const actions = createSettingsActions({
    config,
    secrets: foundation.secrets,
    keyStore: foundation.keyStore,
    catalog,
    tools: BUILTIN_TOOLS,
    featureTokens: features.tokens,
    onModels: () => notify({ kind: 'models' }),
    sandbox: { hosts: PACKAGE_REGISTRIES, support: sandboxSupport, probe: probeSandboxSupport },
  })
  foundation.onChange(({ kind }) => {
    if (kind !== 'plugins') return
    mcp.trustChanged()
    reconsider()
  })
  config.onChange(() => {
    foundation.settingsChanged()
    features.schedule.settingsChanged()
    notify({ kind: 'settings' })
    reconsider()
  })

  notifier.start()
  if (interactive) {
    inbox.watch()
    checkpoints.begin()
    backups.begin()
    features.device.begin()
    removeOrphanedPlaceholders(join(home, 'run', 'sandbox'))
    machine.beginSoon((error) => log(`looking for tasks failed: ${describe(error)}`))
  }
  features.schedule.begin({ sessions, agents, interactive, hasInbox })
  features.worktrees.connect({ supervisor, sandboxes: programSandboxes })
  const moves = createEngineMoves(foundation, {
    sessions,
    checkpoints: checkpoints.access,
    supervisor,
    makeScratchFolder: async () => (await import('./session/scratch-folder')).makeScratchFolder(home),
  })
  features.places.useMoves(moves)
  return {
    version,
    home,
    notices: [...foundation.notices, ...foundation.secrets.notices],
    problems: () => config.problems,
    sessions,
    ...(keeper && { keptTurns: keeper }),
    conversations,
    histories: createEngineHistory(foundation, checkpoints.access),
    moves,
    settings: actions,
    tasks: createTaskActions({
      supervisor,
      sessions,
      notifier,
      onExit: () => settings().tasks.onExit,
      endsHere: (taskId) => inProcessTasks.has(taskId),
    }),
    inbox,
    trust,
    hooks,
    plans: createPlanActions({ home, sessions }),
    checkpoints,
    reviews,
    skills,
    environment,
    diagnostics: foundation.diagnostics,
    files: {
      ...createSessionFilesView({ access: fileAccess, editorCommand: () => settings().editor.command }),
      ...sessionFiles,
    },
    agents: { list: agents.specs.list },
    customize: createEngineCustomize(foundation, execution, { specs: agents.specs, trust }),
    mcp,
    memory: features.memory.actions,
    marks: features.marks,
    devices: features.pairing,
    git: features.git,
    usage: features.usage.actions,
    notifications: features.device.notifications,
    alarms: features.device.alarms,
    mail: features.mail.actions,
    schedule: features.schedule.actions,
    worktrees: features.worktrees.actions,
    plugins: foundation.plugins.actions,
    terminals: features.terminals.actions,
    places: features.places.actions,
    mcpContent: mcp.content,
    backups: { view: backups.view, take: backups.take, recover: foundation.recover },
    registerCapabilities: (sessionId, means) => clientCapabilities.register(sessionId, means),
    onChange: foundation.onChange,
    async close(background) {
      features.schedule.stop()
      await features.places.close()
      await features.worktrees.close()
      notifier.close()
      titles?.close()
      conversations.close()
      checkpoints.close()
      await sessionFiles.close()
      inbox.close()
      await Promise.all([runs.close(), sessions.close()])
      await foundation.background.close()
      await Promise.all([hooks.close(), mcp.close(), diagnostics.close()])
      await supervisor.close(background)
      config.close()
      await features.close()
      await backups.close()
      store.close()
    },
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
