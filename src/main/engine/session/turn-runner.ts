import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { visibleStretches } from '../../../shared/model/checkpoint'
import type { ContextView } from '../../../shared/model/compaction'
import type { HeldCheckpoints } from '../checkpoint/create-checkpoints'
import { CodedError } from '../../../shared/model/errors'
import type { EventBody, RecordedEvent } from '../../../shared/model/event'
import type { Message } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import type { ToolsView } from '../../../shared/model/tools-view'
import type { AgentTurn } from '../agent/subagents'
import type { FolderSettings } from '../config/project-settings'
import type { CompactionEnd } from '../context/compaction/compact'
import type { Pins } from '../context/compaction/pins'
import { createRoom, isCompactable } from '../context/create-room'
import { textTokens } from '../context/estimate'
import { recentHistory } from '../context/history'
import { findInstructions, repositoryTop } from '../context/instructions'
import { isLoadable } from '../context/skill-section'
import { systemPrompt } from '../context/system-prompt'
import type { Hooks } from '../hook/create-hooks'
import { lookupTokens } from '../context/tool-size'
import { createLoggedCounts } from '../context/logged-counts'
import { createTokenCount, type CountedRequest } from '../context/token-count'
import { windowLimits } from '../context/window-limits'
import { createCallIds } from '../loop/call-ids'
import type { TurnContext } from '../loop/turn-context'
import { runTurn, type TurnEnd } from '../loop/turn'
import type { ModelInfo, Provider } from '../model/provider'
import { planOf } from '../plan/plan-of'
import { planNotice } from '../plan/plan-notice'
import type { Skills } from '../skill/skills'
import type { ReadState, Workspace } from '../workspace/workspace'
import type { Session } from './session'
import type { TurnRunner } from './session-deps'
import type { Store } from './store'
import { toolsView, turnTools, type ToolChoice, type TurnToolsDeps } from './turn-tools'
import type { Windows } from './windows'

export interface TurnRunnerDeps extends TurnToolsDeps {
  home: string
  store: Store
  settingsFor(folder: string): Promise<FolderSettings>
  skills: Pick<Skills, 'list'>
  /** Records what the session's commands can reach, when that has changed. */
  syncSandbox?(session: Session): Promise<void>
  hooks?: Pick<Hooks, 'forTurn'>
  resolveModel(id: string | undefined): Promise<{ info: ModelInfo; provider: Provider }>
  workspaceOf(session: Session): Workspace
  /** What the agent of this session is. */
  agentTurn(session: Session): Promise<AgentTurn>
  amongAgents(session: Session): NonNullable<TurnContext['amongAgents']>
  checkpoints: Pick<HeldCheckpoints, 'before' | 'recover' | 'sendDMail'>
  /** Prepares the news of background tasks that the session is owed. */
  gatherNews(session: Session): Promise<void>
  /** Commands that run in the background for the session. */
  runningTasks(sessionId: string): Promise<Pins['tasks']>
  /** Tokens that models take; what a provider has refused is remembered. */
  windows: Windows
  /** Gets ready for commands. */
  warm(session: Session): void
  log(message: string): void
  /** Tells the user, once for each text. */
  warn(text: string): void
  now(): number
  newId(prefix: string): string
}

/** Of a conversation that was never compacted, so much is read for each token of the window; what is beyond that has no room anyway. */
const MOST_CHARS_PER_TOKEN = 12

interface HistoryNow {
  history: Message[]
  /** The provider's latest count, as long as it is of this history. */
  known: CountedRequest | undefined
}

