import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createAgentRuns } from './agent/agent-runs'
import { withAgents } from './agent/agent-custody'
import { createAgentSpecs } from './agent/agent-specs'
import { builtInAgents } from './agent/built-in-agents'
import { createSubagents } from './agent/subagents'
import { createInbox, type OpenInbox } from './approval/inbox'
import { addressRefusal } from './approval/address-refusal'
import type { PermissionRule } from './approval/rules/permission-rule'
import { sessionRules } from './approval/rules/session-rules'
import { openConfig } from './config/config'
import { createFolderSettings } from './config/folder-settings'
import { createTrust } from './config/trust/create-trust'
import { resolveHome } from './config/home'
import { createCheckpoints, type HeldCheckpoints } from './checkpoint/create-checkpoints'
import { createSecrets, type Cipher } from './config/secrets'
import { createSettingsActions } from './config/settings-actions'
import type { Settings } from './config/settings'
import { isAgentId } from '../../shared/model/agent'
import { failureOf } from '../../shared/model/errors'
import type { Engine, EngineChange } from './engine-api'
import { repositoryTop } from './context/instructions'
import { createHooks } from './hook/create-hooks'
import { FamilySchedule } from './loop/family-schedule'
import { createAskModel } from './mcp/ask/ask-model'
import { createMcp } from './mcp/create-mcp'
import { serverTools } from './mcp/tool/server-tools'
import { createCatalog } from './model/catalog'
import { createLentMeans } from './session/client-means'
import { createGateOf } from './session/gate-of'
import { createNewsDesk, type NewsDesk } from './session/news-desk'
import type { Session, SessionDeps } from './session/session'
import { createSessionTasks } from './session/session-tasks'
import { createSessionTools } from './session/session-tools'
import { createTaskActions } from './session/task-actions'
import { createSessions, summaryOf } from './session/sessions'
import { createTurnRunner } from './session/turn-runner'
import { createWindows } from './session/windows'
import { createPlanActions } from './plan/plan-actions'
import { planOf } from './plan/plan-of'
import { openStore } from './session/sqlite/open-store'
import { builtInSkills } from './skill/built-in-skills'
import { openSkillCache } from './skill/skill-cache'
import { createSkills } from './skill/skills'
import { withSkill } from './skill/with-skill'
import { borrowedTerminals } from './task/borrowed-terminals'
import { borrowedEnv, commandEnv } from './task/command-env'
import { createTerminalTasks } from './task/create-terminal-tasks'
import type { TaskHostProgram } from './task/custody/connect-task-host'
import { createTaskCustody } from './task/custody/create-task-custody'
import { startArticleWorker } from './web/start-article-worker'
import { TOOL_LIST } from './tool/tool-list'

export interface EngineOptions {
  version: string
  /** Default: TRESTLE_HOME, else ~/.trestle. */
  home?: string
  /** Encrypts keys typed into the app; default: a file only the user can read. */
  cipher?: Cipher
  /** Overrides `[loop] max_steps`. */
  maxSteps?: number
  /** Whether a person can be asked for approvals as long as this engine runs; default false: asking means denied. */
  interactive?: boolean
  /** Whether that person can type at the terminals of commands; default: as `interactive`. */
  canType?: boolean
  /** Whether config.toml is watched for changes; default true. */
  watch?: boolean
  /** Whether queued prompts start by themselves; default true. */
  runsQueue?: boolean
  /** How the task host is started; without it nothing can be put into the background. */
  taskHost?: TaskHostProgram
  /** Where bugs are written down. */
  log?(message: string): void
}

