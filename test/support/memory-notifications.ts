import type { Engine } from '../../src/main/engine/engine-api'

/** An engine without notifications. */
export const NO_NOTIFICATIONS: Engine['notifications'] = {
  list: () => ({ notifications: [], total: 0, unread: 0 }),
  markRead: () => 0,
  clear: () => [],
  restore: () => 0,
}
