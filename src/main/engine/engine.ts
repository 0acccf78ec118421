import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withAgents } from './agent/agent-custody'
import { createAgents, type Agents } from './agent/create-agents'
import { createInbox, type OpenInbox } from './approval/inbox'
import { addressRefusal } from './approval/address-refusal'
import { hiddenPaths } from './approval/hidden-paths'
import type { PermissionRule } from './approval/rules/permission-rule'
import { sessionRules } from './approval/rules/session-rules'
import { createToolPins } from './approval/tool-pins'
import { openConfig } from './config/config'
import { createFolderSettings } from './config/folder-settings'
import { createTrust } from './config/trust/create-trust'
import { resolveHome } from './config/home'
import { createCheckpoints, type HeldCheckpoints } from './checkpoint/create-checkpoints'
import { openKeys } from './config/key-store/open-keys'
import { createSettingsActions } from './config/settings-actions'
import type { Settings } from './config/settings'
import type { RecordedEvent } from '../../shared/model/event'
import { isAgentId } from '../../shared/model/agent'
import { failureOf } from '../../shared/model/errors'
import type { Engine } from './engine-api'
import { createEngineChanges } from './engine-changes'
import type { EngineOptions } from './engine-options'
import { createSurroundings } from './engine-surroundings'
import { repositoryTop } from './workspace/repository-top'
import { createSessionFilesView } from './workspace/session-files-view'
import { createDiagnostics } from './diagnostics/create-diagnostics'
import { createHooks } from './hook/create-hooks'
import { FamilySchedule } from './loop/family-schedule'
import { createEngineMcp } from './mcp/engine-mcp'
import { lentTools } from './session/client-means'
import { createEngineSandboxes } from './session/engine-sandboxes'
import { createGateOf, ownOutputOf } from './session/gate-of'
import { newId } from './new-id'
import { createNewsDesk, type NewsDesk } from './session/news-desk'
import type { Session } from './session/session'
import type { SessionDeps } from './session/session-deps'
import { removeLeftPlaceholders } from './sandbox/placeholders'
import { sandboxSupport } from './sandbox/find-sandbox'
import { PACKAGE_REGISTRIES } from './sandbox/network/host-list'
import { createSessionLooks } from './session/session-looks'
import { createSessionTasks } from './session/session-tasks'
import { createSessionTools } from './session/session-tools'
import { createTaskActions } from './session/task-actions'
import { createSessions, summaryOf } from './session/sessions'
import { createTitleMaker } from './session/title-maker'
import { createTurnRunner } from './session/turn-runner'
import { createWindows, endpointOf } from './session/windows'
import { createPlanActions } from './plan/plan-actions'
import { planOf } from './plan/plan-of'
import { createStoreBackups } from './session/sqlite/backup/store-backups'
import { openStore } from './session/sqlite/open-store'
import { prepareIdentities } from './session/sqlite/process-identity'
import { builtInSkills } from './skill/built-in-skills'
import { openSkillCache } from './skill/skill-cache'
import { createSkills } from './skill/skills'
import { withSkill } from './skill/with-skill'
import { borrowedEnv, commandEnv, namedEnv } from './task/command-env'
import { createTaskCustody } from './task/custody/create-task-custody'
import { OwnTasks, ownTerminals, withOwnTasks } from './task/custody/own-tasks'
import { readArticle } from './web/read-article'
import { agentTrace } from './task/watch/agent-trace'
import { TOOL_LIST } from './tool/tool-list'

