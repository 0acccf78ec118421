import { ignoreOthers } from './event-uses'
import type { SessionAgent } from '../model/session/agent'
import type { EffortChoice } from '../model/turn/effort'
import type { RecordedEvent } from './event'
import type { Usage } from '../model/turn/message'
import type { SessionHeader, ThirdParty } from '../model/session/session'
import type { PendingNotification, TaskNotification } from '../model/task/task'
import type { PlanState } from '../model/turn/plan'

const NO_USAGE = { input: 0, output: 0, cached: 0, thinking: 0 }

/** The header of a session whose first event (`session.created`) has not been folded yet. */
export function emptyHeader(sessionId: string): SessionHeader {
  return {
    sessionId,
    folder: '',
    addedFolders: [],
    title: '',
    titleIsCustom: false,
    mode: 'ask',
    createdAt: 0,
    updatedAt: 0,
    seq: 0,
    archived: false,
    queue: [],
    approvals: [],
    allowed: [],
    todos: [],
    news: [],
    spent: NO_USAGE,
    turns: 0,
  }
}

/** The third party whose text is in the results of a tool. */
function thirdPartyOf(tool: string): ThirdParty | undefined {
  if (tool === 'FetchURL' || tool === 'WebSearch') return 'web'
  if (tool === 'MailRead' || tool === 'MailSearch') return 'mail'
  return tool.startsWith('mcp__') ? 'server' : undefined
}

