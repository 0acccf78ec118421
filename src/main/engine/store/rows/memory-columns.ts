import type {
  MemoryAuthor,
  MemoryChange,
  MemoryContent,
  MemoryEntry,
  MemoryVersion,
} from '../../../../shared/model/assistant/memory'

interface ContentRow {
  key: string
  text: string
  category: string | null
  /** Empty if it applies everywhere. */
  folder: string
}

/** A row of the table `memory`. */
export interface EntryRow extends ContentRow {
  id: number
  author: string
  uses: number
  shown: number
  created_at: number
  updated_at: number
  used_at: number | null
  active_at: number
  session_id: string | null
  seq: number | null
  deleted_at: number | null
}

/** A row of the table `memory_version`. */
export interface VersionRow extends ContentRow {
  id: number
  memory_id: number
  at: number
  change: string
  author: string
  session_id: string | null
}

/** The columns of an entry's content. */
export function contentColumns({ key, text, category, folder }: MemoryContent): ContentRow {
  return { key, text, category: category ?? null, folder: folder ?? '' }
}

function contentOf({ key, text, category, folder }: ContentRow): MemoryContent {
  return { key, text, ...(category !== null && { category }), ...(folder !== '' && { folder }) }
}

export function entryOf(row: EntryRow): MemoryEntry {
  return {
    id: row.id,
    ...contentOf(row),
    author: row.author as MemoryAuthor,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    uses: row.uses,
    shown: row.shown,
    ...(row.used_at !== null && { usedAt: row.used_at }),
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.seq !== null && { seq: row.seq }),
  }
}

export function versionOf(row: VersionRow): MemoryVersion {
  return {
    id: row.id,
    at: row.at,
    change: row.change as MemoryChange,
    author: row.author as MemoryAuthor,
    ...contentOf(row),
    ...(row.session_id !== null && { sessionId: row.session_id }),
  }
}