/** Puts the product together: the only place that knows all parts. The caller closes it. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { version, maxSteps, interactive = false, log = (message) => process.stderr.write(`trestle: ${message}\n`) } = options
  const home = realpathSync(resolveHome(options.home))
  await prepareIdentities()
  const { store, notices, recover } = openStore({ home })
  const config = await openConfig({ home, watch: options.watch ?? true })
  const { keyStore, secrets } = await openKeys({ home, legacy: options.legacyCipher })
  const settings = (): Settings =>
    maxSteps === undefined ? config.settings : { ...config.settings, loop: { ...config.settings.loop, maxSteps } }
  const { tell, warn, onChange } = createEngineChanges(log)
  const surroundings = createSurroundings({ ...options, home, settings, secrets, changed: () => tell({ kind: 'settings' }), log })
  const { catalog, environment, network, diagnostics: selfDiagnostics } = surroundings
  const { ready } = environment
  const settingsFor = createFolderSettings({ home, settings, onChanged: (folder) => tell({ kind: 'trust', folder }) })
  /** What counts for a subagent: the mode, the rules and the folders of the person's session it belongs to. */
  const standing = ({ header }: Pick<Session, 'header'>): Session['header'] => (header.agent && store.header(header.agent.rootId)) ?? header
  const rulesOf = async ({ header }: Session): Promise<PermissionRule[]> => [
    ...(await settingsFor(header.folder)).settings.permission.rules,
    // What was allowed for a subagent of a session is allowed for all of them, and counts here even while another process has that session.
    ...sessionRules([...new Set([...(standing({ header }).rules ?? []), ...(header.rules ?? [])])]),
  ]
  const { sessions: sandboxes, programs: programSandboxes, lent } = createEngineSandboxes({ home, config, settingsFor, standing, log })
  const env = (): Record<string, string> => commandEnv(process.env, settings())
  const ownTasks = new OwnTasks({ home, log })
  const machine = createTaskCustody({
    home,
    // Where nobody can look at a terminal there is nothing to have it elsewhere for.
    interactive: options.canType ?? interactive,
    env,
    ready,
    settings: () => settings().tasks,
    local: ownTerminals(ownTasks, { home, env, settings: () => settings().tasks }),
    ...(options.taskHost && { program: options.taskHost }),
    log,
  })
  const custody = withAgents(withOwnTasks(machine, ownTasks), () => agents.runs)
  custody.onChange((task) => tell({ kind: 'task', task }))
  custody.onRemoved((taskId) => tell({ kind: 'task.removed', taskId }))
  custody.onNotice((text) => tell({ kind: 'notice', text, tone: 'warning' }))
  let skillCache: ReturnType<typeof openSkillCache> | undefined
  const skills = createSkills({
    home,
    userHome: homedir(),
    builtIn: builtInSkills(),
    cache: () => (skillCache ??= openSkillCache(join(home, 'cache', 'skills.json'))),
    repositoryTop,
  })
  const hooks = createHooks({
    home,
    interactive,
    env,
    ready,
    hooksOf: async (folder) => (await settingsFor(folder)).settings.hooks,
    sandboxes: programSandboxes,
    now: () => Date.now(),
  })
  const diagnostics = createDiagnostics({ home, env, settingsFor, sandboxes: programSandboxes, log })
  const mcp = createEngineMcp({
    home,
    version,
    keyStore,
    env,
    namedEnv: () => namedEnv(process.env, settings()),
    ready,
    fetch: network.fetch,
    settings,
    sandboxes: programSandboxes,
    watch: options.watch ?? true,
    tell: () => tell({ kind: 'mcp' }),
    notice: (text, tone) => tell({ kind: 'notice', text, tone, about: 'mcp' }),
    onTrust: (folder) => tell({ kind: 'trust', folder }),
    store,
    catalog,
    record: (sessionId, event) =>
      void sessions
        .withSession(sessionId, (session) => void session.record(event))
        .catch((error: unknown) => log(`What a server's use of the model took is not counted: ${failureOf(error).message}`)),
    standing,
    log,
  })
  const hiddenFrom: Parameters<typeof createSessionTools>[0]['hiddenFrom'] & {} = async (session, tool, { root, addedFolders }) =>
    hiddenPaths({ rules: await rulesOf(session), tool, root, addedFolders, home, ownOutput: ownOutputOf(home, skills, session) })
  const tools = createSessionTools({
    lentTo: lentTools(lent, {
      home,
      env: () => borrowedEnv(process.env, settings()),
      sandboxEnv: env,
      hostedFor: (start) => machine.hostedFor(start),
    }),
    skills,
    writeHooksOf: hooks.writesOf,
    hiddenFrom,
    terminals: custody.terminals,
    sandboxOf: sandboxes.forTools,
    standing,
    agentsOf: (session) => agents.subagents.of(session),
    checkpointsOf: (session) => ({ look: (mail) => checkpoints.lookBack(session, { kind: 'd-mail', ...mail }) }),
    tasksOf: (session) => createSessionTasks(session, { custody, desk, interactive, canType: options.canType ?? interactive }),
    planOf: (session) => planOf(home, session),
    webOf: (session) => ({
      allowedHosts: () => settings().web.allowedHosts,
      search: () => settings().web.search,
      refusal: async (url) => addressRefusal(await rulesOf(session), url),
      readArticle,
      network,
    }),
  })
  const family = new FamilySchedule()
  const backups = createStoreBackups({ home, now: () => Date.now(), onProblem: warn })
  const looks = createSessionLooks({
    home,
    env,
    sandboxOf: sandboxes.statusOf,
    hiddenFrom: (session) => hiddenFrom(session, 'ListDirectory', tools.workspaceOf(session)),
    isUntrusted: async ({ header }) => ['asked', 'changed', 'refused'].includes((await settingsFor(header.folder)).standing.state),
    hasOtherTerminals: (session) => lent.of(session)?.terminals !== undefined,
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
    standing,
    looks,
    hooks,
    diagnostics,
    now: () => Date.now(),
    newId,
    agentTurn: (session) => agents.subagents.turnOf(session),
    problemsIn: async (folder) => [...(await agents.specs.problems(folder)), ...(await skills.list(folder)).problems],
    amongAgents:
      ({ id, header }) =>
      (accesses, signal, work) =>
        family.run(header.agent?.rootId ?? id, accesses, signal, work),
    gatherNews: (session) => desk.gather(session),
    runningTasks: async (sessionId) =>
      (await custody.list({ activeOnly: true, limit: 50, sessionId })).filter(({ background }) => background),
    windows: createWindows({ file: join(home, 'cache', 'windows.json'), endpointOf: (id) => endpointOf(settings().providers[id]) }),
    checkpoints: {
      before: (session, call) => checkpoints.before(session, call),
      recover: (session) => checkpoints.recover(session),
      sendDMail: (session, mail) => checkpoints.sendDMail(session, mail),
      writtenHere: (session, paths) => checkpoints.writtenHere(session, paths),
    },
    syncSandbox: sandboxes.sync,
    // A failure shows with the first command.
    warm(session) {
      // Its commands run in the editor's terminals.
      if (lent.of(session)?.terminals) return
      void ready()
        .then(() => sandboxes.usual(session))
        .then(
          (policy) => custody.terminals.warm(policy),
          () => {},
        )
    },
    log,
    warn,
  })
  const sessionDeps: SessionDeps<Session> = {
    store,
    runner,
    gateFor: createGateOf({
      home,
      store,
      tools,
      skills,
      standing,
      rulesOf,
      interactive,
      sandboxesOf: sandboxes.judging,
      toolPins: createToolPins(home),
      keepRules: (patterns) => config.allow(patterns),
      newId,
    }),
    withSkill: ({ folder }, parts) => withSkill(skills, folder, parts),
    newId,
    now: () => Date.now(),
    interactive,
    runsQueue: options.runsQueue ?? true,
    submit: hooks.submit,
    attach: ({ id }, parts) => mcp.content.attach(id, parts),
    onRecorded(session, before, events = []) {
      if (events.some((event) => event.type === 'checkpoint.restored' && event.conversation)) tools.forgetReads(session)
      // A subagent is not among the user's sessions: it is listed as a task.
      if (!isAgentId(session.id)) tell({ kind: 'session', summary: summaryOf(session.header) })
      inbox.changed(before, session.header)
      agents.recorded(session.header, before)
      hooks.recorded(session, events)
      titles?.recorded(session.header, before, events)
      mcp.recorded(session.header, before, events)
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
    onOpened: (session) => desk.opened(session),
    onRemoved(sessionId) {
      hooks.removed(sessionId)
      mcp.leave(sessionId)
      checkpoints.removed(sessionId)
      if (isAgentId(sessionId)) tell({ kind: 'task.removed', taskId: sessionId })
      else tell({ kind: 'session.removed', sessionId })
      tell({ kind: 'inbox' })
    },
    completeFile: async (root, query, limit) => {
      const { completeFile } = await import('./workspace/complete-file')
      return completeFile(root, query, limit)
    },
  })
  const checkpoints: HeldCheckpoints = createCheckpoints({ home, store, sessions, settings: () => settings().checkpoints, newId, log })
  // Where nobody looks at a list of sessions a title is worth no request.
  const titles = interactive
    ? createTitleMaker({
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
    smallModel: async (model) => (await catalog.smallModel(model))?.info.id,
    onChange: (task) => custody.changed(task),
    allTools: tools.allTools,
    look: (sessionId, taskIds) => void desk.look(sessionId, taskIds),
    warn,
    log,
  })
  const desk: NewsDesk = createNewsDesk({ custody, store, sessions, startsTurns: interactive, now: () => Date.now(), log })
  desk.start()
  const trust = createTrust({
    home,
    now: () => Date.now(),
    agentTrace: () => agentTrace({ home, orphans: false }),
    tell: (folder) => {
      tell({ kind: 'trust', folder })
      mcp.trustChanged()
      void sessions.reconsider()
    },
  })
  const inbox: OpenInbox = createInbox({ store, choices: sessions.choices, tell })
  if (interactive) {
    inbox.watch()
    checkpoints.begin()
    backups.begin()
    removeLeftPlaceholders(join(home, 'run', 'sandbox'))
    machine.beginSoon((error) => log(`looking for tasks failed: ${describe(error)}`))
  }
  const actions = createSettingsActions({
    config,
    secrets,
    keyStore,
    catalog,
    tools: TOOL_LIST,
    onModels: () => tell({ kind: 'models' }),
    sandbox: { hosts: PACKAGE_REGISTRIES, support: sandboxSupport },
  })
  config.onChange(() => {
    surroundings.settingsChanged()
    tell({ kind: 'settings' })
    void sessions.reconsider()
  })
  return {
    version,
    home,
    notices: [...notices, ...secrets.notices],
    problems: () => config.problems,
    sessions,
    settings: actions,
    tasks: createTaskActions({
      custody,
      sessions,
      desk,
      onExit: () => settings().tasks.onExit,
      endsHere: (taskId) => ownTasks.has(taskId),
    }),
    inbox,
    trust,
    hooks,
    plans: createPlanActions({ home, sessions }),
    checkpoints,
    skills,
    environment,
    diagnostics: selfDiagnostics,
    files: createSessionFilesView({ home, header: sessions.header, editorCommand: () => settings().editor.command }),
    agents: { list: agents.specs.list },
    mcp,
    mcpContent: mcp.content,
    backups: { view: backups.view, take: backups.take, recover },
    lend: (sessionId, means) => lent.lend(sessionId, means),
    onChange,
    async close(background) {
      desk.close()
      titles?.close()
      checkpoints.close()
      inbox.close()
      await Promise.all([agents.runs.close(), sessions.close()])
      await Promise.all([hooks.close(), mcp.close(), diagnostics.close()])
      await custody.close(background)
      config.close()
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
