import type { ToldFact } from '../../../../shared/model/prefix'
import type { ToolSchema } from '../../model/provider'
import { CALL_TOOL } from '../../tool/call-tool'
import type { ContextFact } from '../facts/context-fact'
import { listChange } from './list-change'
import { toolFact, type Told } from './told'
import { TOOL_KEY, toolDigest, toolLine } from './told-tools'

/** What a message tells: its text, and the facts that the model knows from then on. */
export interface Change {
  text: string
  facts: ToldFact[]
}

const HEAD = 'From Trestle, not from the person: what has changed since you were told.'

/** What the model has to be told because it is not as it was told; undefined when all is. */
export function changesSince(told: Told, facts: readonly ContextFact[], tools: readonly ToolSchema[]): Change | undefined {
  const changes = [changedFacts(told, facts), changedTools(told, tools)]
  const known = changes.flatMap((change) => change.facts)
  if (known.length === 0) return undefined
  const words = changes.flatMap(({ texts }) => texts)
  return { text: [HEAD, ...words].join('\n\n'), facts: known }
}

/** A fact as it is recorded. */
export function recorded({ key, text, removed, isList }: ContextFact): ToldFact {
  return { key, text, ...(removed !== undefined && { removed }), ...(isList && { isList }) }
}

interface Changes {
  texts: string[]
  facts: ToldFact[]
}

function changedFacts(told: Told, facts: readonly ContextFact[]): Changes {
  const changes: Changes = { texts: [], facts: [] }
  for (const fact of facts) {
    const known = told.get(fact.key)
    if (fact.changed === undefined || (known && !known.gone && known.text === fact.text)) continue
    const lines = fact.isList && known && !known.gone ? listChange(known.text, fact.text) : undefined
    if (lines === '') continue
    changes.texts.push(`${fact.changed}\n${lines ?? fact.text}`)
    changes.facts.push(recorded(fact))
  }
  const now = new Set(facts.map(({ key }) => key))
  for (const { key, removed, gone } of told.values()) {
    if (gone || removed === undefined || now.has(key)) continue
    changes.texts.push(removed)
    changes.facts.push({ key, text: '', gone: true })
  }
  return changes
}

function changedTools(told: Told, tools: readonly ToolSchema[]): Changes {
  const changes: Changes = { texts: [], facts: [] }
  const news: string[] = []
  const back: string[] = []
  for (const tool of tools) {
    const known = told.get(`${TOOL_KEY}${tool.name}`)
    const digest = toolDigest(tool)
    if (known?.text === digest && !known.gone) continue
    if (known?.text === digest) back.push(tool.name)
    else news.push(toolLine(tool))
    changes.facts.push(toolFact(tool.name, digest))
  }
  const now = new Set(tools.map(({ name }) => `${TOOL_KEY}${name}`))
  const gone = [...told.values()].filter((fact) => fact.key.startsWith(TOOL_KEY) && !fact.gone && !now.has(fact.key))
  changes.facts.push(...gone.map(({ key, text }): ToldFact => ({ key, text, gone: true })))
  if (news.length > 0) changes.texts.push(`New or changed tools. Call them with ${CALL_TOOL}:\n${news.join('\n')}`)
  if (back.length > 0) changes.texts.push(`Tools that are available again: ${back.join(', ')}.`)
  if (gone.length > 0)
    changes.texts.push(`Tools that are not available any more: ${gone.map(({ key }) => key.slice(TOOL_KEY.length)).join(', ')}.`)
  return changes
}