/** Gathers what a turn needs from all over the engine, and runs it. */
export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner<Session> {
  return {
    async ready(header: SessionHeader) {
      const folder = await stat(header.folder).catch(() => undefined)
      if (!folder?.isDirectory()) throw new CodedError('session.folder_missing', `The folder ${header.folder} is not there.`)
      const { info } = await deps.resolveModel(header.model)
      return { modelId: info.id }
    },

    async run(session, turnId, signal, open): Promise<TurnEnd> {
      await deps.checkpoints.recover(session)
      await deps.gatherNews(session)
      const material = await gather(session, signal)
      const { info, provider, settings, system, tools, history, known, compacted, marks } = material
      const callId = createCallIds(history, compacted?.seq)
      // The results of the open step come with all its calls.
      if (open) history.splice(history.findLastIndex((message) => message.role !== 'tool') + 1)
      const hooks = deps.hooks?.forTurn(session, turnId, signal, settings.hooks)
      const shared = { ...base(session, material, signal), turnId }
      const ctx: TurnContext = {
        ...shared,
        provider,
        system,
        tools: tools.lookup,
        history,
        room: createRoom({
          history,
          fixed: material.fixed,
          ...(known && { known }),
          window: deps.windows.of(info),
          ...(info.maxOutputTokens !== undefined && { maxOutputTokens: info.maxOutputTokens }),
          ...(compacted && { earlier: { compactionId: compacted.compactionId, seq: compacted.seq, files: compacted.files } }),
          context: shared,
          latestMark: () => session.header.compacted,
        }),
        live: (event) => session.live(event),
        gate: session.approvals.gate,
        ask: session.approvals.ask,
        ...(hooks && { hooks }),
        keepBefore: (call) => deps.checkpoints.before(session, { turnId, workspace: deps.workspaceOf(session), signal, ...call }),
        amongAgents: deps.amongAgents(session),
        withdraw: (asked, reason) => session.approvals.withdraw(asked, reason),
        takeSteering: () => session.takeSteering(),
        planNotice: () => planNotice(session.header.plan, () => planOf(deps.home, session).file()),
        nextCheckpoint: () => (session.header.checkpoint ?? 0) + 1,
        marksCheckpoints: marks,
        goBack: async (mail) =>
          (await deps.checkpoints.sendDMail(session, mail)) ?? { history: historyNow(session, info, compacted, marks).history },
        saveResult: (id, text) => saveResult(deps.home, session.id, id, text),
        warm: () => deps.warm(session),
        maxResultChars: (tool) => settings.tools.maxResultChars[tool],
        callId,
      }
      // Beside the first request, and before the turn ends: its end is recorded last.
      const [end] = await Promise.all([runTurn(ctx, open), deps.syncSandbox?.(session)])
      return end
    },

    async compact(session, instruction, signal): Promise<CompactionEnd> {
      const material = await gather(session)
      const { info, history, fixed, known, compacted } = material
      if (!isCompactable(history)) throw new CodedError('compaction.not_needed', 'The agent has not answered anything since the beginning.')
      const { compact } = await import('../context/compaction/compact')
      return compact(base(session, material, signal), {
        history,
        reason: 'manual',
        ...windowLimits(deps.windows.of(info).tokens(), info, fixed()),
        used: createTokenCount({ history, fixed, sizes: deps.windows.of(info).sizes, ...(known && { known }) }).used(),
        fixed: fixed(),
        files: compacted?.files ?? [],
        ...(instruction !== undefined && { instruction }),
        ...(compacted && { earlier: { compactionId: compacted.compactionId, seq: compacted.seq } }),
      })
    },

    async tools(session): Promise<ToolsView> {
      const { choice } = await choose(session)
      return toolsView(deps, session, choice)
    },

    async context(session): Promise<ContextView> {
      const { contextView } = await import('../context/context-view')
      const { info, history, known, system, tools } = await gather(session)
      return contextView({
        window: deps.windows.of(info),
        model: info,
        system,
        tools: info.toolCalls ? tools.lookup.schemas() : [],
        loadable: info.toolCalls ? tools.lookup.loadable?.() : undefined,
        serverTools: info.toolCalls ? tools.cost() : undefined,
        history,
        ...(known && { known }),
      })
    },
  }

  /** Who is asked, how, and what decides which tools there are. */
  async function choose(session: Session) {
    const { header } = session
    const { info, provider } = await deps.resolveModel(header.model)
    const { settings, problems } = await deps.settingsFor(header.folder)
    const [agent, { skills }] = await Promise.all([deps.agentTurn(session), deps.skills.list(header.folder)])
    const useless = {
      ...(!settings.web.search && { WebSearch: 'No search provider is configured.' }),
      ...(!skills.some(isLoadable) && { Skill: 'There are no skills here.' }),
    }
    const choice: ToolChoice = { info, settings, useless, offers: agent.offers }
    return { info, provider, settings, problems, agent, skills, choice }
  }

  /** What is asked of whom, and the conversation as the log has it. With a signal for a turn: its tools may be waited for. */
  async function gather(session: Session, signal?: AbortSignal) {
    const { header } = session
    const { info, provider, settings, problems, agent, skills, choice } = await choose(session)
    for (const { file, line, message } of problems) deps.log(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)
    const [tools, { instructions, problems: refused }, top] = await Promise.all([
      turnTools(deps, session, choice, signal),
      findInstructions(deps.home, header.folder),
      repositoryTop(header.folder),
    ])
    for (const problem of refused) deps.warn(problem)
    const system = systemPrompt(
      {
        folder: header.folder,
        addedFolders: header.addedFolders,
        isGitRepository: top !== undefined,
        today: localDay(deps.now()),
        modelLabel: info.label,
      },
      instructions,
      tools.lookup.get('Skill') ? skills : [],
      { ...agent, types: tools.lookup.get('Agent') ? agent.types : [] },
    )
    // Read from the log each time: what a turn starts from is then the same after a restart.
    const compacted = compactionOf(deps.store, header)
    const marks = info.toolCalls && tools.lookup.get('SendDMail') !== undefined
    const { history, known } = historyNow(session, info, compacted, marks)
    const systemTokens = textTokens(system)
    const fixed = (): number => systemTokens + (info.toolCalls ? lookupTokens(tools.lookup) : 0)
    const loop = { ...settings.loop, maxSteps: Math.min(agent.maxSteps ?? settings.loop.maxSteps, settings.loop.maxSteps) }
    return { header, info, provider, settings, loop, system, tools, history, known, compacted, fixed, marks }
  }

  function historyNow(session: Session, info: ModelInfo, compacted: ReturnType<typeof compactionOf>, marks: boolean): HistoryNow {
    const events = remembering(deps.store.historyBackwards(session.id), deps.workspaceOf(session).reads)
    const counts = createLoggedCounts(info.id, deps.windows.of(info).sizes)
    const trims = trimsOf(deps.store, session.header)
    const history = recentHistory(events, info.contextWindow * MOST_CHARS_PER_TOKEN, { compacted, trims, marks, counts })
    return { history, known: counts.latest() }
  }

  /** What a turn and a compaction between turns have in common. */
  function base(session: Session, { info, provider, loop }: Awaited<ReturnType<typeof gather>>, signal: AbortSignal) {
    return {
      provider,
      model: {
        id: info.id,
        name: info.model,
        imagesIn: info.imagesIn,
        thinking: info.thinking,
        toolCalls: info.toolCalls,
        ...(info.maxOutputTokens !== undefined && { maxOutputTokens: info.maxOutputTokens }),
      },
      settings: loop,
      record: (...events: EventBody[]) => void session.record(...events),
      signal,
      now: deps.now,
      random: Math.random,
      pause: (ms: number, abort: AbortSignal) => pause(ms, undefined, { signal: abort }),
      newId: deps.newId,
      cacheKey: session.id,
      pins: async () => ({ todos: session.header.todos, tasks: await deps.runningTasks(session.id) }),
    }
  }
}

