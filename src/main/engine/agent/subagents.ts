import { randomBytes } from 'node:crypto'
import {
  familyPrefix,
  isAgentId,
  type AgentDefinition,
  type AgentStart,
  type SessionAgent,
  type SubagentType,
} from '../../../shared/model/session/agent'
import type { Effort } from '../../../shared/model/turn/effort'
import { CodedError } from '../../../shared/errors'
import type { SessionHeader } from '../../../shared/model/session/session'
import { nearest } from '../../../shared/nearest'
import type { AgentSettings } from '../config/agent-settings/session-settings'
import type { SessionRole } from '../context/facts/gather-facts'
import { stopMessage } from '../loop/turn-context'
import type { Session } from '../session/session'
import type { SessionManager } from '../session/sessions'
import type { Store } from '../store/store'
import type { AgentOutcome, AgentWork, OfferedAgent, SessionAgents, WorkingAgent } from '../tool/session-services'
import type { Tool } from '../tool/tool'
import type { AgentRuns } from './agent-runs'
import { SMALL_MODEL, type AgentSpec } from './agent-spec'
import type { AgentSpecs } from './agent-specs'
import { agentTask } from './agent-task'
import { isOffered, isOfferedInSession } from './offered-tools'

/** When a turn is stopped while it waits for a subagent, the subagent has this long to stop too, in ms. */
const STOP_MS = 300

export interface SubagentsDeps {
  home: string
  store: Pick<Store, 'header'>
  sessions: Pick<SessionManager, 'createAgent'>
  specs: Pick<AgentSpecs, 'find' | 'custom'>
  runs: AgentRuns
  settings(): AgentSettings
  /** The small model to use with this one; undefined when none is available. */
  smallModel(model: string | undefined): Promise<string | undefined>
  /** Checks whether notifications of these tasks are due. */
  notifyTasks(sessionId: string, taskIds: readonly string[]): void
}

/** The settings of a turn that come from the session's agent. */
export interface AgentTurn {
  /** The additional prompt of a subagent; absent for the user's session. */
  prompt?: string
  /** The role of the agent that the user chose for the session; absent for the default agent. */
  role?: SessionRole
  /** The agent types it may start that are not built in. */
  types: readonly OfferedAgent[]
  maxSteps?: number
  /** How many identical steps in a row end its turn. */
  maxRepeats?: number
  effort?: Effort
  /** Present when it runs on the small model: the parent's model, which takes over if the small one fails. */
  parentModel?: string
  offers(tool: Pick<Tool, 'name' | 'annotations' | 'listedOnly' | 'server'>): boolean
}

export interface Subagents {
  /**
   * The definition of this session's subagent, with the limits of its parents applied; undefined for a user's session.
   */
  definitionOf(session: Session): Promise<AgentDefinition | undefined>
  /** See `AgentRuns.note`. */
  note: AgentRuns['note']
  turnOf(session: Session): Promise<AgentTurn>
  /** The subagents of a session, for its tools; `allTools` returns all tools of the session. */
  forSession(
    session: Session,
    allTools: () => readonly Pick<Tool, 'name' | 'annotations' | 'listedOnly'>[],
  ): SessionAgents
}

