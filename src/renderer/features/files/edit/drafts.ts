import { create } from 'zustand'
import { windowId } from '../../../state/drafts/window-id'

/** An edit of a file that isn't saved yet. */
export interface FileDraft {
  text: string
  /** The content it started from. */
  mark: string
  at: number
}

/** A draft of another or closed window, with the key it is stored under. */
interface FoundDraft extends FileDraft {
  from?: string
}

const PREFIX = 'trestle.file-draft '
/** Older drafts are dropped when there are too many. */
const MAX_DRAFTS = 50

function keyOf(sessionId: string, path: string, window = windowId): string {
  return `${PREFIX}${window}\n${sessionId}\n${path}`
}

/**
 * Unsaved edits by window, session and path: two windows that edit the same file each keep their own draft. They
 * survive closing the tab and reloading the page.
 */
const useDrafts = create<{ drafts: ReadonlyMap<string, FileDraft> }>()(() => ({ drafts: stored() }))

addEventListener('storage', ({ key, newValue }) => {
  if (!key?.startsWith(PREFIX)) return
  const drafts = new Map(useDrafts.getState().drafts)
  const draft = newValue === null ? undefined : parsed(newValue)
  if (draft) drafts.set(key, draft)
  else drafts.delete(key)
  useDrafts.setState({ drafts })
})

/** The draft of this window, or else the latest draft of another window, which is continued here. */
export function draftOf(sessionId: string, path: string): FoundDraft | undefined {
  const { drafts } = useDrafts.getState()
  const own = drafts.get(keyOf(sessionId, path))
  if (own) return own
  const file = `${sessionId}\n${path}`
  const [found] = [...drafts]
    .filter(([key]) => {
      const place = key.slice(PREFIX.length)
      // Older versions stored no window name.
      return place === file || place.slice(place.indexOf('\n') + 1) === file
    })
    .toSorted(([, a], [, b]) => b.at - a.at)
  return found && { ...found[1], from: found[0] }
}

/** Removes a draft of another window that was continued here, unless it was changed there since. */
export function forgetContinued({ from, at }: FoundDraft): void {
  const drafts = new Map(useDrafts.getState().drafts)
  if (from === undefined || drafts.get(from)?.at !== at) return
  forget(drafts, from)
  useDrafts.setState({ drafts })
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
      const draft = parsed(localStorage.getItem(key) ?? 'null')
      if (draft) drafts.set(key, draft)
    }
  } catch {
    // Without storage drafts last as long as the page.
  }
  return drafts
}

function parsed(json: string): FileDraft | undefined {
  try {
    const draft: unknown = JSON.parse(json)
    return isDraft(draft) ? draft : undefined
  } catch {
    return undefined
  }
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