/** The compaction that stands for the beginning of the conversation. */
function compactionOf(store: Pick<Store, 'since'>, { sessionId, compacted }: SessionHeader) {
  const event = compacted && store.since(sessionId, compacted.seq - 1, 1)[0]
  return event?.type === 'compaction.finished' ? event : undefined
}

/** The trims that the conversation has not gone back over. */
function trimsOf(store: Pick<Store, 'since'>, { sessionId, seq, cuts = [], trims = [] }: SessionHeader) {
  const stretches = visibleStretches(cuts, seq)
  return trims.flatMap((trim) => {
    if (!stretches.some(({ from, to }) => trim >= from && trim <= to)) return []
    const event = store.since(sessionId, trim - 1, 1)[0]
    return event?.type === 'context.trimmed' ? [event] : []
  })
}

/** Passes events on, newest first, and notes which file contents the agent has seen: its memory survives a restart. */
function* remembering(events: Iterable<RecordedEvent>, reads: ReadState): Iterable<RecordedEvent> {
  for (const event of events) {
    const details = event.type === 'tool.finished' ? event.details : undefined
    if (
      (details?.kind === 'file' || details?.kind === 'diff') &&
      details.hash !== undefined &&
      reads.lastRead(details.path) === undefined
    ) {
      reads.markRead(details.path, details.hash)
    }
    yield event
  }
}

async function saveResult(home: string, sessionId: string, callId: string, text: string): Promise<string> {
  const folder = join(home, 'sessions', sessionId, 'tool-results')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${callId.replace(/[^\w.-]/g, '_').slice(0, 100)}.txt`)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

function localDay(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}
