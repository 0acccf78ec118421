import { stored } from '../../state/stored'

const MOST = 100
/** Longer prompts are pasted material: they would only fill the storage. */
const LONGEST = 8000

/** The prompts of a session as ArrowUp and ArrowDown walk through them. Pure: each step gives a new walk. */
export interface HistoryWalk {
  entries: readonly string[]
  /** `entries.length` is the present: what was being written. */
  at: number
  /** What was being written when the walk began. */
  draft: string
}

export function startWalk(entries: readonly string[]): HistoryWalk {
  return { entries, at: entries.length, draft: '' }
}

/** One step back (-1) or forth (1); undefined when there is nothing in that direction. */
export function step(walk: HistoryWalk, direction: -1 | 1, current: string): { walk: HistoryWalk; text: string } | undefined {
  const at = walk.at + direction
  if (at < 0 || at > walk.entries.length) return undefined
  const draft = walk.at === walk.entries.length ? current : walk.draft
  return { walk: { ...walk, at, draft }, text: at === walk.entries.length ? draft : (walk.entries[at] ?? '') }
}

/** History with one more prompt; a repeated one moves to the end. */
export function withEntry(entries: readonly string[], text: string): string[] {
  if (text.trim() === '' || text.length > LONGEST) return [...entries]
  return [...entries.filter((entry) => entry !== text), text].slice(-MOST)
}

/** Whether ArrowUp (-1) or ArrowDown (1) leaves the text: the caret is in its first or last line with nothing selected. */
export function leavesText(text: string, selectionStart: number, selectionEnd: number, direction: -1 | 1): boolean {
  if (selectionStart !== selectionEnd) return false
  return direction === -1 ? !text.slice(0, selectionStart).includes('\n') : !text.slice(selectionEnd).includes('\n')
}

const historyKey = (sessionId: string): string => `trestle.history.${sessionId}`
const draftKey = (sessionId: string): string => `trestle.draft.${sessionId}`

/** What is kept per session in this browser: the prompts sent, and the text that was not. */
export const kept = {
  history(sessionId: string): string[] {
    try {
      const value: unknown = JSON.parse(stored.read(historyKey(sessionId)) ?? '[]')
      return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []
    } catch {
      return []
    }
  },
  remember(sessionId: string, text: string): void {
    stored.write(historyKey(sessionId), JSON.stringify(withEntry(kept.history(sessionId), text)))
  },
  draft: (sessionId: string): string => stored.read(draftKey(sessionId)) ?? '',
  keepDraft: (sessionId: string, text: string): void => stored.write(draftKey(sessionId), text === '' ? undefined : text),
}
