import type { ConfigProblem } from '../../shared/configuration/settings'
import type { SessionSummary } from '../../shared/model/session'
import type { Task } from '../../shared/model/task'
import type { HookList, SkillList } from '../../shared/configuration/customizations'
import type { AgentChoice, AgentList } from '../../shared/model/agent'
import type { SessionClientCapabilities } from './turn/client-capabilities'
import type { SessionFiles } from './files/session-files'
import type { SessionFilesView } from './workspace/session-files-view'
import type { EngineDiagnostics } from './health/engine-diagnostics'
import type { LoginEnvironment, LoginShellOptions } from './environment/login-environment'
import type { MarkActions } from './store/mark-rows'
import type { HistoryActions } from './audit/verify-history'
import type { GitActions } from './git/git-actions'
import type { Mcp } from './mcp/hub/mcp'
import type { McpContent } from './mcp/content/mcp-content'
import type { StoreBackups } from './store/backup/store-backups'
import type { RecoveryReport } from './store/recovery/recover-sessions'
import type { LegacyCipher } from './config/key-store/key-store'
import type { TaskHostProgram } from './task/client/host-connector'
import type { Trust } from './trust/create-trust'
import type { Inbox } from './approval/inbox'
import type { Conversations } from './conversation/conversations'
import type { KeptTurns } from './session/kept-turns'
import type { Sessions } from './session/sessions-for-hosts'
import type { Tasks } from './session/session-tasks'
import type { Plans } from './turn/session-plans'
import type { Checkpoints } from './checkpoint/checkpoints'
import type { Reviews } from './review/reviews'
import type { DeviceActions } from './pairing/paired-devices'
import type { PlaceActions, PlaceTestOptions } from './place/place-actions'
import type { MailActions } from './mail/mail'
import type { Customize } from './customize/customize'
import type { UsageActions } from './budget/usage-report'
import type { MemoryActions } from './memory/memory'
import type { AlarmActions, AlarmClock, NotificationActions } from './alarm/alarms'
import type { Opener } from './tool/device/device-services'
import type { UserNotification } from '../../shared/model/notification'
import type { ScheduleActions } from './schedule/schedules'
import type { TerminalActions } from './terminal/terminal-client'
import type { PluginActions } from './plugin/plugins'
import type { SessionMoves } from './session-move/session-moves'
import type { SettingsActions } from './settings-actions'
import type { WorktreeActions } from './worktree/worktree-actions'

/** The product without any way in: what every host is handed. Made by `createEngine`. */
export interface Engine {
  readonly version: string
  readonly home: string
  /** What went wrong at start and what was done about it. */
  readonly notices: readonly string[]
  /** Mistakes in config.toml as it is now. */
  problems(): readonly ConfigProblem[]
  readonly sessions: Sessions
  /** Turns that outlive this process; absent in an engine that does not keep them. */
  readonly keptTurns?: KeptTurns
  /** Whole conversations: searching them, and files of them. */
  readonly conversations: Omit<Conversations, 'close'>
  readonly histories: HistoryActions
  readonly moves: SessionMoves
  readonly settings: SettingsActions
  readonly tasks: Tasks
  readonly inbox: Inbox
  readonly trust: Trust
  readonly hooks: { list(folder: string): Promise<HookList> }
  readonly mcpContent: McpContent
  readonly backups: Backups
  readonly plans: Plans
  readonly checkpoints: Checkpoints
  readonly reviews: Omit<Reviews, 'removed'>
  readonly agents: { list(folder: string): Promise<AgentList> }
  /** Lets the agent of a session use what its client has (see `ClientMeans`), until the function returned is called. */
  lend(sessionId: string, means: SessionClientCapabilities): () => void
  readonly mcp: Omit<Mcp, 'close'>
  /** Rules, hooks, skills and agents as the user edits them. */
  readonly customize: () => Promise<Customize>
  readonly memory: MemoryActions
  /** Which sessions the user has read and pinned. */
  readonly marks: MarkActions
  /** Phones and other computers that use this Trestle over the network. */
  readonly devices: DeviceActions
  /** Git in the folders of sessions; loaded when it is first used. */
  git(): Promise<GitActions>
  readonly usage: UsageActions
  readonly notifications: NotificationActions
  readonly alarms: AlarmActions
  readonly mail: MailActions
  readonly schedule: ScheduleActions
  worktrees(): Promise<WorktreeActions>
  readonly plugins: PluginActions
  readonly places: PlaceActions
  readonly terminals: TerminalActions
  readonly skills: { list(folder: string): Promise<SkillList> }
  readonly files: SessionFilesView & Omit<SessionFiles, 'close'>
  /** Where the environment of commands comes from, and how to read it again. */
  readonly environment: Pick<LoginEnvironment, 'view' | 'read' | 'ready'>
  readonly diagnostics: EngineDiagnostics
  /** Told after any change that the lists on screen depend on. Returns how to stop listening. */
  onChange(listener: (change: EngineChange) => void): () => void
  /** Stops every turn and process it started, records how they ended, closes the store. */
  /** `background`: whether background tasks keep running; default: the setting, where `ask` means `keep`. */
  close(background?: 'keep' | 'stop'): Promise<void>
}

/** Backups of the session store, and what can be brought back from them. */
export interface Backups extends Pick<StoreBackups, 'view' | 'take'> {
  /**
   * From this file, or from what was kept of damaged stores and the newest backup. Nothing that is there is changed.
   */
  recover(file?: string): RecoveryReport
}

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
