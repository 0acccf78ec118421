import { join } from 'node:path'
import type { Agents } from './agent/agents'
import { addressRefusal, hiddenPaths } from './approval/rules/target-patterns'
import { createToolPins } from './approval/rules/tool-pins'
import type { CheckpointManager } from './checkpoint/checkpoints'
import type { EngineOptions } from './foundation/engine-options'
import type { EngineExecution } from './foundation/engine-execution'
import type { EngineFeatures } from './features/engine-features'
import type { EngineFoundation } from './foundation/engine-foundation'
import { clientTerminalEnv } from './environment/command-env'
import { AgentCallSchedule } from './loop/call-schedule'
import type { EngineMcp } from './mcp/engine-mcp'
import { createSessionTasks } from './session/session-tasks'
import type { SessionsTurns } from './session/sessions'
import type { TaskNotifier } from './session/task-notifier'
import { withSkill } from './skill/skills'
import type { TaskSupervisor } from './task/task-supervisor'
import { clientTools } from './turn/session/client-capabilities'
import { createContextWindows, endpointOf } from './turn/context-windows'
import { createEnvironmentSnapshots } from './turn/environment-snapshot'
import { createGateDeps, readableOutputFolders } from './turn/session/session-gate'
import { sessionPlan } from './turn/session/session-plans'
import { createSessionTools, type SessionTools, type SessionFileRules } from './turn/session/session-tools'
import type { SessionHeader } from '../../shared/model/session/session'
import type { UnattendedTurns } from './session/sessions-for-hosts'
import type { TurnRunnerDeps } from './turn/turn-material'
import { createWarmUp } from './turn/warm-up'
import { createTurnRunner } from './turn/turn-runner'
import { readArticle } from './web/web-access'

/** The parts that turns use in addition to the foundation and the parts that run programs. */
export interface EngineTurnParts {
  supervisor: TaskSupervisor
  notifier: TaskNotifier
  agents: Agents
  checkpoints: CheckpointManager
  features: EngineFeatures
  mcp: EngineMcp
}

/** Creates what sessions need to run: the tools and gate of each session, and the turn runner. */
export function createTurns(
  foundation: EngineFoundation,
  execution: EngineExecution,
  parts: EngineTurnParts,
  options: Pick<EngineOptions, 'interactive' | 'hasInbox' | 'canType'> & { unattended: UnattendedTurns },
): { tools: SessionTools; turns: SessionsTurns } {
  const { home, store, config, effectiveHeader, rulesOf, newId } = foundation
  const { sandboxes, skills, hooks } = execution
  const { agents, features, mcp } = parts
  const { interactive = false, hasInbox = interactive, unattended } = options
  const asking = {
    canAsk: (header: SessionHeader) => interactive && unattended.of(header) === undefined,
    maxSteps: (header: SessionHeader) => unattended.of(header)?.maxSteps,
  }
  const hiddenFrom: SessionFileRules['hiddenFrom'] & {} = async (session, tool, { root, addedFolders }) =>
    hiddenPaths({
      rules: await rulesOf(session),
      tool,
      root,
      addedFolders,
      home,
      ownOutput: readableOutputFolders(home, skills, session),
    })
  const tools = createTools(foundation, execution, parts, options, hiddenFrom)
  const runner = features.places.withJobs(
    createRunner(foundation, execution, parts, asking, tools, hiddenFrom),
    agents.subagents,
  )
  const gateFor = createGateDeps({
    home,
    store,
    tools,
    skills,
    effectiveHeader,
    rulesOf,
    canAsk: asking.canAsk,
    hasInbox,
    sandboxesOf: sandboxes.judging,
    toolPins: createToolPins(home),
    keepRules: (patterns) => config.allow(patterns),
    newId,
  })
  return {
    tools,
    turns: {
      runner,
      gateFor,
      chooseAgent: agents.choose,
      withSkill: ({ folder }, message) => withSkill(skills, folder, message),
      submit: hooks.submit,
      attach: ({ id }, message) => mcp.content.attach(id, message),
    },
  }
}