/** Folds one recorded event into the header. Pure; returns a new header. */
export function applyHeader(header: SessionHeader, event: RecordedEvent): SessionHeader {
  const next = { ...header, seq: event.seq, updatedAt: event.at }
  switch (event.type) {
    case 'session.created':
      return {
        ...next,
        folder: event.folder,
        title: event.title,
        mode: event.mode,
        addedFolders: event.addedFolders,
        createdAt: event.at,
        ...(event.model !== undefined && { model: event.model }),
        ...(event.effort !== undefined && { effort: event.effort }),
        ...(event.agent && { runsAs: event.agent }),
        // It has the name of its schedule, whatever the prompt is.
        ...(event.schedule && { schedule: event.schedule, titleIsCustom: true }),
        ...(event.imported && { imported: event.imported, titleIsCustom: true }),
      }
    case 'session.changed': {
      // The prefix contains the folder: the next turn freezes a new one.
      const moved = event.folder === undefined ? next : { ...withoutPrefix(next), folder: event.folder }
      return {
        ...withAgent(
          withEffort(event.model === undefined ? moved : withLearnedWindow(moved, {}), event.effort),
          event.agent,
        ),
        ...(event.title !== undefined && { title: event.title, titleIsCustom: event.titleIsCustom ?? true }),
        ...(event.model !== undefined && { model: event.model }),
        ...(event.mode !== undefined && { mode: event.mode }),
        ...(event.addedFolders !== undefined && { addedFolders: event.addedFolders }),
        ...(event.archived !== undefined && { archived: event.archived }),
      }
    }
    case 'session.sealed': {
      const { moveId, epoch, to, place, at } = event
      // Tasks stay here: the agent is no longer notified when they end.
      return { ...next, epoch, sealed: { moveId, to, at, ...(place !== undefined && { place }) }, news: [] }
    }
    case 'session.unsealed':
      return withoutSeal(next)
    case 'session.received': {
      const { folder, mode, epoch } = event
      const {
        // Permissions granted at another place do not apply here.
        rules: _rules,
        sandbox: _sandbox,
        sandboxAllowed: _opened,
        // Nothing runs while a session moves: an open turn in the file would ask with options of its author.
        turnId: _turn,
        turnEffort: _effort,
        ...rest
      } = withoutSeal(withoutPrefix(next))
      return { ...rest, folder, mode, epoch, addedFolders: [], allowed: [], approvals: [], news: [] }
    }
    case 'prompt.queued':
      return {
        ...next,
        queue: [
          ...header.queue,
          { promptId: event.promptId, parts: event.parts, ...(event.effort && { effort: event.effort }) },
        ],
      }
    case 'prompt.edited':
      return {
        ...next,
        queue: header.queue.map((prompt) =>
          prompt.promptId === event.promptId ? { ...prompt, parts: event.parts } : prompt,
        ),
      }
    case 'prompt.joins':
      return {
        ...next,
        queue: header.queue.map((prompt) => (prompt.promptId === event.promptId ? { ...prompt, joins: true } : prompt)),
      }
    case 'prompt.moved': {
      const prompt = header.queue.find(({ promptId }) => promptId === event.promptId)
      const others = header.queue.filter((one) => one !== prompt)
      return prompt ? { ...next, queue: others.toSpliced(event.to, 0, prompt) } : next
    }
    case 'prompt.removed':
      return { ...next, queue: header.queue.filter((prompt) => prompt.promptId !== event.promptId) }
    case 'agent.started': {
      const { type: _type, sessionId: _id, seq: _seq, at, ...start } = event
      return { ...next, agent: { ...start, status: 'running', isQueued: true, startedAt: at, answerBytes: 0 } }
    }
    case 'agent.moved':
      return header.agent ? { ...next, agent: { ...header.agent, background: true } } : next
    case 'agent.ended': {
      if (!header.agent) return next
      const { isQueued: _queued, ...agent } = header.agent
      const { status, reason, answerBytes } = event
      return {
        ...next,
        agent: { ...agent, status, endedAt: event.at, answerBytes, ...(reason !== undefined && { reason }) },
      }
    }
    case 'subagent.defined': {
      const others = (header.subagentTypes ?? []).filter(({ name }) => name !== event.definition.name)
      return { ...next, subagentTypes: [...others, event.definition] }
    }
    case 'sandbox.changed':
      return { ...next, sandbox: event.sandbox }
    case 'sandbox.allowed':
      return { ...next, sandboxAllowed: [...(header.sandboxAllowed ?? []), event.denied] }
    case 'rules.allowed':
      return { ...next, rules: withRules(header.rules, event.patterns.join('\n')) }
    case 'turn.started':
      return {
        ...withoutFailure(next),
        ...(header.agent?.isQueued && { agent: { ...header.agent, isQueued: false } }),
        turnId: event.turnId,
        ...(event.effort && { turnEffort: event.effort }),
        turns: header.turns + 1,
        queue: header.queue.filter((prompt) => prompt.promptId !== event.promptId),
        news: withoutNotification(header.news, event.news),
      }
    case 'turn.steered':
      return {
        ...next,
        queue: header.queue.filter((prompt) => prompt.promptId !== event.promptId),
        news: withoutNotification(header.news, event.news),
        ...(event.plan && header.plan && { plan: { ...header.plan, told: event.plan === 'on' } }),
      }
    case 'prefix.frozen':
      return { ...next, prefixSeq: event.seq }
    case 'task.started':
      if (header.news.some(({ taskId, now }) => taskId === event.task.taskId && !now)) return next
      return { ...next, news: [...header.news, { taskId: event.task.taskId }] }
    case 'news.requested':
      return { ...next, news: [...header.news, { taskId: event.taskId, now: true }] }
    case 'tool.finished': {
      const party = event.isError ? undefined : thirdPartyOf(event.name)
      const read = party ? { ...next, thirdParty: { ...header.thirdParty, [party]: event.turnId } } : next
      if (event.details?.kind === 'tools') return { ...read, ...withLoaded(header, event.details.tools) }
      // A result that reports how a task was stopped replaces the notification of its end.
      if (event.details?.kind !== 'task' || !event.details.told) return read
      return { ...read, news: withoutNotification(header.news, [event.details.task]) }
    }
    case 'step.started':
      return event.checkpoint === undefined ? next : { ...next, checkpoint: event.checkpoint }
    case 'step.finished':
      if (!event.usage) return next
      return {
        ...next,
        context: event.usage,
        spent: addUsage(header.spent, event.usage),
      }
    case 'title.made':
      return {
        ...next,
        ...(!header.titleIsCustom && event.title !== undefined && { title: event.title }),
        ...(event.usage && { spent: addUsage(header.spent, event.usage) }),
      }
    case 'sampling.finished':
      return { ...next, spent: addUsage(header.spent, event.usage) }
    case 'approval.requested':
      return { ...next, approvals: [...header.approvals, event.approval] }
    case 'approval.resolved':
      return {
        ...next,
        approvals: header.approvals.filter((approval) => approval.approvalId !== event.approvalId),
        ...(event.remembered !== undefined && { allowed: [...header.allowed, event.remembered] }),
        ...(event.rule?.scope === 'session' && { rules: withRules(header.rules, event.rule.pattern) }),
      }
    case 'checkpoint.restored': {
      const { conversation } = event
      if (!conversation) return next
      const { context: _context, compacted: _compacted, plan: _plan, prefixSeq: _prefix, ...rest } = next
      return {
        // A D-Mail is not a new start: how the turn ended before it could be sent still counts.
        ...(event.dMail ? rest : withoutFailure(rest)),
        todos: conversation.todos,
        cuts: [...(header.cuts ?? []), { seq: event.seq, to: conversation.to }],
        ...(conversation.context && { context: conversation.context }),
        ...(conversation.compacted && { compacted: conversation.compacted }),
        ...(conversation.prefixSeq !== undefined && { prefixSeq: conversation.prefixSeq }),
        ...(conversation.plan && { plan: conversation.plan }),
      }
    }
    case 'todos.changed':
      return { ...next, todos: event.todos }
    case 'context.trimmed':
      return {
        ...withLearnedWindow(next, event),
        trims: [...(header.trims ?? []), event.seq],
        context: { ...NO_USAGE, input: event.after },
      }
    case 'compaction.started':
      return { ...withLearnedWindow(next, event), compacting: { compactionId: event.compactionId, at: event.at } }
    case 'compaction.finished':
      return {
        ...withoutPrefix(withoutCompacting(next)),
        compacted: { compactionId: event.compactionId, seq: event.seq, ...prefixOf(header) },
        context: { ...NO_USAGE, input: event.after },
        ...(event.usage && { spent: addUsage(header.spent, event.usage) }),
        // The agent is reminded of plan mode again.
        ...(header.plan?.active && { plan: { ...header.plan, told: false } }),
      }
    case 'compaction.failed':
      return withoutCompacting(next)
    case 'compaction.undone': {
      const { compacted: undone, ...rest } = withoutPrefix(next)
      return {
        ...rest,
        ...(undone && { ...prefixOf(undone), undone: [...(header.undone ?? []), { from: undone.seq, to: event.seq }] }),
        context: { ...NO_USAGE, input: event.tokens },
        ...(event.earlier && { compacted: event.earlier }),
      }
    }
    case 'plan.entered':
    case 'plan.submitted':
    case 'plan.resolved':
    case 'plan.left':
      return { ...next, plan: foldPlan(header.plan, event) }
    case 'turn.finished': {
      const { turnId: _ended, turnEffort: _spent, ...rest } = next
      return { ...rest, approvals: [], lastStop: event.stop, ...(event.failure && { lastFailure: event.failure }) }
    }
    default:
      ignoreOthers<'header'>(event)
      return next
  }
}

