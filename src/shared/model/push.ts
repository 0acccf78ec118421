import type { LiveEvent, SessionEvent } from './event'
import type { SessionHeader, SessionSummary } from './session'

/**
 * What a subscriber to one session gets. First `start`, then every recorded event after the `since` it asked for, once and in order,
 * with live events between. `start` comes again whenever live events were left out (at the end of a replay, after a jam): it replaces the header and
 * everything that was being streamed, and no recorded event is repeated or left out around it. Only events with `seq > header.seq` are folded into its header. `lagged`: this client was too slow, what was queued for it is dropped and the subscription ends; it subscribes again
 * with the last `seq` it has and misses nothing.
 */
export type SessionPush =
  | {
      type: 'start'
      header: SessionHeader
      /** What is being streamed right now, from its beginning; replaces what the client had. */ live: LiveEvent[]
    }
  | { type: 'events'; events: SessionEvent[] }
  | { type: 'lagged' }

/** What a subscriber to the whole app gets: state, not history, so only the newest counts. */
export type AppPush =
  | { type: 'sessions'; changed: SessionSummary[]; removed: string[] }
  | { type: 'settings' }
  | { type: 'models' }
  /** The user chose something in a menu outside the page. */
  | { type: 'command'; command: HostCommand }
  /** Sent every few seconds so that silence means a lost connection. */
  | { type: 'heartbeat'; at: number }

/** What a native menu can ask of the page. */
export type HostCommand = 'new-session' | 'open-settings'