function createTools(
  { home, env, settings, effectiveHeader, rulesOf, network }: EngineFoundation,
  { clientCapabilities, machine, skills, hooks, sandboxes }: EngineExecution,
  { supervisor, notifier, agents, checkpoints, features }: EngineTurnParts,
  { interactive = false, canType = interactive }: Pick<EngineOptions, 'interactive' | 'canType'>,
  hiddenFrom: SessionFileRules['hiddenFrom'] & {},
): SessionTools {
  const clientToolsOf = clientTools(clientCapabilities, {
    home,
    env: () => clientTerminalEnv(process.env, settings()),
    sandboxEnv: env,
    hostedFor: (start) => machine.hostedFor(start),
  })
  return createSessionTools({
    skills,
    featureTools: features.tools,
    files: { writeHooksOf: hooks.writesOf, hiddenFrom, editorOf: (session) => clientToolsOf(session)?.files },
    commandsOf: (session) => clientToolsOf(session)?.terminals ?? supervisor.terminals,
    sandboxOf: sandboxes.forTools,
    effectiveHeader,
    agentsOf: (session, allTools) => agents.subagents.forSession(session, allTools),
    checkpointsOf: (session) => ({
      previewDMail: (mail) => checkpoints.lookBack(session, { kind: 'd-mail', ...mail }),
    }),
    tasksOf: (session) => createSessionTasks(session, { supervisor, notifier, interactive, canType }),
    terminalsOf: features.terminals.watched,
    planOf: (session) => sessionPlan(home, session),
    webOf: (session) => ({
      allowedHosts: () => settings().web.allowedHosts,
      search: () => settings().web.search,
      refusal: async (url) => addressRefusal(await rulesOf(session), url),
      readArticle,
      network,
    }),
  })
}

function createRunner(
  foundation: EngineFoundation,
  { clientCapabilities, skills, hooks, diagnostics, sandboxes }: EngineExecution,
  { supervisor, notifier, agents, checkpoints, features, mcp }: EngineTurnParts,
  asking: Pick<TurnRunnerDeps, 'canAsk' | 'maxSteps'>,
  tools: SessionTools,
  hiddenFrom: SessionFileRules['hiddenFrom'] & {},
): SessionsTurns['runner'] {
  const { home, store, settings, settingsFor, effectiveHeader, env, catalog, environment } = foundation
  const { background, log, warn, now, newId } = foundation
  const family = new AgentCallSchedule()
  return createTurnRunner({
    home,
    store,
    ...asking,
    clock: { now, newId },
    report: { log, warn },
    project: {
      effectiveHeader,
      settingsFor,
      skills,
      snapshots: createEnvironmentSnapshots({
        home,
        env,
        sandboxOf: sandboxes.statusOf,
        hiddenFrom: (session) => hiddenFrom(session, 'ListDirectory', tools.workspaceOf(session)),
        isUntrusted: async ({ header }) =>
          ['asked', 'changed', 'refused'].includes((await settingsFor(header.folder)).trust.state),
        hasOtherTerminals: (session) => clientCapabilities.of(session)?.terminals !== undefined,
      }),
      problemsIn: async (folder) => [...(await agents.specs.problems(folder)), ...(await skills.list(folder)).problems],
      checkpoints,
    },
    models: {
      resolve: catalog.resolve,
      windows: createContextWindows({
        file: join(home, 'cache', 'windows.json'),
        endpointOf: (id) => endpointOf(settings().providers[id]),
      }),
    },
    tools: { ...tools, serverTools: mcp.serverTools },
    agents: {
      turnOf: agents.subagents.turnOf,
      scheduleCalls:
        ({ id, header }) =>
        (accesses, signal, work) =>
          family.run(header.agent?.rootId ?? id, accesses, signal, work),
    },
    tasks: {
      prepareNotifications: notifier.prepareForTurn,
      running: async (sessionId) =>
        (await supervisor.list({ activeOnly: true, limit: 50, sessionId })).filter(({ background }) => background),
      syncSandbox: sandboxes.sync,
      warmUp: createWarmUp({
        onCommand: (listener) => void supervisor.onChange(listener),
        // Its commands run in the editor's terminals.
        usesOwnTerminals: (session) => !clientCapabilities.of(session)?.terminals,
        ready: environment.ready,
        prepare: async (session) => supervisor.terminals.warm(await sandboxes.usual(session)),
        background,
      }),
    },
    extensions: {
      hooks,
      diagnostics,
      recall: features.memory.recall,
      terminals: features.terminals,
      prepared: features.worktrees.prepared,
      beforeRequest: features.usage.beforeRequest,
    },
  })
}