function withoutSeal(header: SessionHeader): SessionHeader {
  const { sealed: _seal, ...rest } = header
  return rest
}

function withAgent(header: SessionHeader, agent: SessionAgent | null | undefined): SessionHeader {
  if (agent !== null) return agent === undefined ? header : { ...header, runsAs: agent }
  const { runsAs: _usual, ...rest } = header
  return rest
}

function withEffort(header: SessionHeader, effort: EffortChoice | undefined): SessionHeader {
  if (effort !== 'default') return effort === undefined ? header : { ...header, effort }
  const { effort: _default, ...rest } = header
  return rest
}

/** Returns the same list if there is nothing new, so that values derived from it stay cached. */
function withLoaded(
  { loadedTools = [] }: SessionHeader,
  tools: readonly { id: string }[],
): Pick<SessionHeader, 'loadedTools'> {
  const more = tools.map(({ id }) => id).filter((id) => !loadedTools.includes(id))
  return more.length === 0 ? {} : { loadedTools: [...loadedTools, ...new Set(more)] }
}

/** Adds each rule once; `pattern` contains one per line. */
function withRules(rules: readonly string[] | undefined, pattern: string): string[] {
  return [...new Set([...(rules ?? []), ...pattern.split('\n')])]
}

/** The pending notifications without these; for a running task, its end stays pending. */
function withoutNotification(
  pending: PendingNotification[],
  told: readonly Pick<TaskNotification, 'taskId' | 'status'>[] | undefined,
): PendingNotification[] {
  if (!told || pending.length === 0) return pending
  return pending.filter(
    ({ taskId, now }) => !told.some((task) => task.taskId === taskId && (now === true || task.status !== 'running')),
  )
}

