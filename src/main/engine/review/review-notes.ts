import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { ReviewSide } from '../../../shared/model/session/review'
import { readJson, writeAtomically } from '../checkpoint/capture/checkpoint-files'

/** A comment as it is stored, with the text that it was written on. */
export interface StoredComment {
  id: string
  path: string
  side: ReviewSide
  /** Line in the text below. */
  line: number
  endLine: number
  quote: string
  text: string
  /** Hash of the file text that the line numbers refer to. */
  content: string
}

/** The user's notes on the changes of a session. */
export interface Notes {
  viewed: Record<string, string[]>
  kept: Record<string, string[]>
  comments: StoredComment[]
  /** Deleted comments, which can be restored; the latest is last. */
  deleted: StoredComment[]
}

/** Older versions of a file are forgotten. */
const MAX_VERSIONS = 8
const MAX_DELETED = 50
/** Maximum number of unsent comments in one session. */
const MAX_COMMENTS = 500

/** The notes of all sessions, one file each. */
export interface NoteStore {
  read(sessionId: string): Notes
  setViewed(sessionId: string, file: { path: string; key: string }, viewed: boolean): void
  setKept(sessionId: string, path: string, ids: readonly string[], kept: boolean): void
  /** Changes the notes and returns the new ones. */
  change(sessionId: string, work: (notes: Notes) => Notes): Notes
  remove(sessionId: string): void
}

export function createNoteStore(home: string): NoteStore {
  const folder = join(home, 'review')
  const pathOf = (sessionId: string): string => join(folder, `${sessionId.replace(/[^\w-]/g, '_')}.json`)

  const read = (sessionId: string): Notes => notesFrom(readJson(pathOf(sessionId)))

  function change(sessionId: string, work: (notes: Notes) => Notes): Notes {
    const notes = work(read(sessionId))
    if (notes.comments.length > MAX_COMMENTS)
      throw new CodedError('request.invalid', `text: there are ${MAX_COMMENTS} comments already. Send them first.`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeAtomically(pathOf(sessionId), JSON.stringify({ ...notes, deleted: notes.deleted.slice(-MAX_DELETED) }))
    return notes
  }

  return {
    read,
    change,
    setViewed: (sessionId, { path, key }, viewed) =>
      void change(sessionId, (notes) => ({
        ...notes,
        viewed: withEntries(notes.viewed, path, [key], viewed, MAX_VERSIONS),
      })),
    setKept: (sessionId, path, ids, kept) =>
      void change(sessionId, (notes) => ({ ...notes, kept: withEntries(notes.kept, path, ids, kept, Infinity) })),
    remove: (sessionId) => rmSync(pathOf(sessionId), { force: true }),
  }
}

function withEntries(
  lists: Record<string, string[]>,
  path: string,
  entries: readonly string[],
  isIn: boolean,
  most: number,
): Record<string, string[]> {
  const others = (lists[path] ?? []).filter((one) => !entries.includes(one))
  const list = isIn ? [...others, ...entries].slice(-most) : others
  const { [path]: _old, ...rest } = lists
  return list.length === 0 ? rest : { ...rest, [path]: list }
}

/** A file that is damaged or missing counts as empty. */
function notesFrom(found: unknown): Notes {
  const given = (typeof found === 'object' && found !== null ? found : {}) as Partial<Notes>
  return {
    viewed: given.viewed ?? {},
    kept: given.kept ?? {},
    comments: Array.isArray(given.comments) ? given.comments : [],
    deleted: Array.isArray(given.deleted) ? given.deleted : [],
  }
}
