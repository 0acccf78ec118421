import type { SessionEvent } from '../../../shared/model/event'
import { toolLabel } from '../../../shared/model/tool-label'
import { oneLine } from '../../command-line/safe-text'

/** A call that was not run because a rule, the permission mode, a hook, or nobody being there to ask denied it. */
export interface Denial {
  tool: string
  /** What it would have done, in a line. */
  summary: string
  /** A sentence. */
  reason: string
  /** The session of the subagent whose call it was; absent: the agent's own. */
  agentId?: string
}

/** Longer lists are no help on a terminal; the result has them all. */
const MOST_TOLD = 5

type Listen = (sessionId: string, listener: (event: SessionEvent) => void) => () => void

/** The denied calls of a session's turn and of the subagents it starts, in the order in which they were denied. */
export class DeniedCalls {
  readonly list: Denial[] = []
  readonly #listen: Listen
  readonly #calls = new Map<string, { tool: string; summary: string }>()
  readonly #heard = new Set<string>()

  constructor(listen: Listen) {
    this.#listen = listen
  }

  /** Takes an event of the session; `agentId`: of that subagent. */
  event(event: SessionEvent, agentId?: string): void {
    // Ids of calls are a model's: two agents may give the same.
    const key = 'callId' in event ? `${agentId ?? ''} ${event.callId}` : ''
    if (event.type === 'tool.started') this.#calls.set(key, { tool: event.name, summary: event.summary })
    else if (event.type === 'tool.finished') this.#calls.delete(key)
    else if (event.type === 'subagent.started') this.#follow(event.agentId)
    else if (event.type === 'tool.judged' && event.decision === 'deny') {
      const call = this.#calls.get(key)
      if (call) this.list.push({ ...call, reason: event.reason, ...(agentId !== undefined && { agentId }) })
    }
  }

  /** What is said of them on stderr; empty when nothing was denied. */
  words(): string {
    const { length } = this.list
    if (length === 0) return ''
    const lines = this.list
      .slice(0, MOST_TOLD)
      .map(({ tool, summary, reason, agentId }) =>
        oneLine(`${toolLabel(tool)} ${summary}${agentId === undefined ? '' : ` (of ${agentId})`}: ${reason}`),
      )
    if (length > MOST_TOLD) lines.push(`${length - MOST_TOLD} more`)
    const head = `trestle: ${length === 1 ? '1 call was' : `${length} calls were`} denied:`
    const advice = 'Allow such calls with a rule ("trestle permission check" shows what decides) or with --permission-mode.'
    return `${[head, ...lines.map((line) => `  ${line}`), advice].join('\n')}\n`
  }

  #follow(agentId: string): void {
    if (this.#heard.has(agentId)) return
    this.#heard.add(agentId)
    this.#listen(agentId, (event) => this.event(event, agentId))
  }
}