/** The last reported window applies; if none was reported, the configured one. */
function withLearnedWindow(header: SessionHeader, { learnedWindow }: { learnedWindow?: number }): SessionHeader {
  const { learnedWindow: _before, ...rest } = header
  return learnedWindow === undefined ? rest : { ...rest, learnedWindow }
}

function withoutCompacting(header: SessionHeader): SessionHeader {
  const { compacting: _over, ...rest } = header
  return rest
}

function withoutPrefix(header: SessionHeader): SessionHeader {
  const { prefixSeq: _over, ...rest } = header
  return rest
}

function prefixOf({ prefixSeq }: { prefixSeq?: number }): { prefixSeq?: number } {
  return prefixSeq === undefined ? {} : { prefixSeq }
}

/** The sum; its cost is partial when a part has none. */
export function addUsage(one: Usage, other: Usage): Usage {
  const written = (one.written ?? 0) + (other.written ?? 0)
  const isPriced = one.cost !== undefined || other.cost !== undefined
  const isPartial =
    isPriced &&
    [one, other].some((usage) => usage.isCostPartial || (usage.cost === undefined && usage.input + usage.output > 0))
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cached: one.cached + other.cached,
    thinking: one.thinking + other.thinking,
    ...(written > 0 && { written }),
    ...(isPriced && { cost: (one.cost ?? 0) + (other.cost ?? 0) }),
    ...(isPartial && { isCostPartial: true as const }),
  }
}

function withoutFailure(header: SessionHeader): SessionHeader {
  const { lastStop: _stop, lastFailure: _failure, ...rest } = header
  return rest
}

/** Maximum number of revisions listed; their texts are in files. */
const MAX_REVISIONS = 100
const NO_PLAN: PlanState = { active: false, plan: 1, told: false, revisions: [] }

/** Folds one planning event into the header's plan state. Pure. */
function foldPlan(before: PlanState = NO_PLAN, event: Extract<RecordedEvent, { type: `plan.${string}` }>): PlanState {
  switch (event.type) {
    case 'plan.entered':
      return { ...before, active: true, plan: event.plan, ...(event.by === 'agent' && { told: true }) }
    case 'plan.submitted': {
      const { plan, revision, hash, at } = event
      return { ...before, revisions: [...before.revisions, { plan, revision, hash, at }].slice(-MAX_REVISIONS) }
    }
    case 'plan.resolved': {
      const { plan, revision, decision, choice } = event
      const ends = decision === 'approve' || decision === 'reject_exit'
      return {
        ...before,
        ...(ends && { active: false, told: false }),
        revisions: before.revisions.map((known) =>
          known.plan === plan && known.revision === revision
            ? { ...known, decision, ...(choice !== undefined && { choice }) }
            : known,
        ),
      }
    }
    default:
      return { ...before, active: false }
  }
}
