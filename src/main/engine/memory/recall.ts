import type { MemoryEntry } from '../../../shared/model/assistant/memory'
import type { MemoryRows } from '../store/rows/memory-rows'
import { FIRST, LATER } from './recall-text'
import { rankEntries, standing } from './rank-entries'

/**
 * The share of the budget for entries that are only used often or recently. The rest is for entries that match the
 * words of a prompt.
 */
const LEADING_SHARE = 0.25
/** The share of the budget for one prompt; the rest is left for later prompts of the conversation. */
const PROMPT_SHARE = 0.5
/** Maximum number of entries for a prompt, and their minimum score as a share of the best. */
const MAX_MATCHED = 8
const MIN_SHARE_OF_BEST = 0.35
/** Entries up to this length are always sent whole. */
const MAX_LINE_BYTES = 400

/** The request that the entries are for. */
export interface RecallRequest {
  /** The user's text. */
  prompt: string
  /** The session's project; undefined: none. */
  folder: string | undefined
  /** The texts of earlier recalls that the model still sees, oldest first. */
  recalled: readonly string[]
  /** Maximum bytes of earlier recalls and this one together. */
  budgetBytes: number
  now: number
}

export interface Recall {
  text: string
  /** Ids of the entries in the text. */
  entries: number[]
  /** Those of them that match the words of the prompt. */
  matched: number[]
}

type Source = Pick<MemoryRows, 'matching' | 'byIds' | 'count' | 'leading'>

/**
 * The entries for a prompt: first those that match its words, then, at the start of a conversation, those used most and
 * latest. Undefined if there is nothing new: entries that the model still sees are not repeated.
 */
export function recallEntries(rows: Source, request: RecallRequest): Recall | undefined {
  const { prompt, folder, recalled, budgetBytes, now } = request
  const left = budgetBytes - recalled.reduce((sum, text) => sum + bytes(text), 0)
  const isFirst = recalled.length === 0
  const head = isFirst ? FIRST : LATER
  const known = recalled.join('\n').split('\n')
  const lines: string[] = []
  const entries = new Set<number>()
  const matched: number[] = []
  let used = bytes(head)
  const add = (entry: MemoryEntry, most: number): boolean => {
    const line = memoryLine(entry)
    if (entries.has(entry.id) || known.includes(line)) return false
    const size = bytes(line) + 1
    if (used + size > Math.min(left, most)) return false
    used += size
    lines.push(line)
    entries.add(entry.id)
    return true
  }
  const fitting = rankEntries(rows, prompt, { folder, now, limit: MAX_MATCHED })
  const best = fitting[0]?.score ?? 0
  for (const { entry, score } of fitting) {
    if (score < best * MIN_SHARE_OF_BEST) break
    if (add(entry, budgetBytes * PROMPT_SHARE)) matched.push(entry.id)
  }
  if (isFirst) {
    const most = Math.min(used + budgetBytes * LEADING_SHARE, budgetBytes)
    for (const entry of leadingEntries(rows, folder, now)) add(entry, most)
  }
  return lines.length === 0 ? undefined : { text: [head, ...lines].join('\n'), entries: [...entries], matched }
}

/** The most and latest used entries of the project and for all projects, best first. */
function leadingEntries(rows: Source, folder: string | undefined, now: number): MemoryEntry[] {
  const folders = folder === undefined ? [undefined] : [folder, undefined]
  const found = new Map<number, MemoryEntry>()
  for (const place of folders)
    for (const by of ['uses', 'recency'] as const)
      for (const entry of rows.leading(place, by, 12)) found.set(entry.id, entry)
  return [...found.values()].toSorted((a, b) => standing(b, now) - standing(a, now) || b.id - a.id)
}

/** An entry on one line, e.g. `- package manager: pnpm everywhere`. */
function memoryLine({ key, text }: MemoryEntry): string {
  const line = `- ${key}: ${text}`.replaceAll(/\s+/g, ' ')
  if (bytes(line) <= MAX_LINE_BYTES) return line
  const cut = Buffer.from(line)
    .subarray(0, MAX_LINE_BYTES - 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${cut}… (more with MemorySearch)`
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
