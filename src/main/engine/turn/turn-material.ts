import { release } from 'node:os'
import type { RequestPrefix } from '../../../shared/model/turn/context'
import { findInstructions, isLoadable } from '../context/facts/instruction-facts'
import { cachedFacts } from '../context/facts/gather-facts'
import { systemPrompt } from '../context/prompt-prefix'
import { recordedFact } from '../context/prefix-changes'
import { repositoryRoot } from '../workspace/path/repository-root'
import type { Session } from '../session/session'
import { markAgentWritten, type EnvironmentSnapshots } from './environment-snapshot'
import { latestCompaction, loadHistory, type FrozenPrefixes, type HistoryDeps } from './session-history'
import { briefTools, toolsOfDisabledFeatures, turnTools, type ToolChoice, type TurnToolsDeps } from './turn-tools'
import type { CheckpointManager } from '../checkpoint/checkpoints'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { AgentTurn } from '../agent/subagents'
import type { FolderSettings } from '../trust/project-settings'
import type { PinnedState } from '../context/compaction/kept-content'
import type { Diagnostics } from '../diagnostics/session-diagnostics'
import type { Hooks } from '../hook/hooks'
import type { ModelAccess, TurnCalls, TurnClock } from '../loop/turn-context'
import type { ModelInfo, Provider } from '../model/provider'
import type { Recall } from '../memory/recall'
import type { Message } from '../../../shared/model/turn/message'
import type { Skills } from '../skill/skills'
import type { Workspace } from '../workspace/workspace'
import type { Store } from '../store/store'
import type { ContextWindows } from './context-windows'

/** Tools that are useless without a user to ask: every request would be denied. */
const INTERACTIVE_TOOLS = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode']
const NONE: readonly never[] = []

/** What a turn or a compaction works with: model, settings, tools, facts, and the conversation from the log. */
export type TurnMaterial = Awaited<ReturnType<ReturnType<typeof createTurnMaterial>['gather']>>

