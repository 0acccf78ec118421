import { join } from 'node:path'
import { withSubagentTasks } from './agent/agent-supervision'
import { createAgents, type Agents } from './agent/agents'
import { createInbox, type OpenInbox } from './approval/inbox'
import { addressRefusal, hiddenPaths } from './approval/rules/target-patterns'
import { createToolPins } from './approval/rules/tool-pins'
import { createTrust } from './trust/create-trust'
import { createCheckpoints, type CheckpointManager } from './checkpoint/checkpoints'
import { createSettingsActions } from './settings-actions'
import type { RecordedEvent } from '../../shared/events/event'
import { isAgentId } from '../../shared/model/agent'
import { failureOf } from '../../shared/errors'
import type { Engine, EngineOptions } from './engine-api'
import { createSessionFilesView } from './workspace/session-files-view'
import { AgentCallSchedule } from './loop/call-schedule'
import { createEngineMcp } from './mcp/engine-mcp'
import { clientTools } from './turn/client-capabilities'
import { createGateDeps, readableOutputFolders } from './turn/session-gate'
import { createExecution } from './engine-execution'
import { openFoundation } from './engine-foundation'
import { createFeatures } from './engine-features'
import { createTaskNotifier, type TaskNotifier } from './session/task-notifier'
import type { Session } from './session/session'
import type { SessionDeps } from './session/session-deps'
import { removeOrphanedPlaceholders } from './sandbox/mounts/placeholders'
import { sandboxSupport } from './sandbox/sandbox-support'
import { PACKAGE_REGISTRIES } from './network/host-list'
import { createEnvironmentSnapshots } from './turn/environment-snapshot'
import { createSessionTasks, createTaskActions } from './session/session-tasks'
import { createSessionTools } from './turn/session-tools'
import { createSessions, summaryOf } from './session/sessions'
import { createTitleGenerator } from './session/title'
import { createTurnRunner } from './turn/turn-runner'
import { createContextWindows, endpointOf } from './turn/context-windows'
import { createPlanActions, sessionPlan } from './turn/session-plans'
import { createStoreBackups } from './store/backup/store-backups'
import { withSkill } from './skill/skills'
import { clientTerminalEnv, namedEnv } from './environment/command-env'
import { withInProcessTasks } from './task/in-process-tasks'
import { readArticle } from './web/web-access'
import { agentTrace } from './runtime/agent-trace'
import { BUILTIN_TOOLS } from '../../shared/tool-label'

