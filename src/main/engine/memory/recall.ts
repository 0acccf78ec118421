import type { MemoryEntry } from '../../../shared/model/assistant/memory'
import type { MemoryRows } from '../store/rows/memory-rows'
import { FIRST, LATER } from './recall-text'
import { rankEntries, standing } from './rank-entries'

/**
 * Of the budget, what entries may take that are only often or recently used. The rest is for those that fit the words
 * of a prompt.
 */
const LEADING_SHARE = 0.25
/** Of the budget, what one prompt may take: later prompts of the conversation need theirs. */
const PROMPT_SHARE = 0.5
/** A prompt calls up at most so many entries, and none that fit less than this share of the best. */
const MAX_MATCHED = 8
const MIN_SHARE_OF_BEST = 0.35
/** Shorter entries are always sent whole. */
const MAX_LINE_BYTES = 400

/** What is known about the request that the entries are for. */
export interface RecallRequest {
  /** What the user wrote. */
  prompt: string
  /** The session's project; undefined: none. */
  folder: string | undefined
  /** The texts of earlier recalls that the model still sees, oldest first. */
  told: readonly string[]
  /** Bytes that all of them and this one may take. */
  budgetBytes: number
  now: number
}

export interface Recall {
  text: string
  /** Ids of the entries in the text. */
  entries: number[]
  /** Those of them that the words of the prompt have called up. */
  matched: number[]
}

type Source = Pick<MemoryRows, 'matching' | 'byIds' | 'count' | 'leading'>

/**
 * The entries for a prompt: first those that fit its words, then, at the beginning of a conversation, those that are
 * used most and latest. Undefined when there is nothing new to tell. What was told once is not told again while the
 * model sees it.
 */
export function recallEntries(rows: Source, request: RecallRequest): Recall | undefined {
  const { prompt, folder, told, budgetBytes, now } = request
  const left = budgetBytes - told.reduce((sum, text) => sum + bytes(text), 0)
  const isFirst = told.length === 0
  const head = isFirst ? FIRST : LATER
  const known = told.join('\n').split('\n')
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

/** The entries of the project and of everywhere that are used most and latest, best first. */
function leadingEntries(rows: Source, folder: string | undefined, now: number): MemoryEntry[] {
  const folders = folder === undefined ? [undefined] : [folder, undefined]
  const found = new Map<number, MemoryEntry>()
  for (const place of folders)
    for (const by of ['uses', 'recency'] as const)
      for (const entry of rows.leading(place, by, 12)) found.set(entry.id, entry)
  return [...found.values()].toSorted((a, b) => standing(b, now) - standing(a, now) || b.id - a.id)
}

/** An entry in one line, e.g. `- package manager: pnpm everywhere`. */
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
