import type { NotificationPage } from '../../../shared/model/notification'

/** What the user does with the list of notifications, in any host. Without ids: all of them. */
export interface NotificationActions {
  list(offset: number, limit: number): NotificationPage
  /** Returns how many were unread. */
  markRead(ids?: readonly number[]): number
  /** Returns the ids of those that were cleared: they can be restored for 30 days. */
  clear(ids?: readonly number[]): number[]
  restore(ids: readonly number[]): number
}
