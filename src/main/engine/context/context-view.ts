import {
  CONTEXT_KINDS,
  type ContextItem,
  type ContextKind,
  type ContextView,
  type ServerToolsCost,
} from '../../../shared/model/turn/context'
import { recallSummary } from '../../../shared/model/assistant/memory'
import { textOf, type Message } from '../../../shared/model/turn/message'
import { toolLabel } from '../../../shared/tool-label'
import { isRecall } from '../memory/recall-text'
import type { ModelInfo, ToolSchema } from '../model/provider'
import { isCompactable, type ModelWindow } from './context-budget'
import { textTokens, tokensOf } from './tokens/token-estimate'
import { createTokenCount, type CountedRequest } from './tokens/token-count'
import { contextLimits } from './compaction/context-limits'
import { cutText } from '../../../shared/cut-text'

/** Number of largest items listed. */
const MAX_ITEMS = 8
/** Smaller items are not listed. */
const MIN_TOKENS = 20
const FILE_TOOLS = new Set(['Read', 'ReadMediaFile'])

/** The contents of a session's next request; see `ContextView`. */
export function contextView({
  window,
  model,
  system,
  tools,
  serverTools,
  history,
  known,
}: {
  window: Pick<ModelWindow, 'tokens' | 'sizes'>
  model: ModelInfo
  system: string
  tools: readonly ToolSchema[]
  serverTools?: ServerToolsCost | undefined
  history: readonly Message[]
  known?: CountedRequest
}): ContextView {
  const items: ContextItem[] = [{ kind: 'system', label: 'System prompt and instructions', tokens: textTokens(system) }]
  for (const tool of tools)
    items.push({ kind: 'tools', label: `Tool ${tool.name}`, tokens: textTokens(JSON.stringify(tool)) })
  const inputs = new Map<string, string>()
  for (const message of history) {
    if (message.role === 'assistant')
      for (const part of message.parts) if (part.type === 'tool_call') inputs.set(part.callId, part.input)
    items.push(itemOf(message, inputs))
  }
  const fixed = items.reduce((sum, { kind, tokens }) => (kind === 'system' || kind === 'tools' ? sum + tokens : sum), 0)
  const estimate = items.reduce((sum, { tokens }) => sum + tokens, 0)
  const used = createTokenCount({ history, fixed: () => fixed, sizes: window.sizes, ...(known && { known }) }).used()
  // The parts are estimates, scaled so that their sum is the provider's count.
  const scale = used / Math.max(1, estimate)
  const parts = Object.fromEntries(CONTEXT_KINDS.map((kind) => [kind, 0])) as Record<ContextKind, number>
  for (const { kind, tokens } of items) parts[kind] += tokens * scale
  for (const kind of CONTEXT_KINDS) parts[kind] = Math.round(parts[kind])
  return {
    window: window.tokens(),
    limit: Math.round(contextLimits(window.tokens(), model, fixed).trimThreshold),
    // The sum of the rounded parts, so that the view adds up.
    used: CONTEXT_KINDS.reduce((sum, kind) => sum + parts[kind], 0),
    parts,
    heaviest: items
      .map((item) => ({ ...item, tokens: Math.round(item.tokens * scale) }))
      .filter(({ tokens, kind }) => tokens >= MIN_TOKENS && kind !== 'tools')
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, MAX_ITEMS),
    compactable: isCompactable(history),
    ...(serverTools && { serverTools }),
  }
}

function itemOf(message: Message, inputs: ReadonlyMap<string, string>): ContextItem {
  const tokens = tokensOf(message)
  if (message.role === 'tool') {
    const { name, callId } = message
    const about = subjectOf(inputs.get(callId))
    return {
      kind: FILE_TOOLS.has(name) ? 'files' : 'results',
      label: `${toolLabel(name)} ${about}`.trim(),
      tokens,
      callId,
    }
  }
  const words = cutText(textOf(message.parts).trim().replaceAll(/\s+/g, ' '), 60).toWellFormed()
  if (message.role === 'assistant')
    return { kind: 'conversation', label: words === '' ? 'An answer with calls' : `Answer: ${words}`, tokens }
  if (message.by === 'guard' && isRecall(textOf(message.parts)))
    return { kind: 'memory', label: recallSummary(textOf(message.parts)), tokens }
  const who = message.by === undefined ? 'You' : message.by === 'compaction' ? 'Summary' : 'Trestle'
  return {
    kind: 'conversation',
    label: message.by === 'compaction' ? 'What the compaction left' : `${who}: ${words}`,
    tokens,
  }
}

/** The subject of a call, shortened: its path, command, pattern or URL. */
function subjectOf(input: string | undefined): string {
  try {
    const fields = JSON.parse(input ?? '{}') as Record<string, unknown>
    for (const name of ['path', 'command', 'pattern', 'url', 'query', 'task_id']) {
      const value = fields[name]
      if (typeof value === 'string') return cutText(value.replaceAll(/\s+/g, ' '), 60).toWellFormed()
    }
  } catch {
    // The input is not valid JSON.
  }
  return ''
}
