import type { LiveEvent, SessionEvent } from './event'
import type { InboxEntry } from '../model/approval/approval'
import type { SessionHeader, SessionSummary } from '../model/session/session'
import type { Task, TaskUsage } from '../model/task/task'
import type { UserNotification } from '../model/assistant/notification'

/**
 * What a subscriber to one session gets. First `start`, then every recorded event after the `since` it asked for, once
 * and in order, with live events between. `start` comes again whenever live events were left out (at the end of a
 * replay, after a jam): it replaces the header and everything that was being streamed, and no recorded event is
 * repeated or left out around it. Only events with `seq > header.seq` are folded into its header. `lagged`: this client
 * was too slow, what was queued for it is dropped and the subscription ends; it subscribes again with the last `seq` it
 * has and misses nothing.
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
  /** `more`: the list that a subscription begins with is not complete yet; the first push without it completes it. */
  | { type: 'sessions'; changed: SessionSummary[]; removed: string[]; more?: true }
  | { type: 'tasks'; changed: Task[]; removed: string[] }
  /** Everything that waits for an answer, first in first out. */
  | { type: 'inbox'; entries: InboxEntry[] }
  /** Whether a folder's own configuration counts has changed. */
  | { type: 'trust'; folder: string }
  /** Something the user should know about now, e.g. that the task host died; a sentence. */
  | { type: 'notice'; text: string; tone: 'info' | 'warning'; about?: 'mcp' }
  | { type: 'settings' }
  | { type: 'models' }
  /** MCP servers: what is configured, how they are, what they offer. */
  | { type: 'mcp' }
  /** What is remembered. */
  | { type: 'memory' }
  /** Which sessions the user has read and pinned. */
  | { type: 'marks' }
  /** The repository of a session. */
  | { type: 'git' }
  /** Worktrees of sessions: which there are, and how they are. */
  | { type: 'worktrees' }
  /** The user is notified of this now. */
  | { type: 'notification'; notification: UserNotification }
  /** The list of notifications. */
  | { type: 'notifications' }
  | { type: 'alarms' }
  /** Schedules and their runs. */
  | { type: 'schedules' }
  /** Plugins: what is installed, and what of it counts. */
  | { type: 'plugins' }
  /** The user's own terminals: which there are, and how they are. */
  | { type: 'terminals' }
  /** Places: which there are, and how they are. */
  | { type: 'places' }
  /** The user chose something in a menu outside the page. */
  | { type: 'command'; command: HostCommand }
  /** Sent every few seconds so that silence means a lost connection. */
  | { type: 'heartbeat'; at: number }

/** What a native menu, a link, or a click on a notification can ask of the page. */
export type HostCommand =
  | 'new-session'
  | 'open-settings'
  | 'open-inbox'
  | 'open-notifications'
  | 'find'
  | 'show-shortcuts'
  | { open: 'session'; sessionId: string }
  | { open: 'task'; taskId: string }
  | { open: 'settings'; section: string }
  /** The page where a session is started, in this folder. */
  | { open: 'folder'; folder: string }
  /** Shows a message, e.g. that a file was saved. */
  | { tell: string; tone: 'info' | 'warning' }
  /** What `desktop.view` answers has changed. */
  | 'desktop-changed'

/**
 * What a watcher of one task gets: first `start`, then output and status as they change. A slow watcher gets `start`
 * again with the newest instead of all between.
 */
export type TaskPush =
  /** `text` is the newest raw output, which begins at byte `from` of all that was printed. */
  | { type: 'start'; task: Task; text: string; from: number }
  | { type: 'output'; text: string }
  | { type: 'task'; task: Task }

/** What a watcher of usage gets, once a second: every running task. */
export interface UsagePush {
  at: number
  usage: TaskUsage[]
}