/** Gathers the contents of a session's requests. */
export function createTurnMaterial(deps: TurnRunnerDeps, prefixes: FrozenPrefixes) {
  /** The model, settings and agent of a session, and what decides which tools it has. */
  async function choose(
    session: Session,
    knownTools: ToolChoice['knownTools'] = once(() => prefixes.knownTools(session)),
  ) {
    const { header } = session
    const { info, provider } = await deps.models.resolve(header.model)
    const { settings, problems } = await deps.project.settingsFor(header.folder)
    const [agent, { skills }] = await Promise.all([
      deps.agents.turnOf(session),
      deps.project.skills.list(header.folder),
    ])
    const unavailable = {
      ...toolsOfDisabledFeatures(settings),
      ...(!settings.web.search && { WebSearch: 'No search provider is configured.' }),
      ...(!skills.some(isLoadable) && { Skill: 'There are no skills here.' }),
      ...(!settings.checkpoints.dMail && { SendDMail: 'D-Mails are off; [checkpoints] d_mail = true turns them on.' }),
      ...(!deps.canAsk(header) &&
        Object.fromEntries(INTERACTIVE_TOOLS.map((tool) => [tool, 'No user can be asked in this session.']))),
    }
    const choice: ToolChoice = { info, settings, unavailable, offers: agent.offers, knownTools }
    return { info, provider, settings, problems, agent, skills, choice }
  }

  /**
   * Everything for a request, with the conversation from the log. With `turn`, waits briefly for the tools of servers.
   */
  async function gather(session: Session, turn?: { signal: AbortSignal; knownTools: ToolChoice['knownTools'] }) {
    const { header } = session
    const { info, provider, settings, problems, agent, skills, choice } = await choose(session, turn?.knownTools)
    for (const { file, line, message } of problems)
      deps.report.log(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)
    const [tools, found] = await Promise.all([
      turnTools(deps.tools, session, choice, turn?.signal),
      findInstructions(deps.home, header.folder),
    ])
    for (const problem of found.problems) deps.report.warn(problem)
    for (const { path, line, message } of await deps.project.problemsIn(header.folder))
      deps.report.warn(`${path}${line === undefined ? '' : `:${line}`}: ${message}`)
    let instructions = await markAgentWritten(deps.project, session, found.instructions)
    let environment = await (header.prefixSeq === undefined
      ? deps.project.snapshots.take(session)
      : deps.project.snapshots.takeChanging(session))
    const isGitRepository = repositoryRoot(header.folder) !== undefined
    const { lookup } = tools
    await deps.extensions.terminals?.refresh()
    const watched = deps.extensions.terminals?.watched(session)
    const sandboxBefore = session.header.sandbox
    const facts = cachedFacts(() => {
      const { sandbox: now } = session.header
      const effective = deps.project.effectiveHeader(session)
      // Recorded again when the mode or the settings change.
      const sandbox = now === sandboxBefore ? environment.sandbox : now
      return {
        environment: {
          folder: header.folder,
          addedFolders: effective.addedFolders,
          isGitRepository,
          system: `${process.platform} ${release()} (${process.arch})`,
          today: localDay(deps.clock.now()),
          ...environment,
        },
        permission: {
          mode: effective.mode,
          canAsk: deps.canAsk(session.header),
          ...(sandbox && { sandbox }),
        },
        role: agent.role,
        instructions,
        skills: lookup.get('Skill') ? skills : NONE,
        agentTypes: lookup.get('Agent') ? agent.types : NONE,
        servers: info.toolCalls ? tools.instructions() : NONE,
        brief: info.toolCalls ? briefTools(lookup) : undefined,
        loadable: info.toolCalls ? lookup.loadable?.() : undefined,
        terminals: lookup.get('TaskOutput') ? watched?.describe() : undefined,
      }
    })
    /** The prefix that would be frozen now; after a compaction, the project is inspected again. */
    const present = async (): Promise<RequestPrefix> => {
      const [now, project] = await Promise.all([
        findInstructions(deps.home, header.folder),
        deps.project.snapshots.take(session),
      ])
      instructions = await markAgentWritten(deps.project, session, now.instructions)
      environment = project
      const known = facts()
      return { system: systemPrompt(known, agent.prompt), tools: [...lookup.schemas()], facts: known.map(recordedFact) }
    }
    // Read from the log each time, so that a turn starts from the same state after a restart.
    const compacted = latestCompaction(deps.store, header)
    // The same as when the conversation started: turning marks on or off later would change what was already sent.
    const frozen = prefixes.of(session)?.prefix.tools
    const marks = frozen
      ? frozen.some(({ name }) => name === 'SendDMail')
      : info.toolCalls && lookup.get('SendDMail') !== undefined
    const { history, telling, known } = loadHistory(historyDeps(deps), session, info, { compacted, marks })
    const loop = {
      ...settings.loop,
      maxSteps: Math.min(
        agent.maxSteps ?? settings.loop.maxSteps,
        settings.loop.maxSteps,
        deps.maxSteps?.(header) ?? settings.loop.maxSteps,
        // A schedule runs only in the first turn; later turns are the user's.
        (header.turns === 1 && header.schedule?.limits.steps) || settings.loop.maxSteps,
      ),
      ...(agent.maxRepeats !== undefined && { maxRepeats: agent.maxRepeats }),
    }
    return {
      header,
      info,
      provider,
      agent,
      settings,
      loop,
      facts,
      present,
      tools,
      history,
      telling,
      known,
      compacted,
      marks,
    }
  }

  return { choose, gather }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const digits = (number: number): string => String(number).padStart(2, '0')

function localDay(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`
}

/** What `loadHistory` needs. */
export function historyDeps({ store, tools, models }: TurnRunnerDeps): HistoryDeps {
  return { store, workspaceOf: tools.workspaceOf, windows: models.windows }
}

/** What turns need from the rest of the engine, by the part that provides it. */
export interface TurnRunnerDeps {
  home: string
  store: Store
  /** Whether a user can currently be asked about the calls of a session. */
  canAsk(header: SessionHeader): boolean
  /** The step limit of its running turn, in addition to the one in the settings. */
  maxSteps?(header: SessionHeader): number | undefined
  /** The engine's clock: time of day, and ids. */
  clock: Pick<TurnClock, 'now' | 'newId'>
  report: TurnReport
  project: TurnProject
  models: TurnModels
  tools: TurnToolsDeps & { workspaceOf(session: Session): Workspace }
  agents: TurnAgents
  tasks: TurnTasks
  extensions: TurnExtensions
}

export interface TurnReport {
  log(message: string): void
  /** Shows the user a warning; the same text only once. */
  warn(text: string): void
}

/** What is known about the folder that a session works in. */
export interface TurnProject {
  /** The header whose mode and folders apply: for a subagent, that of the user's session it belongs to. */
  effectiveHeader(session: Session): SessionHeader
  settingsFor(folder: string): Promise<FolderSettings>
  skills: Pick<Skills, 'list'>
  snapshots: EnvironmentSnapshots
  /** Problems in the agent and skill files of a folder. */
  problemsIn(folder: string): Promise<readonly { path: string; line?: number; message: string }[]>
  checkpoints: Pick<CheckpointManager, 'before' | 'recover' | 'sendDMail' | 'writtenByAgents'>
}

export interface TurnModels {
  resolve(id: string | undefined): Promise<{ info: ModelInfo; provider: Provider }>
  /** Context windows of models, as configured or learned from refusals. */
  windows: ContextWindows
}

export interface TurnAgents {
  /** The settings of a turn that come from the session's agent. */
  turnOf(session: Session): Promise<AgentTurn>
  /** Schedules the calls of a session together with those of its parent and of other subagents. */
  scheduleCalls(session: Session): NonNullable<TurnCalls['scheduleAcrossAgents']>
}

export interface TurnTasks {
  /** Prepares the task notifications that are due in the session. */
  prepareNotifications(session: Session): Promise<void>
  /** Commands that run in the background for the session. */
  running(sessionId: string): Promise<PinnedState['tasks']>
  /** Prepares a terminal and a sandbox for commands; `answering` is aborted when the model's answer starts. */
  warmUp(session: Session, answering: AbortSignal): void
  /** Records the session's sandbox status if it has changed. */
  syncSandbox?(session: Session): Promise<void>
}

/** Parts of a turn that are used only if the user has configured them. */
export interface TurnExtensions {
  hooks?: Pick<Hooks, 'forTurn'>
  diagnostics?: Pick<Diagnostics, 'forTurn'>
  /** What the model is told from memory before its next step. */
  recall?(session: Session, history: readonly Message[]): Promise<Recall | undefined>
  /** The user's terminals that the agent may watch. */
  terminals?: { refresh(): Promise<void>; watched(session: Session): { describe(): string | undefined } }
  /** Waits until the folder of a session is ready for work. */
  prepared?(session: Session, signal: AbortSignal): Promise<void>
  /** Whether the next request may be made; asks the user when a spending limit is reached. */
  beforeRequest?(session: Session, turnId: string, signal: AbortSignal): ReturnType<NonNullable<ModelAccess['mayAsk']>>
}
