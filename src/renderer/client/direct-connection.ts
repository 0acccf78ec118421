import type { TrestleClient } from '../../shared/contract'
import type { Connection } from './connection'
import { ConnectionStateStore } from './connection-state'

/** A connection that is no wire at all: the engine is in the same process. Always open. */
export function directConnection(client: TrestleClient): Connection {
  const state = new ConnectionStateStore()
  state.set({ status: 'open', lastSignAt: Date.now() })
  return { client, state, reconnectNow: () => {}, close: () => state.set({ status: 'lost' }) }
}
