import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { ContextView, RequestPrefix, ToolsView } from '../../../shared/model/turn/context'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import type { AgentTurn } from '../agent/subagents'
import type { CompactionEnd } from '../context/compaction/compact'
import { createContextBudget, isCompactable } from '../context/context-budget'
import { nestedInstructions } from '../context/facts/nested-instructions'
import { createPromptPrefix, type SessionPrefix } from '../context/prompt-prefix'
import { prefixTokens, type SentTo } from '../context/tokens/token-estimate'
import { createTokenCount } from '../context/tokens/token-count'
import { contextLimits } from '../context/compaction/context-limits'
import { createCallIds, createFrozenPrefixes, latestCompaction, loadHistory } from './session-history'
import type { ContextBudget, TurnCalls, TurnContext, TurnModel } from '../loop/turn-context'
import { runTurn, type TurnEnd } from '../loop/turn'
import type { ModelInfo, ToolSchema } from '../model/provider'
import { sessionPlan } from './session/session-plans'
import { planNotice } from '../plan/session-plan'
import { createModelFallback } from './model-fallback'
import { saveResult } from './save-result'
import { markAgentWritten } from './environment-snapshot'
import type { Session } from '../session/session'
import type { TurnRunner } from '../session/session-deps'
import { createTurnMaterial, historyDeps, type TurnMaterial, type TurnRunnerDeps } from './turn-material'
import { toolsView } from './turn-tools'

