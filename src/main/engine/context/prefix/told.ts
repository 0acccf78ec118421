import type { EventBody } from '../../../../shared/model/event'
import type { RequestPrefix, ToldFact } from '../../../../shared/model/prefix'
import { TOOL_KEY, toolDigest } from './told-tools'

/** What the model was told, by key: at the beginning of its requests, and in later messages and results. */
export type Told = Map<string, ToldFact>

/** What a conversation has told: its prefix, and what came after it. `events` are those of its history, oldest first. */
export function toldIn(prefix: RequestPrefix, events: Iterable<EventBody>): Told {
  const told: Told = new Map(prefix.facts.map((fact) => [fact.key, fact]))
  for (const tool of prefix.tools) tell(told, toolFact(tool.name, toolDigest(tool)))
  for (const event of events) addTold(told, event)
  return told
}

/** Whether an event has told the model what is around it. */
export function isTelling(event: EventBody): boolean {
  return event.type === 'turn.steered' ? event.facts !== undefined : event.type === 'tool.finished' && event.details?.kind === 'tools'
}

/** Adds what an event has told. */
export function addTold(told: Told, event: EventBody): void {
  if (event.type === 'turn.steered') for (const fact of event.facts ?? []) tell(told, fact)
  if (event.type !== 'tool.finished' || event.details?.kind !== 'tools') return
  for (const { name, digest } of event.details.tools) if (digest !== undefined) tell(told, toolFact(name, digest))
}

/** The names of the tools whose schemas the model has. */
export function toldTools(told: Told): ReadonlySet<string> {
  const names = new Set<string>()
  for (const key of told.keys()) if (key.startsWith(TOOL_KEY)) names.add(key.slice(TOOL_KEY.length))
  return names
}

export function toolFact(name: string, digest: string): ToldFact {
  return { key: `${TOOL_KEY}${name}`, text: digest }
}

function tell(told: Told, fact: ToldFact): void {
  told.set(fact.key, fact)
}