/** Puts the product together: the only place that knows all parts. The caller closes it. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { version, interactive = false } = options
  const foundation = await openFoundation(options)
  const { home, store, config, settings, settingsFor, effectiveHeader, rulesOf, env, catalog, network, environment } =
    foundation
  const { notify, warn, log, newId, now } = foundation
  const execution = createExecution(foundation, options)
  const { sandboxes, programSandboxes, clientCapabilities, machine, inProcessTasks, skills, hooks, diagnostics } =
    execution
  const supervisor = withSubagentTasks(withInProcessTasks(machine, inProcessTasks), () => agents.runs)
  supervisor.onChange((task) => notify({ kind: 'task', task }))
  supervisor.onRemoved((taskId) => notify({ kind: 'task.removed', taskId }))
  supervisor.onNotice((text) => notify({ kind: 'notice', text, tone: 'warning' }))
  const features = createFeatures(foundation)
  const mcp = createEngineMcp({
    home,
    version,
    keyStore: foundation.keyStore,
    env,
    namedEnv: () => namedEnv(process.env, settings()),
    ready: environment.ready,
    fetch: network.fetch,
    settings,
    sandboxes: programSandboxes,
    watch: options.watch ?? true,
    plugins: foundation.plugins.active,
    notifyChanged: () => notify({ kind: 'mcp' }),
    notifyUser: (text, tone) => notify({ kind: 'notice', text, tone, about: 'mcp' }),
    onTrust: (folder) => notify({ kind: 'trust', folder }),
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
  const hiddenFrom: Parameters<typeof createSessionTools>[0]['hiddenFrom'] & {} = async (
    session,
    tool,
    { root, addedFolders },
  ) =>
    hiddenPaths({
      rules: await rulesOf(session),
      tool,
      root,
      addedFolders,
      home,
      ownOutput: readableOutputFolders(home, skills, session),
    })
  const tools = createSessionTools({
    clientToolsFor: clientTools(clientCapabilities, {
      home,
      env: () => clientTerminalEnv(process.env, settings()),
      sandboxEnv: env,
      hostedFor: (start) => machine.hostedFor(start),
    }),
    skills,
    featureTools: features.tools,
    writeHooksOf: hooks.writesOf,
    hiddenFrom,
    terminals: supervisor.terminals,
    sandboxOf: sandboxes.forTools,
    effectiveHeader,
    agentsOf: (session) => agents.subagents.forSession(session),
    checkpointsOf: (session) => ({
      previewDMail: (mail) => checkpoints.lookBack(session, { kind: 'd-mail', ...mail }),
    }),
    tasksOf: (session) =>
      createSessionTasks(session, { supervisor, notifier, interactive, canType: options.canType ?? interactive }),
    planOf: (session) => sessionPlan(home, session),
    webOf: (session) => ({
      allowedHosts: () => settings().web.allowedHosts,
      search: () => settings().web.search,
      refusal: async (url) => addressRefusal(await rulesOf(session), url),
      readArticle,
      network,
    }),
  })
  const family = new AgentCallSchedule()
  const backups = createStoreBackups({ home, now, onProblem: warn })
  const snapshots = createEnvironmentSnapshots({
    home,
    env,
    sandboxOf: sandboxes.statusOf,
    hiddenFrom: (session) => hiddenFrom(session, 'ListDirectory', tools.workspaceOf(session)),
    isUntrusted: async ({ header }) =>
      ['asked', 'changed', 'refused'].includes((await settingsFor(header.folder)).trust.state),
    hasOtherTerminals: (session) => clientCapabilities.of(session)?.terminals !== undefined,
  })
  const runner = createTurnRunner({
    home,
    store,
    settingsFor,
    resolveModel: catalog.resolve,
    ...tools,
    serverTools: mcp.serverTools,
    skills,
    interactive,
    effectiveHeader,
    snapshots,
    hooks,
    diagnostics,
    recall: features.memory.recall,
    now,
    newId,
    agentTurn: (session) => agents.subagents.turnOf(session),
    problemsIn: async (folder) => [...(await agents.specs.problems(folder)), ...(await skills.list(folder)).problems],
    scheduleAcrossAgents:
      ({ id, header }) =>
      (accesses, signal, work) =>
        family.run(header.agent?.rootId ?? id, accesses, signal, work),
    prepareNotifications: (session) => notifier.prepareForTurn(session),
    runningTasks: async (sessionId) =>
      (await supervisor.list({ activeOnly: true, limit: 50, sessionId })).filter(({ background }) => background),
    windows: createContextWindows({
      file: join(home, 'cache', 'windows.json'),
      endpointOf: (id) => endpointOf(settings().providers[id]),
    }),
    checkpoints: {
      before: (session, call) => checkpoints.before(session, call),
      recover: (session) => checkpoints.recover(session),
      sendDMail: (session, mail) => checkpoints.sendDMail(session, mail),
      writtenByAgents: (session, paths) => checkpoints.writtenByAgents(session, paths),
    },
    syncSandbox: sandboxes.sync,
    // A failure shows with the first command.
    warmUp(session) {
      // Its commands run in the editor's terminals.
      if (clientCapabilities.of(session)?.terminals) return
      void environment
        .ready()
        .then(() => sandboxes.usual(session))
        .then(
          (policy) => supervisor.terminals.warm(policy),
          () => {},
        )
    },
    log,
    warn,
  })
  const sessionDeps: SessionDeps<Session> = {
    store,
    runner,
    gateFor: createGateDeps({
      home,
      store,
      tools,
      skills,
      effectiveHeader,
      rulesOf,
      interactive,
      sandboxesOf: sandboxes.judging,
      toolPins: createToolPins(home),
      keepRules: (patterns) => config.allow(patterns),
      newId,
    }),
    withSkill: ({ folder }, parts) => withSkill(skills, folder, parts),
    newId,
    now,
    interactive,
    runsQueue: options.runsQueue ?? true,
    submit: hooks.submit,
    attach: ({ id }, parts) => mcp.content.attach(id, parts),
    onRecorded(session, before, events = []) {
      if (events.some((event) => event.type === 'checkpoint.restored' && event.conversation)) tools.forgetReads(session)
      // A subagent is not among the user's sessions: it is listed as a task.
      if (!isAgentId(session.id)) notify({ kind: 'session', summary: summaryOf(session.header) })
      inbox.sessionChanged(before, session.header)
      agents.onRecorded(session.header, before)
      hooks.recorded(session, events)
      titles?.onRecorded(session.header, before, events)
      mcp.onRecorded(session.header, before, events)
      if (events.some(changesSandbox)) void sandboxes.sync(session)
      if (events.some(({ type }) => type === 'turn.finished')) backups.takeIfDue()
    },
    log,
  }
  const sessions = createSessions({
    ...sessionDeps,
    defaults: () => ({
      mode: settings().defaultPermissionMode,
      ...(catalog.defaultModel() !== undefined && { model: catalog.defaultModel() }),
      ...(options.agent && { agent: options.agent }),
    }),
    chooseAgent: (choice, folder) => agents.choose(choice, folder),
    onOpened: (session) => notifier.sessionOpened(session),
    onRemoved(sessionId) {
      hooks.removed(sessionId)
      mcp.leave(sessionId)
      checkpoints.removed(sessionId)
      if (isAgentId(sessionId)) notify({ kind: 'task.removed', taskId: sessionId })
      else notify({ kind: 'session.removed', sessionId })
      notify({ kind: 'inbox' })
    },
    makeScratchFolder: async () => {
      const { makeScratchFolder } = await import('./session/scratch-folder')
      return makeScratchFolder(home)
    },
    completeFile: async (root, query, limit) => {
      const { completeFile } = await import('./workspace/ripgrep/complete-file')
      return completeFile(root, query, limit)
    },
  })
  const checkpoints: CheckpointManager = createCheckpoints({
    home,
    store,
    sessions,
    settings: () => settings().checkpoints,
    newId,
    log,
  })
  // Without a UI that lists sessions, a title is not worth a request.
  const titles = interactive
    ? createTitleGenerator({
        smallModel: catalog.smallModel,
        resolveModel: catalog.resolve,
        record: (id, event) => sessions.withSession(id, (session) => void session.record(event)),
        log,
      })
    : undefined
  const agents: Agents = createAgents({
    home,
    store,
    sessions,
    settings: () => settings().agents,
    plugins: foundation.plugins.active,
    smallModel: async (model) => (await catalog.smallModel(model))?.info.id,
    onChange: (task) => supervisor.changed(task),
    allTools: tools.allTools,
    notifyTasks: (sessionId, taskIds) => void notifier.deliver(sessionId, taskIds),
    warn,
    log,
  })
  const notifier: TaskNotifier = createTaskNotifier({
    supervisor,
    store,
    sessions,
    startsTurns: interactive,
    now,
    log,
  })
  notifier.start()
  const trust = createTrust({
    describeServers: async (...file) => (await import('./mcp/config/describe-server')).describeServerFile(...file),
    home,
    now,
    agentTrace: () => agentTrace({ home, orphans: false }),
    notify: (folder) => {
      notify({ kind: 'trust', folder })
      mcp.trustChanged()
      void sessions.reconsider()
    },
  })
  const inbox: OpenInbox = createInbox({ store, choices: sessions.choices, notify })
  if (interactive) {
    inbox.watch()
    checkpoints.begin()
    backups.begin()
    removeOrphanedPlaceholders(join(home, 'run', 'sandbox'))
    machine.beginSoon((error) => log(`looking for tasks failed: ${describe(error)}`))
  }
  const actions = createSettingsActions({
    config,
    secrets: foundation.secrets,
    keyStore: foundation.keyStore,
    catalog,
    tools: BUILTIN_TOOLS,
    featureTokens: features.tokens,
    onModels: () => notify({ kind: 'models' }),
    sandbox: { hosts: PACKAGE_REGISTRIES, support: sandboxSupport },
  })
  foundation.onChange(({ kind }) => {
    if (kind !== 'plugins') return
    mcp.trustChanged()
    void sessions.reconsider()
  })
  config.onChange(() => {
    foundation.settingsChanged()
    notify({ kind: 'settings' })
    void sessions.reconsider()
  })
  return {
    version,
    home,
    notices: [...foundation.notices, ...foundation.secrets.notices],
    problems: () => config.problems,
    sessions,
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
    skills,
    environment,
    diagnostics: foundation.diagnostics,
    files: createSessionFilesView({ home, header: sessions.header, editorCommand: () => settings().editor.command }),
    agents: { list: agents.specs.list },
    mcp,
    memory: features.memory.actions,
    plugins: foundation.plugins.actions,
    mcpContent: mcp.content,
    backups: { view: backups.view, take: backups.take, recover: foundation.recover },
    lend: (sessionId, means) => clientCapabilities.register(sessionId, means),
    onChange: foundation.onChange,
    async close(background) {
      notifier.close()
      titles?.close()
      checkpoints.close()
      inbox.close()
      await Promise.all([agents.runs.close(), sessions.close()])
      await Promise.all([hooks.close(), mcp.close(), diagnostics.close()])
      await supervisor.close(background)
      config.close()
      features.close()
      await backups.close()
      store.close()
    },
  }
}

/** Whether what commands run in may be another one from this event on. */
function changesSandbox(event: RecordedEvent): boolean {
  if (event.type === 'session.changed') return event.mode !== undefined || event.addedFolders !== undefined
  return event.type === 'plan.entered' || event.type === 'plan.left' || event.type === 'plan.resolved'
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