/** Puts the product together: the only place that knows all parts. The caller closes it. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { version, maxSteps, interactive = false, log = (message) => process.stderr.write(`trestle: ${message}\n`) } = options
  const home = realpathSync(resolveHome(options.home))
  const { store, notices } = openStore({ home })
  const config = await openConfig({ home, watch: options.watch ?? true })
  const secrets = createSecrets({ home, ...(options.cipher && { cipher: options.cipher }) })
  const settings = (): Settings =>
    maxSteps === undefined ? config.settings : { ...config.settings, loop: { ...config.settings.loop, maxSteps } }
  const catalog = createCatalog({ settings, keyFor: secrets.keyFor })
  const listeners = new Set<(change: EngineChange) => void>()
  const tell = (change: EngineChange): void => {
    for (const listener of listeners) listener(change)
  }
  const settingsFor = createFolderSettings({ home, settings, onChanged: (folder) => tell({ kind: 'trust', folder }) })
  /** What counts for a subagent: the mode, the rules and the folders of the person's session it belongs to. */
  const standing = ({ header }: Pick<Session, 'header'>): Session['header'] => (header.agent && store.header(header.agent.rootId)) ?? header
  const rulesOf = async ({ header }: Session): Promise<PermissionRule[]> => [
    ...(await settingsFor(header.folder)).settings.permission.rules,
    // What was allowed for a subagent of a session is allowed for all of them, and counts here even while another process has that session.
    ...sessionRules([...new Set([...(standing({ header }).rules ?? []), ...(header.rules ?? [])])]),
  ]
  const env = (): Record<string, string> => commandEnv(process.env, settings())
  const machine = createTaskCustody({
    home,
    interactive,
    env,
    settings: () => settings().tasks,
    local: createTerminalTasks({ outputDir: join(home, 'tasks'), home, env, logBytes: () => settings().tasks.logBytes }),
    ...(options.taskHost && { program: options.taskHost }),
  })
  const custody = withAgents(machine, () => agentRuns)
  custody.onChange((task) => tell({ kind: 'task', task }))
  custody.onRemoved((taskId) => tell({ kind: 'task.removed', taskId }))
  custody.onNotice((text) => tell({ kind: 'notice', text, tone: 'warning' }))
  const skillCache = once(() => openSkillCache(join(home, 'cache', 'skills.json')))
  const skills = createSkills({ home, userHome: homedir(), builtIn: builtInSkills(), cache: skillCache, repositoryTop })
  const hooks = createHooks({
    home,
    interactive,
    env,
    hooksOf: async (folder) => (await settingsFor(folder)).settings.hooks,
    now: Date.now,
  })
  const mcp = createMcp({
    home,
    userHome: homedir(),
    version,
    ...(options.cipher && { cipher: options.cipher }),
    env,
    settings: () => settings().mcp,
    watch: options.watch ?? true,
    tell: () => tell({ kind: 'mcp' }),
    onTrusted: (folder) => tell({ kind: 'trust', folder }),
    askModel: createAskModel({
      resolveModel: async (sessionId) => catalog.resolve(store.header(sessionId)?.model),
      settings: () => settings().loop,
    }),
    userOf(sessionId) {
      const header = store.header(sessionId)
      return header && { sessionId: standing({ header }).sessionId, folder: standing({ header }).folder }
    },
    foldersOf(sessionId) {
      const header = store.header(sessionId)
      return header ? [header.folder, ...header.addedFolders] : []
    },
    log,
  })
  const lent = createLentMeans()
  const tools = createSessionTools({
    lentTo(session) {
      const means = lent.of(session)
      if (!means) return undefined
      const { files, terminals: lender } = means
      const terminals = lender && borrowedTerminals(lender, { home, env: () => borrowedEnv(process.env, settings()) })
      return { ...(files && { files }), ...(terminals && { terminals }) }
    },
    skills,
    writeHooksOf: hooks.writesOf,
    terminals: custody.terminals,
    standing,
    agentsOf: (session) => subagents.of(session),
    checkpointsOf: (session) => ({ look: (mail) => checkpoints.lookBack(session, { kind: 'd-mail', ...mail }) }),
    tasksOf: (session) => createSessionTasks(session, { custody, desk, interactive, canType: options.canType ?? interactive }),
    planOf: (session) => planOf(home, session),
    webOf: (session) => ({
      allowedHosts: () => settings().web.allowedHosts,
      search: () => settings().web.search,
      refusal: async (url) => addressRefusal(await rulesOf(session), url),
      startArticleWorker,
    }),
  })
  const family = new FamilySchedule()
  const runner = createTurnRunner({
    home,
    store,
    settingsFor,
    resolveModel: catalog.resolve,
    ...tools,
    serverTools: (session, signal) => {
      const { sessionId, folder } = standing(session)
      return serverTools(mcp, { sessionId, folder }, signal)
    },
    skills,
    hooks,
    now: Date.now,
    newId,
    agentTurn: (session) => subagents.turnOf(session),
    amongAgents:
      ({ id, header }) =>
      (accesses, signal, work) =>
        family.run(header.agent?.rootId ?? id, accesses, signal, work),
    gatherNews: (session) => desk.gather(session),
    runningTasks: async (sessionId) =>
      (await custody.list({ activeOnly: true, limit: 50, sessionId })).filter(({ background }) => background),
    windows: createWindows(),
    checkpoints: {
      before: (session, call) => checkpoints.before(session, call),
      recover: (session) => checkpoints.recover(session),
      sendDMail: (session, mail) => checkpoints.sendDMail(session, mail),
    },
    warm: () => custody.terminals.warm(),
    log,
  })
  const sessionDeps: SessionDeps = {
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
      keepRules: (patterns) => config.allow(patterns),
      newId,
    }),
    withSkill: ({ folder }, parts) => withSkill(skills, folder, parts),
    newId,
    now: Date.now,
    interactive,
    runsQueue: options.runsQueue ?? true,
    submit: hooks.submit,
    attach: ({ id }, parts) => mcp.content.attach(id, parts),
    onRecorded(session, before, events = []) {
      const { agent, rules } = session.header
      if (events.some((event) => event.type === 'checkpoint.restored' && event.conversation)) tools.forgetReads(session)
      // A subagent is not among the user's sessions: it is listed as a task.
      if (!isAgentId(session.id)) tell({ kind: 'session', summary: summaryOf(session.header) })
      inbox.changed(before, session.header)
      if (before && agent && rules && rules !== before.rules) allowForFamily(agent.rootId, session.id, rules)
      hooks.recorded(session, events)
      if (events.some(({ type }) => type === 'session.changed')) mcp.rootsChanged()
      if (session.header.archived && before?.archived === false) mcp.leave(session.id)
    },
    log,
  }
  const sessions = createSessions({
    ...sessionDeps,
    defaults: () => ({
      mode: settings().defaultPermissionMode,
      ...(catalog.defaultModel() !== undefined && { model: catalog.defaultModel() }),
    }),
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
  /** What is allowed for the session at the request of a subagent is allowed for the person's session. */
  const allowForFamily = (rootId: string, agentId: string, patterns: string[]): void => {
    void sessions
      .withSession(rootId, (root) => {
        root.record({ type: 'rules.allowed', patterns, agentId })
        return sessions.reconsider()
      })
      // Where another process has it, the rule counts for this subagent alone.
      .catch((error: unknown) => log(`A rule stays with ${agentId}: ${failureOf(error).message}`))
  }
  const agentRuns = createAgentRuns({
    home,
    store,
    sessions,
    settings: () => settings().agents,
    onChange: (task) => custody.changed(task),
    log,
  })
  const agentSpecs = createAgentSpecs({ home, builtIn: builtInAgents() })
  const subagents = createSubagents({
    home,
    store,
    sessions,
    specs: agentSpecs,
    runs: agentRuns,
    settings: () => settings().agents,
    allTools: tools.allTools,
    look: (sessionId, taskIds) => void desk.look(sessionId, taskIds),
  })
  const desk: NewsDesk = createNewsDesk({ custody, store, sessions, startsTurns: interactive, now: Date.now, log })
  desk.start()
  const trust = createTrust({
    home,
    now: Date.now,
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
    machine.beginSoon((error) => log(`looking for tasks failed: ${describe(error)}`))
  }
  const actions = createSettingsActions({ config, secrets, catalog, tools: TOOL_LIST, onModels: () => tell({ kind: 'models' }) })
  config.onChange(() => {
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
    tasks: createTaskActions({ custody, sessions, desk, onExit: () => settings().tasks.onExit }),
    inbox,
    trust,
    hooks,
    plans: createPlanActions({ home, sessions }),
    checkpoints,
    skills,
    agents: { list: agentSpecs.list },
    mcp,
    mcpContent: mcp.content,
    lend: (sessionId, means) => lent.lend(sessionId, means),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close(background) {
      desk.close()
      checkpoints.close()
      inbox.close()
      await Promise.all([agentRuns.close(), sessions.close()])
      await Promise.all([hooks.close(), mcp.close()])
      await custody.close(background)
      config.close()
      store.close()
    },
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** What `make` makes, made when it is first asked for. */
function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | undefined
  return () => (made ??= { value: make() }).value
}

/** Unique without a counter, so that two processes never give the same. */
function newId(prefix: string): string {
  return `${prefix}-${randomBytes(8).toString('hex')}`
}
