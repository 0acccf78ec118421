import { createHash } from 'node:crypto'
import type { EventBody } from '../../../../shared/events/event'
import type { RequestPrefix, AnnouncedFact } from '../../../../shared/model/turn/context'
import type { ToolSchema } from '../../model/provider'

/**
 * One thing the model is told about its surroundings: the date, the permission mode, an instruction file, the skills.
 * All facts are in the system prompt when a conversation starts and after each compaction; changes in between are sent
 * as later messages, so that the prefix of the request stays the same.
 */
export interface ContextFact {
  /** Unique in a session and the same over its life, e.g. `date`, `mode`, `instructions:/project/AGENTS.md`. */
  key: string
  /** As it appears in the system prompt: one or more whole lines. */
  text: string
  /**
   * How a change is announced, before the new text; e.g. `The file AGENTS.md has changed. It now says:`. Absent:
   * changes are not announced.
   */
  changed?: string
  /** The text sent when the fact no longer applies; absent: nothing is sent. */
  removed?: string
  /** The text is a heading with one line per item: for a small change, only added and removed lines are sent. */
  isList?: true
}

/** The facts the model has, by key: from the start of its requests, and from later messages and results. */
export type KnownFacts = Map<string, AnnouncedFact>

/**
 * The facts a conversation contains: its prefix, and later messages. `events` are those of its history, oldest first.
 */
export function knownFactsIn(prefix: RequestPrefix, events: Iterable<EventBody>): KnownFacts {
  const known: KnownFacts = new Map(prefix.facts.map((fact) => [fact.key, fact]))
  for (const tool of prefix.tools) setFact(known, toolFact(tool.name, toolDigest(tool)))
  for (const event of events) addKnownFacts(known, event)
  return known
}

/** Whether an event told the model facts about its environment. */
export function conveysFacts(event: EventBody): boolean {
  return event.type === 'turn.steered'
    ? event.facts !== undefined
    : event.type === 'tool.finished' && event.details?.kind === 'tools'
}

/** Adds the facts of an event. */
export function addKnownFacts(known: KnownFacts, event: EventBody): void {
  if (event.type === 'turn.steered') for (const fact of event.facts ?? []) setFact(known, fact)
  if (event.type !== 'tool.finished' || event.details?.kind !== 'tools') return
  for (const { name, digest } of event.details.tools) if (digest !== undefined) setFact(known, toolFact(name, digest))
}

/** The names of the tools whose schemas the model has. */
export function knownTools(known: KnownFacts): ReadonlySet<string> {
  const names = new Set<string>()
  for (const key of known.keys()) if (key.startsWith(TOOL_KEY)) names.add(key.slice(TOOL_KEY.length))
  return names
}

export function toolFact(name: string, digest: string): AnnouncedFact {
  return { key: `${TOOL_KEY}${name}`, text: digest }
}

function setFact(known: KnownFacts, fact: AnnouncedFact): void {
  known.set(fact.key, fact)
}

/** Prefix of the keys of facts about tools. */
export const TOOL_KEY = 'tool:'

const lines = new WeakMap<ToolSchema, string>()
const digests = new WeakMap<ToolSchema, string>()

/** A tool as described in a message: complete, on one line. Cached, as schemas never change. */
export function toolLine(tool: ToolSchema): string {
  let line = lines.get(tool)
  if (line === undefined) {
    const { name, description, schema } = tool
    lines.set(tool, (line = JSON.stringify({ name, description, input_schema: schema })))
  }
  return line
}

/** A digest that reveals whether a tool has changed since the model was told about it. */
export function toolDigest(tool: ToolSchema): string {
  let digest = digests.get(tool)
  if (digest === undefined)
    digests.set(tool, (digest = createHash('sha256').update(toolLine(tool)).digest('base64url').slice(0, 16)))
  return digest
}
