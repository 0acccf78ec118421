import type { AnnouncedFact } from '../../../shared/model/turn/context'
import type { ToolSchema } from '../model/provider'
import { CALL_TOOL } from '../tool/call-tool'
import { type ContextFact, toolFact, type KnownFacts, TOOL_KEY, toolDigest, toolLine } from './facts/context-fact'

/** A message about changes: its text, and the facts that the model knows from then on. */
export interface Change {
  text: string
  facts: AnnouncedFact[]
}

const PREFACE = 'From Trestle, not from the person: what has changed since you were told.'

/** The message about what changed since the model was last told; undefined when nothing did. */
export function changesSince(
  known: KnownFacts,
  facts: readonly ContextFact[],
  tools: readonly ToolSchema[],
): Change | undefined {
  const changes = [changedFacts(known, facts), changedTools(known, tools)]
  const announced = changes.flatMap((change) => change.facts)
  if (announced.length === 0) return undefined
  const words = changes.flatMap(({ texts }) => texts)
  return { text: [PREFACE, ...words].join('\n\n'), facts: announced }
}

/** A fact as it is recorded. */
export function recordedFact({ key, text, removed, isList }: ContextFact): AnnouncedFact {
  return { key, text, ...(removed !== undefined && { removed }), ...(isList && { isList }) }
}

interface Changes {
  texts: string[]
  facts: AnnouncedFact[]
}

function changedFacts(known: KnownFacts, facts: readonly ContextFact[]): Changes {
  const changes: Changes = { texts: [], facts: [] }
  for (const fact of facts) {
    const before = known.get(fact.key)
    if (fact.changed === undefined || (before && !before.gone && before.text === fact.text)) continue
    const lines = fact.isList && before && !before.gone ? listChange(before.text, fact.text) : undefined
    if (lines === '') continue
    changes.texts.push(`${fact.changed}\n${lines ?? fact.text}`)
    changes.facts.push(recordedFact(fact))
  }
  const now = new Set(facts.map(({ key }) => key))
  for (const { key, removed, gone } of known.values()) {
    if (gone || removed === undefined || now.has(key)) continue
    changes.texts.push(removed)
    changes.facts.push({ key, text: '', gone: true })
  }
  return changes
}

function changedTools(known: KnownFacts, tools: readonly ToolSchema[]): Changes {
  const changes: Changes = { texts: [], facts: [] }
  const news: string[] = []
  const back: string[] = []
  for (const tool of tools) {
    const before = known.get(`${TOOL_KEY}${tool.name}`)
    const digest = toolDigest(tool)
    if (before?.text === digest && !before.gone) continue
    if (before?.text === digest) back.push(tool.name)
    else news.push(toolLine(tool))
    changes.facts.push(toolFact(tool.name, digest))
  }
  const now = new Set(tools.map(({ name }) => `${TOOL_KEY}${name}`))
  const gone = [...known.values()].filter((fact) => fact.key.startsWith(TOOL_KEY) && !fact.gone && !now.has(fact.key))
  changes.facts.push(...gone.map(({ key, text }): AnnouncedFact => ({ key, text, gone: true })))
  if (news.length > 0) changes.texts.push(`New or changed tools. Call them with ${CALL_TOOL}:\n${news.join('\n')}`)
  if (back.length > 0) changes.texts.push(`Tools that are available again: ${back.join(', ')}.`)
  if (gone.length > 0)
    changes.texts.push(
      `Tools that are no longer available: ${gone.map(({ key }) => key.slice(TOOL_KEY.length)).join(', ')}.`,
    )
  return changes
}

/** Up to this share of the whole list, only changed lines are sent; otherwise the whole list. */
const MAX_CHANGE_SHARE = 0.5

/**
 * Added and removed lines of a list; undefined if sending the whole list is better, `''` if nothing meaningful has
 * changed.
 */
function listChange(before: string, after: string): string | undefined {
  const [old, now] = [linesOf(before), linesOf(after)]
  const come = [...now].filter(([id, line]) => !isSameLine(old.get(id), line)).map(([, line]) => line)
  const gone = [...old.keys()].filter((id) => !now.has(id))
  const parts = [
    ...(come.length > 0 ? [`New or changed:\n${come.join('\n')}`] : []),
    ...(gone.length > 0 ? [`Gone:\n${gone.join('\n')}`] : []),
  ]
  const text = parts.join('\n')
  return text.length > after.length * MAX_CHANGE_SHARE ? undefined : text
}

/** Lines by subject: the text before the colon. */
function linesOf(text: string): Map<string, string> {
  return new Map(text.split('\n').map((line) => [/^.*?(?=: |$)/.exec(line)![0], line]))
}

/**
 * How far a description is shortened depends on the rest of the list, so a different cut is not a change.
 */
function isSameLine(before: string | undefined, after: string): boolean {
  if (before === undefined) return false
  if (before === after) return true
  const [shorter, longer] = before.length < after.length ? [before, after] : [after, before]
  return shorter.endsWith('…') && longer.startsWith(shorter.slice(0, -1).trimEnd())
}
