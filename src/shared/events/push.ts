import type { LiveEvent, SessionEvent } from './event'
import type { InboxEntry } from '../model/approval/approval'
import type { SessionHeader, SessionSummary } from '../model/session/session'
import type { Task, TaskUsage } from '../model/task/task'
import type { UserNotification } from '../model/assistant/notification'

/**
 * The pushes of one session. First `start`, then every recorded event after the requested `since`, once and in order,
 * with live events between. `start` is sent again whenever live events were dropped (at the end of a replay, or for a
 * slow client): it replaces the header and everything that was being streamed; no recorded event is repeated or missing
 * around it. Only events with `seq > header.seq` are folded into its header. `lagged`: this client was too slow; its
 * queue is dropped and the subscription ends. It subscribes again with its last `seq` and misses nothing.
 */
export type SessionPush =
  | {
      type: 'start'
      header: SessionHeader
      /** What is currently being streamed, from its start; replaces what the client had. */ live: LiveEvent[]
    }
  | { type: 'events'; events: SessionEvent[] }
  | { type: 'lagged' }

/** The pushes of the whole app: state, not history, so only the newest one counts. */
export type AppPush =
  /** `more`: the list at the start of a subscription is not complete yet; the first push without it completes it. */
  | { type: 'sessions'; changed: SessionSummary[]; removed: string[]; more?: true }
  | { type: 'tasks'; changed: Task[]; removed: string[] }
  /** All pending requests, first in first out. */
  | { type: 'inbox'; entries: InboxEntry[] }
  /** Whether a folder's own configuration applies has changed. */
  | { type: 'trust'; folder: string }
  /** Something the user should know now, e.g. that the task host died; a sentence. */
  | { type: 'notice'; text: string; tone: 'info' | 'warning'; about?: 'mcp' }
  | { type: 'settings' }
  | { type: 'models' }
  /** MCP servers: their configuration, state, and tools. */
  | { type: 'mcp' }
  /** Remembered entries. */
  | { type: 'memory' }
  /** Which sessions the user has read and pinned. */
  | { type: 'marks' }
  /** The repository of a session. */
  | { type: 'git' }
  /** Worktrees of sessions, and their state. */
  | { type: 'worktrees' }
  /** The user is notified of this now. */
  | { type: 'notification'; notification: UserNotification }
  /** The list of notifications. */
  | { type: 'notifications' }
  | { type: 'alarms' }
  /** Schedules and their runs. */
  | { type: 'schedules' }
  /** Plugins: what is installed, and what is enabled. */
  | { type: 'plugins' }
  /** The user's own terminals, and their state. */
  | { type: 'terminals' }
  /** Places, and their state. */
  | { type: 'places' }
  /** The user chose something in a menu outside the page. */
  | { type: 'command'; command: HostCommand }
  /** Sent every few seconds so that silence means a lost connection. */
  | { type: 'heartbeat'; at: number }

/** What a native menu, a link, or a click on a notification can request from the page. */
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
  /** The page for starting a session, in this folder. */
  | { open: 'folder'; folder: string }
  /** Shows a message, e.g. that a file was saved. */
  | { tell: string; tone: 'info' | 'warning' }
  /** The result of `desktop.view` has changed. */
  | 'desktop-changed'

/**
 * The pushes of one task: first `start`, then output and status as they change. A slow client gets `start` again with
 * the newest output instead of everything between.
 */
export type TaskPush =
  /** `text` is the newest raw output, which starts at byte `from` of the whole output. */
  | { type: 'start'; task: Task; text: string; from: number }
  | { type: 'output'; text: string }
  | { type: 'task'; task: Task }

/** The usage of every running task, once a second. */
export interface UsagePush {
  at: number
  usage: TaskUsage[]
}