/** Runs turns, compactions and context views with everything they need from the rest of the engine. */
export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner<Session> {
  const prefixes = createFrozenPrefixes(deps.store)
  const { checkpoints } = deps.project
  const { windows } = deps.models
  const { choose, gather } = createTurnMaterial(deps, prefixes)

  return {
    async ready(session: Session) {
      const { header } = session
      const folder = await stat(header.folder).catch(() => undefined)
      if (!folder?.isDirectory())
        throw new CodedError('session.folder_missing', `The folder ${header.folder} does not exist.`)
      // Runs the snapshot's programs while the provider's package loads.
      if (header.prefixSeq === undefined) deps.project.snapshots.prefetch(session)
      const { info } = await deps.models.resolve(header.model)
      return { modelId: info.id }
    },

    async run(session, turnId, signal, open): Promise<TurnEnd> {
      await deps.extensions.prepared?.(session, signal)
      await checkpoints.recover(session)
      await deps.tasks.prepareNotifications(session)
      // The tools depend on which ones the prefix contains, and the prefix is created from the tools.
      const created: { prefix?: SessionPrefix } = {}
      const material = await gather(session, { signal, knownTools: () => created.prefix?.knownTools() })
      const { header, info, settings, tools, history, known, compacted, marks } = material
      let { telling } = material
      const prefix = createPromptPrefix({
        current: () => prefixes.of(session),
        freeze: async () => void session.record({ type: 'prefix.frozen', ...(await material.present()) }),
        eventsSince: (seq) => telling.filter((event) => event.seq > seq),
        facts: material.facts,
        tools: () => (info.toolCalls ? tools.lookup.schemas() : prefix.tools),
      })
      created.prefix = prefix
      await prefix.renew()
      const callId = createCallIds(history, compacted?.seq)
      // The open step adds the results of all its calls, including those recorded before.
      if (open && open.calls.length > 0) history.splice(history.findLastIndex((message) => message.role !== 'tool') + 1)
      if (open?.isCutOff && history.at(-1)?.role === 'assistant') history.pop()
      const record = (...events: EventBody[]): void => {
        session.record(...events)
        for (const event of events) prefix.onRecorded(event)
      }
      const shared = { ...base(session, material, signal, prefix), turnId, record }
      const budgetFor = (
        of: ModelInfo,
        { known: counted, compacted: first }: Pick<TurnMaterial, 'known' | 'compacted'>,
      ): ContextBudget =>
        createContextBudget({
          history,
          fixed: () => requestPrefixTokens(prefix, of),
          ...(counted && { known: counted }),
          window: windows.of(of),
          ...(of.maxOutputTokens !== undefined && { maxOutputTokens: of.maxOutputTokens }),
          ...(of.traits && { traits: of.traits }),
          to: sentTo(of),
          ...(first && session.header.compacted && { earlier: { ...session.header.compacted, files: first.files } }),
          context: shared,
          latestMark: () => session.header.compacted,
        })
      const ctx: TurnContext = {
        ...shared,
        // The same object: after a fallback, compaction asks the model that took over.
        model: shared.model,
        tools: tools.lookup,
        live: (event) => session.live(event),
        leaves: () => session.isLeaving,
        conversation: {
          prefix,
          history,
          budget: budgetFor(info, { known, compacted }),
          takeSteering: () => session.takeSteering(),
          planNotice: () =>
            planNotice(session.header.plan, () => sessionPlan(deps.home, session).file(), deps.canAsk(session.header)),
          ...(settings.features.memory &&
            deps.extensions.recall && { recall: () => deps.extensions.recall!(session, history) }),
          instructionsFor: (touched) =>
            nestedInstructions(touched, {
              folder: header.folder,
              addedFolders: deps.project.effectiveHeader(session).addedFolders,
              home: deps.home,
              history,
              markOwn: (files) => markAgentWritten(deps.project, session, files),
            }),
        },
        calls: {
          ...callsOf(session, material, turnId, signal),
          callId,
        },
        checkpoints: {
          next: () => (session.header.checkpoint ?? 0) + 1,
          areMarked: marks,
          backUp: (call) =>
            checkpoints.before(session, { turnId, workspace: deps.tools.workspaceOf(session), signal, ...call }),
          async goBack(mail) {
            const problem = await checkpoints.sendDMail(session, mail)
            if (problem) return problem
            const now = loadHistory(historyDeps(deps), session, info, { compacted, marks })
            telling = now.telling
            prefix.reload()
            return now
          },
        },
      }
      const { beforeRequest } = deps.extensions
      if (beforeRequest) ctx.model.mayAsk = () => beforeRequest(session, turnId, signal)
      const to = material.agent.parentModel ?? settings.fallbackModel
      if (to !== undefined) {
        ctx.model.fallBack = createModelFallback(ctx, {
          to,
          quiet: material.agent.parentModel !== undefined,
          resolveModel: deps.models.resolve,
          modelOf: (other) => modelOf(session, material.agent, other),
          // The other model has its own window and counts tokens differently.
          budgetOf: (other) =>
            budgetFor(other, { known: undefined, compacted: latestCompaction(deps.store, session.header) }),
          used: () =>
            createTokenCount({
              history,
              fixed: () => requestPrefixTokens(prefix, info),
              sizes: windows.of(info).sizes,
              to: sentTo(info),
              ...(known && { known }),
            }).used(),
          log: deps.report.log,
        })
      }
      // In parallel with the turn, but awaited: the end of the turn is recorded last.
      const [end] = await Promise.all([runTurn(ctx, open), deps.tasks.syncSandbox?.(session)])
      return end
    },

    async compact(session, instruction, signal): Promise<CompactionEnd> {
      const material = await gather(session)
      const { info, history, header, known, compacted } = material
      if (!isCompactable(history))
        throw new CodedError('compaction.not_needed', 'The agent has not answered anything since the beginning.')
      const prefix = prefixes.of(session)?.prefix ?? (await material.present())
      const fixed = requestPrefixTokens(prefix, info)
      const { compact } = await import('../context/compaction/compact')
      return compact(base(session, material, signal, prefix), {
        history,
        reason: 'manual',
        ...contextLimits(windows.of(info).tokens(), info, fixed),
        used: createTokenCount({
          history,
          fixed: () => fixed,
          sizes: windows.of(info).sizes,
          to: sentTo(info),
          ...(known && { known }),
        }).used(),
        fixed,
        files: compacted?.files ?? [],
        ...(instruction !== undefined && { instruction }),
        ...(header.compacted && { earlier: header.compacted }),
      })
    },

    async tools(session): Promise<ToolsView> {
      const { choice } = await choose(session)
      return toolsView(deps.tools, session, choice)
    },

    async context(session): Promise<ContextView> {
      const { contextView } = await import('../context/context-view')
      const { info, history, known, tools, present } = await gather(session)
      const prefix = prefixes.of(session)?.prefix ?? (await present())
      return contextView({
        window: windows.of(info),
        model: info,
        system: prefix.system,
        tools: info.toolCalls ? prefix.tools : [],
        serverTools: info.toolCalls ? tools.cost() : undefined,
        history,
        ...(known && { known }),
      })
    },
  }

  /** How the session's calls are allowed, run and reported. */
  function callsOf(
    session: Session,
    { settings, tools }: TurnMaterial,
    turnId: string,
    signal: AbortSignal,
  ): Omit<TurnCalls, 'callId'> {
    const { approvals } = session
    const { diagnostics } = deps.extensions
    const hooks = deps.extensions.hooks?.forTurn(session, turnId, signal, settings.hooks)
    return {
      gate: approvals.gate,
      ask: approvals.ask,
      withdraw: (asked, reason) => approvals.withdraw(asked, reason),
      ...(hooks && { hooks }),
      ...(diagnostics &&
        settings.diagnostics.enabled &&
        canEdit(tools.lookup) && { diagnostics: diagnostics.forTurn(session) }),
      scheduleAcrossAgents: deps.agents.scheduleCalls(session),
      saveResult: (id, text) => saveResult(deps.home, session.id, id, text),
      maxResultChars: (tool) => settings.tools.maxResultChars[tool],
      warmUp: (answering) => deps.tasks.warmUp(session, answering),
    }
  }

  /** What turns and compactions between turns share. */
  function base(
    session: Session,
    { info, provider, settings, loop, agent }: TurnMaterial,
    signal: AbortSignal,
    prefix: Pick<RequestPrefix, 'system' | 'tools'> | SessionPrefix,
  ) {
    return {
      prefix,
      model: {
        provider,
        info: modelOf(session, agent, info),
        cacheKey: session.id,
        cache: settings.cache.long ? ('long' as const) : ('short' as const),
      },
      settings: loop,
      record: (...events: EventBody[]) => void session.record(...events),
      signal,
      clock: {
        // Monotonic: only differences are used, and setting the system clock does not change them.
        now: () => Math.round(performance.now()),
        random: Math.random,
        pause: (ms: number, abort: AbortSignal) => pause(ms, undefined, { signal: abort }),
        newId: deps.clock.newId,
      },
      pins: async () => ({ todos: session.header.todos, tasks: await deps.tasks.running(session.id) }),
    }
  }
}

