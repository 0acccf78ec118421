import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import type { RequestPrefix } from '../../../shared/model/turn/context'
import type { TurnPrefix } from '../loop/turn-context'
import type { ToolSchema } from '../model/provider'
import {
  type ContextFact,
  addKnownFacts,
  conveysFacts,
  knownFactsIn,
  knownTools,
  type KnownFacts,
} from './facts/context-fact'
import { changesSince } from './prefix-changes'
import base from './system-prompt.md?raw'

export interface PrefixDeps {
  /** The active recorded prefix, with its position in the log; undefined before one is frozen. */
  current(): { seq: number; prefix: RequestPrefix } | undefined
  /** Records a prefix made from the current state. */
  freeze(): Promise<void>
  /** The events of the conversation after the one of that number, oldest first. */
  eventsSince(seq: number): Iterable<RecordedEvent>
  /** What the model should know now; the same arrays as long as nothing has changed. */
  facts(): readonly ContextFact[]
  tools(): readonly ToolSchema[]
}

/** The prefix of a session while a turn runs. */
export interface SessionPrefix extends TurnPrefix {
  /**
   * The names of all tools whose schemas the model has; the same set until there are more. Undefined without an active
   * prefix.
   */
  knownTools(): ReadonlySet<string> | undefined
  /** Adds the facts of an event that was just recorded. */
  onRecorded(event: EventBody): void
  /** The conversation was replaced: the facts it contains are read again. */
  reload(): void
}

interface State {
  seq: number
  prefix: RequestPrefix
  known: KnownFacts
  /** Created on demand. */
  names?: ReadonlySet<string>
  /** The inputs last found unchanged. */
  seen?: { facts: readonly ContextFact[]; tools: readonly ToolSchema[] }
}

export function createPromptPrefix(deps: PrefixDeps): SessionPrefix {
  let state: State | undefined
  /** The latest computed prefix, for callers that only need its size until the next one is frozen. */
  let latest: RequestPrefix | undefined

  function read(): State | undefined {
    const now = deps.current()
    if (state && state.seq === now?.seq) return state
    state = now && { ...now, known: knownFactsIn(now.prefix, deps.eventsSince(now.seq)) }
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
    pendingChanges() {
      const now = read()
      if (!now) return undefined
      const seen = { facts: deps.facts(), tools: deps.tools() }
      if (now.seen?.facts === seen.facts && now.seen.tools === seen.tools) return undefined
      const change = changesSince(now.known, seen.facts, seen.tools)
      if (!change) now.seen = seen
      return change
    },
    knownTools() {
      const now = read()
      return now && (now.names ??= knownTools(now.known))
    },
    onRecorded(event) {
      const now = conveysFacts(event) ? read() : undefined
      if (!now) return
      addKnownFacts(now.known, event)
      delete now.names
      delete now.seen
    },
    reload() {
      state = undefined
    },
  }
}

/** Instructions for every subagent. */
const SUBAGENT =
  'You are a subagent: another agent has given you the task in the first message, ' +
  'and reads nothing but your last message. ' +
  'Make that complete and to the point: what you did or found, with the places, and what is left or doubtful. ' +
  'Questions get no answer in between; where something is unclear, decide sensibly and say what you assumed.'

/** The system prompt: how to work, the subagent instructions if it is one, and the facts about its environment. */
export function systemPrompt(facts: readonly ContextFact[], role?: string): string {
  const sections = [base.trim(), ...(role === undefined ? [] : [`${SUBAGENT}\n\n${role}`.trim()])]
  let wasLine = false
  for (const { text } of facts) {
    const isLine = !text.includes('\n')
    // One-line facts are grouped.
    if (isLine && wasLine) sections.push(`${sections.pop()}\n${text}`)
    else sections.push(text)
    wasLine = isLine
  }
  return sections.join('\n\n')
}
