import { create } from 'zustand'

/** An edit of a file that isn't saved yet. */
export interface FileDraft {
  text: string
  /** The content it started from. */
  mark: string
  at: number
}

const PREFIX = 'trestle.file-draft '
/** Older drafts are dropped when there are too many. */
const MAX_DRAFTS = 50

function keyOf(sessionId: string, path: string): string {
  return `${PREFIX}${sessionId}\n${path}`
}

/** Unsaved edits by session and path. They survive closing the tab and reloading the page. */
export const useDrafts = create<{ drafts: ReadonlyMap<string, FileDraft> }>()(() => ({ drafts: stored() }))

export function useDraft(sessionId: string, path: string): FileDraft | undefined {
  return useDrafts(({ drafts }) => drafts.get(keyOf(sessionId, path)))
}

export function draftOf(sessionId: string, path: string): FileDraft | undefined {
  return useDrafts.getState().drafts.get(keyOf(sessionId, path))
}

/** Keeps an edit; undefined removes it. Returns whether it could be kept for a reload. */
export function keepDraft(sessionId: string, path: string, draft: Omit<FileDraft, 'at'> | undefined): boolean {
  const key = keyOf(sessionId, path)
  const drafts = new Map(useDrafts.getState().drafts)
  if (draft) drafts.set(key, { ...draft, at: Date.now() })
  else drafts.delete(key)
  const oldest = [...drafts].toSorted(([, a], [, b]) => a.at - b.at)
  for (const [old] of oldest.slice(0, Math.max(0, drafts.size - MAX_DRAFTS))) forget(drafts, old)
  useDrafts.setState({ drafts })
  try {
    const now = drafts.get(key)
    if (now) localStorage.setItem(key, JSON.stringify(now))
    else localStorage.removeItem(key)
    return true
  } catch {
    return false
  }
}

function forget(drafts: Map<string, FileDraft>, key: string): void {
  drafts.delete(key)
  try {
    localStorage.removeItem(key)
  } catch {
    // Without storage there is nothing to remove.
  }
}

function stored(): ReadonlyMap<string, FileDraft> {
  const drafts = new Map<string, FileDraft>()
  try {
    for (let n = 0; n < localStorage.length; n++) {
      const key = localStorage.key(n)
      if (!key?.startsWith(PREFIX)) continue
      const draft: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
      if (isDraft(draft)) drafts.set(key, draft)
    }
  } catch {
    // Without storage drafts last as long as the page.
  }
  return drafts
}

function isDraft(value: unknown): value is FileDraft {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'mark' in value &&
    typeof value.mark === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  )
}
