import type {
  NewNotification,
  NotificationPage,
  UserNotification,
} from '../../../../shared/model/assistant/notification'
import type { Database } from '../database/database'

interface NotificationRow {
  id: number
  at: number
  title: string
  body: string
  source: UserNotification['source']
  session_id: string | null
  read_at: number | null
}

/** What the user was notified of. `ids` undefined: all. */
export interface NotificationRows {
  add(notification: NewNotification, at: number): UserNotification
  list(offset: number, limit: number): NotificationPage
  /** Returns how many were unread before. */
  markRead(ids: readonly number[] | undefined, at: number): number
  /** Returns the ids of those that were removed from the list. */
  clear(ids: readonly number[] | undefined, at: number): number[]
  /** Returns how many were restored. */
  restore(ids: readonly number[]): number
  /** Permanently deletes those cleared before a time, and all but the newest `kept`. */
  purge(clearedBefore: number, kept: number): void
}

export function createNotificationRows(db: Database): NotificationRows {
  const insert = db.prepare(
    'INSERT INTO notification (at, title, body, source, session_id) VALUES (@at, @title, @body, @source, @sessionId)',
  )
  const listed = db.prepare<[number, number], NotificationRow>(
    'SELECT * FROM notification WHERE deleted_at IS NULL ORDER BY id DESC LIMIT ? OFFSET ?',
  )
  const counts = db.prepare<[], { total: number; unread: number }>(
    'SELECT count(*) AS total, count(*) - count(read_at) AS unread FROM notification WHERE deleted_at IS NULL',
  )
  const chosen = '(@ids IS NULL OR id IN (SELECT value FROM json_each(@ids)))'
  const markRead = db.prepare(
    `UPDATE notification SET read_at = @at WHERE read_at IS NULL AND deleted_at IS NULL AND ${chosen}`,
  )
  const clear = db
    .prepare<[{ at: number; ids: string | null }], number>(
      `UPDATE notification SET deleted_at = @at WHERE deleted_at IS NULL AND ${chosen} RETURNING id`,
    )
    .pluck()
  const restore = db.prepare<[string]>(
    'UPDATE notification SET deleted_at = NULL WHERE deleted_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))',
  )
  const purgeCleared = db.prepare<[number]>('DELETE FROM notification WHERE deleted_at < ?')
  const purgeOld = db.prepare<[number]>(
    'DELETE FROM notification WHERE id <= (SELECT id FROM notification ORDER BY id DESC LIMIT 1 OFFSET ?)',
  )

  return {
    add({ sessionId, ...notification }, at) {
      const { lastInsertRowid } = insert.run({ ...notification, at, sessionId: sessionId ?? null })
      return { ...notification, id: Number(lastInsertRowid), at, ...(sessionId !== undefined && { sessionId }) }
    },
    list: (offset, limit) => ({
      notifications: listed.all(limit, offset).map(notificationOf),
      ...(counts.get() ?? { total: 0, unread: 0 }),
    }),
    markRead: (ids, at) => markRead.run({ ids: json(ids), at }).changes,
    clear: (ids, at) => clear.all({ ids: json(ids), at }),
    restore: (ids) => restore.run(JSON.stringify(ids)).changes,
    purge(clearedBefore, kept) {
      purgeCleared.run(clearedBefore)
      purgeOld.run(kept)
    },
  }
}

/** A list for json_each; null for all. */
function json(ids: readonly number[] | undefined): string | null {
  return ids ? JSON.stringify(ids) : null
}

function notificationOf({ id, at, title, body, source, session_id, read_at }: NotificationRow): UserNotification {
  return {
    id,
    at,
    title,
    body,
    source,
    ...(session_id !== null && { sessionId: session_id }),
    ...(read_at !== null && { readAt: read_at }),
  }
}
