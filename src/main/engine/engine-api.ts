import type { ConfigProblem } from '../../shared/configuration/settings'
import type { HookList, SkillList } from '../../shared/configuration/customize/customizations'
import type { AgentList } from '../../shared/model/session/agent'
import type { SessionClientCapabilities } from './turn/session/client-capabilities'
import type { SessionFiles } from './files/session-files'
import type { SessionFilesView } from './workspace/session-files-view'
import type { EngineDiagnostics } from './health/engine-diagnostics'
import type { LoginEnvironment } from './environment/login-environment'
import type { MarkActions } from './store/rows/mark-rows'
import type { HistoryActions } from './audit/verify-history'
import type { GitActions } from './git/git-actions'
import type { Mcp } from './mcp/hub/mcp'
import type { McpContent } from './mcp/content/mcp-content'
import type { StoreBackups } from './store/backup/store-backups'
import type { RecoveryReport } from './store/recovery/recover-sessions'
import type { Trust } from './trust/create-trust'
import type { Inbox } from './approval/inbox'
import type { Conversations } from './conversation/conversations'
import type { KeptTurns } from './session/kept-turns'
import type { Sessions } from './session/sessions-for-hosts'
import type { Tasks } from './session/session-tasks'
import type { Plans } from './turn/session/session-plans'
import type { Checkpoints } from './checkpoint/checkpoints'
import type { Reviews } from './review/reviews'
import type { DeviceActions } from './pairing/paired-devices'
import type { PlaceActions } from './place/place-actions'
import type { MailActions } from './mail/mail'
import type { Customize } from './customize/customize'
import type { UsageActions } from './budget/usage-report'
import type { MemoryActions } from './memory/memory'
import type { AlarmActions, NotificationActions } from './alarm/alarms'
import type { ScheduleActions } from './schedule/schedules'
import type { TerminalActions } from './terminal/terminal-client'
import type { PluginActions } from './plugin/plugins'
import type { SessionMoves } from './session-move/session-moves'
import type { SettingsActions } from './customize/settings-actions'
import type { WorktreeActions } from './worktree/worktree-actions'
import type { EngineChange } from './foundation/engine-options'

/** The product without a user interface. Every host gets one from `createEngine`. */
export interface Engine {
  readonly version: string
  readonly home: string
  /** Problems at startup and how they were handled. */
  readonly notices: readonly string[]
  /** Problems in the current config.toml. */
  problems(): readonly ConfigProblem[]
  readonly sessions: Sessions
  /** Turns that outlive this process; absent in an engine that does not keep them. */
  readonly keptTurns?: KeptTurns
  /** Searches, exports and imports whole conversations. */
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
  /** Lets a session's agent use its client's capabilities, until the returned function is called. */
  registerCapabilities(sessionId: string, capabilities: SessionClientCapabilities): () => void
  readonly mcp: Omit<Mcp, 'close'>
  /** Lets the user edit rules, hooks, skills and agents. */
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
  /** Where the environment of commands comes from; reads it again on request. */
  readonly environment: Pick<LoginEnvironment, 'view' | 'read' | 'ready'>
  readonly diagnostics: EngineDiagnostics
  /** Calls `listener` after any change that the lists on screen depend on. Returns the function that unsubscribes. */
  onChange(listener: (change: EngineChange) => void): () => void
  /** Stops every turn and process it started, records how they ended, and closes the store. */
  /** `background`: whether background tasks keep running; default: the setting, where `ask` means `keep`. */
  close(background?: 'keep' | 'stop'): Promise<void>
}

/** Backups of the session store, and recovery from them. */
export interface Backups extends Pick<StoreBackups, 'view' | 'take'> {
  /** Recovers from this file, or from saved damaged stores and the newest backup. Existing data is not changed. */
  recover(file?: string): RecoveryReport
}