/** Tokens of everything in a request except the conversation. */
function requestPrefixTokens(
  { system, tools }: Pick<RequestPrefix, 'system'> & { tools: readonly ToolSchema[] },
  info: ModelInfo,
): number {
  return prefixTokens(system, info.toolCalls ? tools : [])
}

/**
 * What the loop needs to know about a model. Effort: that of the turn, the session, the agent, or the model's settings;
 * else the vendor's default.
 */
function modelOf({ header }: Session, agent: AgentTurn, info: ModelInfo): TurnModel {
  const effort = header.turnEffort ?? header.effort ?? agent.effort ?? info.effort
  return {
    id: info.id,
    name: info.model,
    imagesIn: info.imagesIn,
    thinking: info.thinking,
    toolCalls: info.toolCalls,
    ...(info.maxOutputTokens !== undefined && { maxOutputTokens: info.maxOutputTokens }),
    ...(effort !== undefined && { effort }),
    ...(info.traits && { traits: info.traits }),
  }
}

/** Which thinking in the history is sent to a model. */
function sentTo({ id, traits }: ModelInfo): SentTo {
  return { modelId: id, ...((traits?.bindsThinking || traits?.losesStaleThinking) && { losesStale: true }) }
}

/** Whether the agent has a tool that changes files; if not, it gets no diagnostics. */
function canEdit(tools: TurnContext['tools']): boolean {
  return ['Edit', 'Write', 'apply_patch'].some((name) => tools.get(name) !== undefined)
}
