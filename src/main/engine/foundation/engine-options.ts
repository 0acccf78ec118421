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

/** What the lists on screen depend on and has changed. */
export type EngineChange =
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'session.removed'; sessionId: string }
  /** It continues on another machine, or here: what is subscribed to it has to be subscribed to again. */
  | { kind: 'session.moved'; sessionId: string }
  | { kind: 'task'; task: Task }
  | { kind: 'task.removed'; taskId: string }
  | { kind: 'inbox' }
  | { kind: 'trust'; folder: string }
  /** `about`: servers, which the interface shows in a place of their own. */
  | { kind: 'notice'; text: string; tone: 'info' | 'warning'; about?: 'mcp' }
  | { kind: 'settings' }
  | { kind: 'models' }
  /** MCP servers: what is configured, how they are, what they offer. */
  | { kind: 'mcp' }
  /** What is remembered. */
  | { kind: 'memory' }
  /** Worktrees of sessions: which there are, and how they are. */
  | { kind: 'worktrees' }
  /** Which sessions the user has read and pinned. */
  | { kind: 'marks' }
  /** The repository of a session. */
  | { kind: 'git' }
  /** The user is notified of this now. */
  | { kind: 'notification'; notification: UserNotification }
  /** The list of notifications. */
  | { kind: 'notifications' }
  | { kind: 'alarms' }
  /** Schedules and their runs. */
  | { kind: 'schedules' }
  /** Plugins: what is installed, and what of it counts. */
  | { kind: 'plugins' }
  /** The user's own terminals. */
  | { kind: 'terminals' }
  /** Places: which there are, and how they are. */
  | { kind: 'places' }

/** What a host decides about its engine. */
export interface EngineOptions {
  version: string
  /** Default: TRESTLE_HOME, else ~/.trestle. */
  home?: string
  /** Opens the keys that an older version of the desktop app stored. */
  legacyCipher?: () => LegacyCipher | undefined
  /** The agent that new sessions run as when none is named; default: the usual one. */
  agent?: AgentChoice
  /** Overrides `[loop] max_steps`. */
  maxSteps?: number
  /** Whether a person can be asked for approvals as long as this engine runs; default false: asking means denied. */
  interactive?: boolean
  /**
   * Whether that person can answer the requests of every session here; default: as `interactive`. Otherwise a scheduled
   * run that waits is left to the process where its request is answered.
   */
  hasInbox?: boolean
  /** Whether that person can type at the terminals of commands; default: as `interactive`. */
  canType?: boolean
  /** Whether config.toml is watched for changes; default true. */
  watch?: boolean
  /**
   * Whether this engine is the one of its home, whose turns outlive their process: they are continued after a crash,
   * and can be left to another process; default false.
   */
  keepsTurns?: boolean
  /** Whether queued prompts start automatically; default true. */
  runsQueue?: boolean
  /** How the task host is started; without it nothing can be put into the background. */
  taskHost?: TaskHostProgram
  /**
   * Set when this process was started without the user's shell: its environment is read, and commands, servers, hooks
   * and named keys wait for it.
   */
  loginShell?: LoginShellOptions
  /** How pages and files are opened on the user's screen; absent: the user gets links. */
  opener?: Opener
  /** The clock of alarms; default: the system's. */
  alarmClock?: AlarmClock
  /** What the operating system says about proxies for an address, as a list like `PROXY host:8080; DIRECT`. */
  systemProxy?(url: string): Promise<string>
  /** Set by tests of places. */
  places?: PlaceTestOptions
  /** Where bugs are written down. */
  log?(message: string): void
}
