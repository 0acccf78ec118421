import type { SessionSummary } from '../../../shared/model/session/session'
import type { Task } from '../../../shared/model/task/task'
import type { AgentChoice } from '../../../shared/model/session/agent'
import type { LoginShellOptions } from '../environment/login-environment'
import type { LegacyCipher } from '../config/key-store/key-store'
import type { TaskHostProgram } from '../task/client/host-connector'
import type { PlaceTestOptions } from '../place/place-actions'
import type { AlarmClock } from '../alarm/alarms'
import type { Opener } from '../tool/device/device-services'
import type { UserNotification } from '../../../shared/model/assistant/notification'

/** A change that lists on screen depend on. */
export type EngineChange =
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'session.removed'; sessionId: string }
  /** The session continues on another machine, or here: clients have to subscribe to it again. */
  | { kind: 'session.moved'; sessionId: string }
  | { kind: 'task'; task: Task }
  | { kind: 'task.removed'; taskId: string }
  | { kind: 'inbox' }
  | { kind: 'trust'; folder: string }
  /** `about`: MCP servers, which the interface shows separately. */
  | { kind: 'notice'; text: string; tone: 'info' | 'warning'; about?: 'mcp' }
  | { kind: 'settings' }
  | { kind: 'models' }
  /** MCP servers: their configuration, state and tools. */
  | { kind: 'mcp' }
  /** The memory. */
  | { kind: 'memory' }
  /** The worktrees of sessions, and their state. */
  | { kind: 'worktrees' }
  /** Which sessions the user has read and pinned. */
  | { kind: 'marks' }
  /** The repository of a session. */
  | { kind: 'git' }
  /** A new notification for the user. */
  | { kind: 'notification'; notification: UserNotification }
  /** The list of notifications. */
  | { kind: 'notifications' }
  | { kind: 'alarms' }
  /** Schedules and their runs. */
  | { kind: 'schedules' }
  /** Plugins: which are installed and which are active. */
  | { kind: 'plugins' }
  /** The user's own terminals. */
  | { kind: 'terminals' }
  /** Places, and their state. */
  | { kind: 'places' }

/** A host's options for its engine. */
export interface EngineOptions {
  version: string
  /** Default: TRESTLE_HOME, otherwise ~/.trestle. */
  home?: string
  /** Opens the keys that an older version of the desktop app stored. */
  legacyCipher?: () => LegacyCipher | undefined
  /** The agent of new sessions that do not choose one; default: the built-in one. */
  agent?: AgentChoice
  /** Overrides `[loop] max_steps`. */
  maxSteps?: number
  /** Whether a person can be asked for approvals while this engine runs; default: false, which denies such calls. */
  interactive?: boolean
  /**
   * Whether that person can answer the requests of every session here; default: as `interactive`. Otherwise a waiting
   * scheduled run is left to the process where its request is answered.
   */
  hasInbox?: boolean
  /** Whether that person can type at the terminals of commands; default: as `interactive`. */
  canType?: boolean
  /** Whether config.toml is watched for changes; default: true. */
  watch?: boolean
  /**
   * Whether this engine has the engine role of its home, so that turns outlive their process: they are continued after
   * a crash, and can be handed to another process; default: false.
   */
  keepsTurns?: boolean
  /** Whether queued prompts start automatically; default: true. */
  runsQueue?: boolean
  /** How to start the task host; without it, nothing can run in the background. */
  taskHost?: TaskHostProgram
  /**
   * Set if this process was started without the user's shell: its environment is read, and commands, servers, hooks and
   * named keys wait for it.
   */
  loginShell?: LoginShellOptions
  /** Opens pages and files on the user's screen; absent: the user gets links. */
  opener?: Opener
  /** The clock of alarms; default: the system's. */
  alarmClock?: AlarmClock
  /** The operating system's proxies for an address, as a list like `PROXY host:8080; DIRECT`. */
  systemProxy?(url: string): Promise<string>
  /** Set by tests of places. */
  places?: PlaceTestOptions
  /** Logs bugs. */
  log?(message: string): void
}