/** Decides which subagents a session may start, and starts them. */
export function createSubagents(deps: SubagentsDeps): Subagents {
  const { store, runs } = deps

  const mayDelegate = ({ agent }: SessionHeader): boolean => (agent?.depth ?? 0) < deps.settings().maxDepth

  /** The spec of the subagent with this session; throws `request.invalid` when its spec no longer exists. */
  async function specOf({ agent, folder, sessionId }: SessionHeader): Promise<AgentSpec | undefined> {
    if (!agent) return undefined
    const spec = await find(agent.agentType, folder, store.header(agent.parentId))
    if (!spec)
      throw new CodedError(
        'request.invalid',
        `The agent type ${agent.agentType}, which ${sessionId} uses, no longer exists.`,
      )
    return spec
  }

  async function find(type: string, folder: string, maker: SessionHeader | undefined): Promise<AgentSpec | undefined> {
    const isNamed = ({ name }: AgentSpec): boolean => name === type
    return (maker && (await typesOf(maker)).find(isNamed)) ?? (await deps.specs.find(folder)).find(isNamed)
  }

  /** The agent that the user's session runs as; throws `request.invalid` when its spec no longer exists. */
  async function chosenFor({ runsAs, folder }: SessionHeader): Promise<AgentDefinition | undefined> {
    if (!runsAs || runsAs.definition) return runsAs?.definition
    return (await deps.specs.find(folder)).find(({ name }) => name === runsAs.name) ?? throwAgentMissing(runsAs)
  }

  /** The agent types that a session may start. A type defined by an agent may start what that agent may. */
  async function typesOf(header: SessionHeader): Promise<AgentSpec[]> {
    const [spec, all] = await Promise.all([specOf(header), deps.specs.find(header.folder)])
    const chosen = header.agent ? spec : await chosenFor(header)
    const parent = header.agent && spec?.source === 'session' ? store.header(header.agent.parentId) : undefined
    const inherited = parent && (await typesOf(parent))
    const named = all.filter(
      ({ name }) => !chosen || mayStartAnyType(header, chosen) || chosen.subagents.includes(name),
    )
    const own = (chosen?.ownTypes ?? []).map((type): AgentSpec => ({ ...type, source: spec?.source ?? 'user' }))
    const types = [...(inherited ?? [...own, ...named])]
    const defined = (header.subagentTypes ?? []).map((type) => definedSpec(type, types))
    return [
      ...defined,
      ...types.filter(
        ({ name }, at) =>
          !defined.some((one) => one.name === name) && types.findIndex((one) => one.name === name) === at,
      ),
    ]
  }

  async function sessionTurn(header: SessionHeader): Promise<AgentTurn> {
    const spec = await chosenFor(header)
    const depth = mayDelegate(header)
    const delegates = ({ name }: Pick<Tool, 'name'>): boolean =>
      depth || (name !== 'Agent' && name !== 'CreateSubagent')
    const own = [...(header.subagentTypes ?? []), ...(depth ? await deps.specs.custom(header.folder) : [])]
    if (!spec) return { types: own, offers: (tool) => delegates(tool) && !tool.listedOnly }
    const { name, title = name, systemPrompt, maxSteps, maxRepeats, effort } = spec
    return {
      role: { title, text: systemPrompt },
      types: mayStartAnyType(header, spec) ? own : depth ? await typesOf(header) : [],
      offers: (tool) => delegates(tool) && isOfferedInSession(spec, tool),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxRepeats !== undefined && { maxRepeats }),
      ...(effort !== undefined && { effort }),
    }
  }

  async function turnOf({ header }: Session): Promise<AgentTurn> {
    const { agent } = header
    const spec = await specOf(header)
    if (!agent || !spec) return sessionTurn(header)
    const depth = mayDelegate(header)
    const parentModel = spec.model === SMALL_MODEL ? store.header(agent.parentId)?.model : undefined
    return {
      prompt: spec.systemPrompt,
      types: depth && spec.subagents.length > 0 ? await typesOf(header) : [],
      offers: (tool) => isOffered(spec, tool, { readOnly: agent.readOnly || spec.readOnly, mayDelegate: depth }),
      ...(spec.maxSteps !== undefined && { maxSteps: spec.maxSteps }),
      ...(spec.maxRepeats !== undefined && { maxRepeats: spec.maxRepeats }),
      ...(spec.effort !== undefined && { effort: spec.effort }),
      ...(parentModel !== undefined && parentModel !== header.model && { parentModel }),
    }
  }

  function forSession(session: Session, allTools: Parameters<Subagents['forSession']>[1]): SessionAgents {
    const { id } = session
    const rootId = session.header.agent?.rootId ?? id

    async function problem(agent: AgentWork['agent'], background: boolean): Promise<string | undefined> {
      const { header } = session
      if (!mayDelegate(header))
        return `Subagents may be ${deps.settings().maxDepth} deep at most ([agents] max_depth). Do it yourself.`
      if (background && header.agent)
        return 'A subagent cannot start background work: start it without run_in_background and wait for it.'
      if ('resume' in agent) return resumeProblem(agent.resume)
      const types = await typesOf(header)
      if (types.some(({ name }) => name === agent.type)) return undefined
      const names = types.map(({ name }) => name)
      const [near] = nearest(agent.type, names, 1)
      return (
        `There is no agent type "${agent.type.slice(0, 80)}" ` +
        `here.${near === undefined ? '' : ` Did you mean ${near}?`} There are: ${names.join(', ')}.`
      )
    }

    async function resumeProblem(agentId: string): Promise<string | undefined> {
      const header = isAgentId(agentId) ? store.header(agentId) : undefined
      if (header?.agent?.rootId !== rootId || agentId === id)
        return (
          `There is no subagent "${agentId.slice(0, 100)}" of this session. ` +
          'resume takes the agent_id that an earlier result of Agent named.'
        )
      const task = await runs.task(agentId)
      return task?.status === 'running'
        ? `${agentId} is still running. Wait for its end, or start another one.`
        : undefined
    }

    /** The id of the subagent's session, new or resumed, and the event data of its start. */
    async function prepare({
      agent,
      callId,
      description,
      background,
      timeoutMs,
    }: AgentWork): Promise<{ agentId: string; start: AgentStart }> {
      const wrong = await problem(agent, background)
      if (wrong !== undefined) throw new CodedError('request.invalid', wrong)
      const { header } = session
      const known = 'resume' in agent ? store.header(agent.resume)! : undefined
      const spec = known ? await specOf(known) : await find('type' in agent ? agent.type : '', header.folder, header)
      if (!spec) throw new CodedError('request.invalid', 'There is no such agent type.')
      const limit = timeoutMs ?? (background ? deps.settings().backgroundTimeoutMs : undefined)
      const start: AgentStart = {
        parentId: id,
        rootId,
        depth: (header.agent?.depth ?? 0) + 1,
        callId,
        agentType: spec.name,
        description,
        background,
        readOnly: spec.readOnly || (header.agent?.readOnly ?? false) || (known?.agent?.readOnly ?? false),
        ...(limit !== undefined && { timeoutMs: limit }),
      }
      if (known) return { agentId: known.sessionId, start }
      const agentId = `${familyPrefix(rootId)}${randomBytes(4).toString('hex')}`
      const model = spec.model === SMALL_MODEL ? await deps.smallModel(header.model) : spec.model
      deps.sessions.createAgent({
        sessionId: agentId,
        title: description,
        parent: header,
        ...(model !== undefined && { model }),
        ...(spec.effort !== undefined && { effort: spec.effort }),
      })
      return { agentId, start }
    }

    async function begin(
      work: AgentWork,
    ): Promise<{ agentId: string; start: AgentStart; ended: Promise<AgentOutcome>; moved: Promise<void> }> {
      const { agentId, start } = await prepare(work)
      const { ended, moved } = await runs.begin(agentId, start, work.prompt)
      const { callId, agentType, description, background } = start
      session.record({
        type: 'subagent.started',
        callId,
        agentId,
        agentType,
        description,
        background,
        isResumed: 'resume' in work.agent,
      })
      return { agentId, start, ended, moved }
    }

    /** Records it as a background task, so that the agent is notified of its end. */
    function leaveInBackground({ agentId, start }: { agentId: string; start: AgentStart }): WorkingAgent {
      const task = agentTask(store.header(agentId)!, deps.home)!
      session.record({ type: 'task.started', task })
      // It may have ended before it was recorded.
      deps.notifyTasks(id, [agentId])
      return { agentId, agentType: start.agentType, isQueued: runs.isQueued(agentId) }
    }

    return {
      types: async () => (await typesOf(session.header)).map(({ name, description }) => ({ name, description })),
      problem,
      async start(work) {
        return leaveInBackground(await begin(work))
      },
      async run(work, signal) {
        const run = await begin(work)
        const { agentId, start, ended, moved } = run
        const { promise: stopped, resolve } = Promise.withResolvers<AgentOutcome>()
        let grace: NodeJS.Timeout | undefined
        const onAbort = (): void => {
          const reason = stopMessage(signal)
          void runs.stop(agentId, reason).catch(() => undefined)
          const { agentType } = start
          grace = setTimeout(
            () => resolve({ agentId, agentType, status: 'stopped', reason, answer: runs.answer(agentId) }),
            STOP_MS,
          )
        }
        signal.addEventListener('abort', onAbort, { once: true })
        if (signal.aborted) onAbort()
        try {
          const left = moved.then(() => undefined)
          return (await runs.withSlotReleased(id, () => Promise.race([ended, stopped, left]))) ?? leaveInBackground(run)
        } finally {
          clearTimeout(grace)
          signal.removeEventListener('abort', onAbort)
        }
      },
      async tools() {
        const turn = await turnOf(session)
        return allTools()
          .filter((tool) => turn.offers(tool))
          .map(({ name }) => name)
      },
      define: (definition) => void session.record({ type: 'subagent.defined', definition }),
    }
  }

  async function definitionOf({ header }: Session): Promise<AgentDefinition | undefined> {
    const spec = await specOf(header)
    return spec && { ...spec, readOnly: spec.readOnly || header.agent?.readOnly === true }
  }

  return { definitionOf, note: runs.note, turnOf, forSession }
}

/** The spec of a type that an agent defined; with the tool Agent it may start the same `types` as that agent. */
function definedSpec({ name, description, systemPrompt, tools }: SubagentType, types: readonly AgentSpec[]): AgentSpec {
  const subagents = tools.includes('Agent') ? types.map((type) => type.name) : []
  return {
    name,
    description,
    systemPrompt,
    tools,
    excludeTools: [],
    subagents,
    readOnly: false,
    source: 'session',
    path: '',
  }
}

/** Whether the user's session may start every type, because its agent's spec names no types. */
function mayStartAnyType({ agent }: SessionHeader, { subagents }: Pick<AgentDefinition, 'subagents'>): boolean {
  return agent === undefined && subagents.length === 0
}

function throwAgentMissing({ name }: SessionAgent): never {
  throw new CodedError(
    'request.invalid',
    `The agent "${name}" of this session no longer exists. Choose another one, or restore its file.`,
  )
}
