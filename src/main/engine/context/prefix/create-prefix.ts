import type { EventBody, RecordedEvent } from '../../../../shared/model/event'
import type { RequestPrefix } from '../../../../shared/model/prefix'
import type { TurnPrefix } from '../../loop/turn-prefix'
import type { ToolSchema } from '../../model/provider'
import type { ContextFact } from '../facts/context-fact'
import { changesSince } from './changes'
import { addTold, isTelling, toldIn, toldTools, type Told } from './told'

export interface PrefixDeps {
  /** The recorded prefix that is in force, with its place in the log; undefined when none is. */
  inForce(): { seq: number; prefix: RequestPrefix } | undefined
  /** Records a prefix made of everything as it is now. */
  freeze(): Promise<void>
  /** The events of the conversation after the one of that number, oldest first. */
  eventsSince(seq: number): Iterable<RecordedEvent>
  /** What the model is to know now: the same arrays as long as nothing has changed. */
  facts(): readonly ContextFact[]
  tools(): readonly ToolSchema[]
}

/** The prefix of a session while a turn runs. */
export interface SessionPrefix extends TurnPrefix {
  /** The names of all tools whose schemas the model has; the same set until there are more. Undefined while no prefix is in force. */
  toldTools(): ReadonlySet<string> | undefined
  /** Takes note of what an event that was just recorded has told. */
  recorded(event: EventBody): void
  /** The conversation has become another one: what it has told is read again. */
  reread(): void
}

interface State {
  seq: number
  prefix: RequestPrefix
  told: Told
  /** Made when it is asked for. */
  names?: ReadonlySet<string>
  /** What was found to be as it was told. */
  seen?: { facts: readonly ContextFact[]; tools: readonly ToolSchema[] }
}

export function createPrefix(deps: PrefixDeps): SessionPrefix {
  let state: State | undefined
  /** Stands in, for whoever only wants to know its size, until the next one is frozen. */
  let latest: RequestPrefix | undefined

  function read(): State | undefined {
    const now = deps.inForce()
    if (state && state.seq === now?.seq) return state
    state = now && { ...now, told: toldIn(now.prefix, deps.eventsSince(now.seq)) }
    latest = state?.prefix ?? latest
    return state
  }

  function required(): RequestPrefix {
    const prefix = read()?.prefix ?? latest
    if (!prefix) throw new Error('The prefix of a turn was asked for before it was frozen.')
    return prefix
  }

  return {
    get system() {
      return required().system
    },
    get tools() {
      return required().tools
    },
    async renew() {
      if (!read()) await deps.freeze()
    },
    news() {
      const now = read()
      if (!now) return undefined
      const seen = { facts: deps.facts(), tools: deps.tools() }
      if (now.seen?.facts === seen.facts && now.seen.tools === seen.tools) return undefined
      const change = changesSince(now.told, seen.facts, seen.tools)
      if (!change) now.seen = seen
      return change
    },
    toldTools() {
      const now = read()
      return now && (now.names ??= toldTools(now.told))
    },
    recorded(event) {
      const now = isTelling(event) ? read() : undefined
      if (!now) return
      addTold(now.told, event)
      delete now.names
      delete now.seen
    },
    reread() {
      state = undefined
    },
  }
}
