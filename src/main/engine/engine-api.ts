import type { DesktopSettings } from '../../shared/model/desktop'
import type { Approval, InboxEntry, PermissionMode, PersonAnswer, RuleChoice } from '../../shared/model/approval'
import type { ContextView } from '../../shared/model/compaction'
import type { Effort, EffortChoice } from '../../shared/model/effort'
import type { LiveEvent, SessionEvent } from '../../shared/model/event'
import type { RecordedEvent } from '../../shared/model/event'
import type { FileHunks, RestorePoint, RestorePreview, RestoreResult, SessionFile } from '../../shared/model/checkpoint'
import type { UserPart } from '../../shared/model/message'
import type { SearchHit, SessionHeader, SessionSummary } from '../../shared/model/session'
import type {
  ConfigProblem,
  ConnectionTest,
  FoundServer,
  OfferedModels,
  ProviderType,
  SandboxChange,
  SettingsView,
  ToolSearchView,
} from '../../shared/model/settings'
import type { Orphan, Task, TaskOutputPage } from '../../shared/model/task'
import type { TaskPush, UsagePush } from '../../shared/model/push'
import type { PlanView } from '../../shared/model/plan'
import type { ToolsView } from '../../shared/model/tools-view'
import type { TrustedFolder, TrustView } from '../../shared/model/trust'
import type { HookList } from '../../shared/model/hook'
import type { AgentChoice, AgentList } from '../../shared/model/agent'
import type { SkillList } from '../../shared/model/skill'
import type { ClientMeans } from './session/client-means'
import type { SessionFilesView } from './workspace/session-files-view'
import type { EngineDiagnostics } from './health/engine-diagnostics'
import type { LoginEnvironment } from './environment/login-environment'
import type { Mcp } from './mcp/mcp'
import type { McpContent } from './mcp/mcp-content'
import type { StoreBackups } from './session/sqlite/backup/store-backups'
import type { RecoveryReport } from './session/sqlite/recovery/recover-sessions'
import type { ModelInfo } from './model/provider'

/** The product without any way in: what every host is handed. Made by `createEngine`. */
export interface Engine {
  readonly version: string
  readonly home: string
  /** What went wrong at start and what was done about it. */
  readonly notices: readonly string[]
  /** Mistakes in config.toml as it is now. */
  problems(): readonly ConfigProblem[]
  readonly sessions: Sessions
  readonly settings: SettingsActions
  readonly tasks: Tasks
  readonly inbox: Inbox
  readonly trust: Trust
  readonly hooks: { list(folder: string): Promise<HookList> }
  readonly mcpContent: McpContent
  readonly backups: Backups
  readonly plans: Plans
  readonly checkpoints: Checkpoints
  readonly agents: { list(folder: string): Promise<AgentList> }
  /** Lets the agent of a session use what its client has (see `ClientMeans`), until the function returned is called. */
  lend(sessionId: string, means: ClientMeans): () => void
  readonly mcp: Omit<Mcp, 'close'>
  readonly skills: { list(folder: string): Promise<SkillList> }
  readonly files: SessionFilesView
  /** Where the environment of commands comes from, and how to read it again. */
  readonly environment: Pick<LoginEnvironment, 'view' | 'read'>
  readonly diagnostics: EngineDiagnostics
  /** Told after any change that the lists on screen depend on. Returns how to stop listening. */
  onChange(listener: (change: EngineChange) => void): () => void
  /** Stops every turn and process it started, records how they ended, closes the store. */
  /** Background tasks go on or are stopped, as `background` says; default: as the settings say, with `ask` taken as `keep`. */
  close(background?: 'keep' | 'stop'): Promise<void>
}

/** Backups of the session store, and what can be brought back from them. */
export interface Backups extends Pick<StoreBackups, 'view' | 'take'> {
  /** From this file, or from what was kept of damaged stores and the newest backup. Nothing that is there is changed. */
  recover(file?: string): RecoveryReport
}

export type EngineChange =
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'session.removed'; sessionId: string }
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

/** Everything that can be done with sessions. Failures are `CodedError`s. */
export interface Sessions {
  list(filter: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[]
  create(input: {
    folder: string
    model?: string
    effort?: Effort
    mode?: PermissionMode
    addedFolders?: string[]
    /** Absent: the usual one. */
    agent?: AgentChoice
  }): Promise<SessionHeader>
  /** Header and latest window; recovers a turn that a dead process left open. */
  open(sessionId: string, limit: number): Promise<{ header: SessionHeader; events: RecordedEvent[]; hasMore: boolean }>
  window(sessionId: string, options: { before: number; limit: number }): { events: RecordedEvent[]; hasMore: boolean }
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  header(sessionId: string): SessionHeader
  change(
    sessionId: string,
    change: {
      title?: string
      model?: string
      effort?: EffortChoice
      mode?: PermissionMode
      /** From the next turn on; `null`: the usual one. */
      agent?: AgentChoice | null
      addedFolders?: string[]
      archived?: boolean
    },
  ): Promise<SessionHeader>
  remove(sessionId: string): Promise<void>
  /** Newest first; with a session only its own messages. */
  search(query: string, limit: number, sessionId?: string): SearchHit[]
  /** `effort`: for the turn that it starts alone. */
  prompt(sessionId: string, parts: UserPart[], options?: { effort?: Effort }): Promise<{ queued: boolean; promptId?: string }>
  steer(sessionId: string, input: { parts?: UserPart[]; promptId?: string }): Promise<void>
  editQueued(sessionId: string, promptId: string, parts: UserPart[]): Promise<void>
  removeQueued(sessionId: string, promptId: string): Promise<void>
  stop(sessionId: string): Promise<void>
  /** A new session in the same folder that begins with the conversation up to the event `to`; default: all of it. Files stay as they are. */
  fork(sessionId: string, to?: number): Promise<SessionHeader>
  reply(sessionId: string, answer: ApprovalAnswer): Promise<void>
  /** Compacts the conversation while no turn runs; false when it was stopped. */
  compact(sessionId: string, instruction?: string): Promise<boolean>
  /** Takes back the compaction in force. */
  undoCompaction(sessionId: string, compactionId: string): Promise<void>
  /** What the next request would be made of. */
  context(sessionId: string): Promise<ContextView>
  /** Every tool of the session with what it takes of a request: sent, loaded on demand, or off. */
  tools(sessionId: string): Promise<ToolsView>
  /**
   * Calls `listener` synchronously with every event of the session from now on, recorded ones after they are stored. It must be quick and must not throw: the
   * engine does not wait for it.
   */
  listen(sessionId: string, listener: (event: SessionEvent) => void): () => void
  /** What is being streamed right now, as live events that rebuild it from nothing. */
  live(sessionId: string): LiveEvent[]
  /** Paths of the session's project that fit `query`, best first. */
  completeFile(sessionId: string, query: string, limit: number): Promise<{ path: string; isFolder: boolean }[]>
}

/** Plan mode as the user has it in hand. See the contract of the same name. */
export interface Plans {
  enter(sessionId: string): Promise<SessionHeader>
  leave(sessionId: string): Promise<SessionHeader>
  view(sessionId: string): Promise<PlanView>
  revision(sessionId: string, of: { plan: number; revision: number }): Promise<{ text: string }>
}

/** How a waiting approval is answered. `rule` goes with `allow_always`: one of its `RuleChoice`s. */
export interface ApprovalAnswer extends PersonAnswer {
  approvalId: string
  rule?: { pattern: string; scope: 'session' | 'user' }
}

/** Tasks of all sessions, of this process and of every other on the same home. See the contract of the same name. */
export interface Tasks {
  list(filter: { activeOnly?: boolean; limit?: number }): Promise<Task[]>
  get(taskId: string): Promise<Task>
  output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage>
  stop(taskId: string, reason?: string): Promise<Task>
  stopAll(filter: { sessionId?: string }): Promise<{ stopped: number }>
  restart(taskId: string): Promise<Task>
  input(taskId: string, data: string): Promise<void>
  moveToBackground(taskId: string): Promise<Task>
  sendToSession(taskId: string): Promise<{ sessionId: string }>
  orphans(): Promise<Orphan[]>
  killOrphans(pids?: readonly number[]): Promise<{ stopped: number }>
  /** Calls `listener` with a `start` and then with what changes, until the function returned is called. It must be quick and must not throw. */
  watch(taskId: string, listener: (push: TaskPush) => void): () => void
  /** Whether this process runs the task itself, so that it ends with it. */
  endsHere(taskId: string): boolean
  /** What becomes of background tasks when this engine is closed, as the settings say. */
  onExit(): 'keep' | 'stop' | 'ask'
  /** Measures once a second while anybody listens. */
  watchUsage(listener: (push: UsagePush) => void): () => void
}

/** What a restore is to do; see `RestorePreview`. */
export interface RestoreRequest {
  /** Things become as they were right after this event; it is right before a message of the user or a restore. 0 goes with `paths`. */
  to: number
  files: boolean
  conversation: boolean
  /** Only these files, to any `to`. */
  paths?: readonly string[]
  /** Files that may be restored although someone else has changed them since; what they are now is kept. */
  overwrite?: readonly string[] | 'all'
}

/** Going back in a session: its files, its conversation, or both; and forth again, since every restore is itself something to go back from. */
export interface Checkpoints {
  /** Messages of the user as the conversation has them now, oldest first. */
  points(sessionId: string): Promise<RestorePoint[]>
  /** Changes nothing. */
  preview(sessionId: string, request: RestoreRequest): Promise<RestorePreview>
  /** `session.busy` while a turn runs. */
  restore(sessionId: string, request: RestoreRequest): Promise<RestoreResult>
  latestRestore(sessionId: string): Promise<(RecordedEvent & { type: 'checkpoint.restored' }) | undefined>
  /** Files that are not what they were before the session changed them. */
  files(sessionId: string): Promise<SessionFile[]>
  hunks(sessionId: string, path: string): Promise<FileHunks>
  /** Takes one hunk back; `checkpoint.changed` when the file is not what was shown. */
  undoHunk(sessionId: string, path: string, hunkId: string): Promise<{ seq: number }>
}

/** Approvals that wait, over all sessions. */
export interface Inbox {
  /** First in, first out. */
  list(): InboxEntry[]
  get(sessionId: string, approvalId: string): Approval
  choices(sessionId: string, approvalId: string): Promise<RuleChoice[]>
}

/** Whether a project's own configuration counts. */
export interface Trust {
  view(folder: string): Promise<TrustView>
  accept(folder: string, hash: string): Promise<TrustView>
  refuse(folder: string, hash: string): Promise<TrustView>
  list(): Promise<TrustedFolder[]>
  forget(folder: string): Promise<void>
}

/** Settings as the interface changes them; each returns the new view and leaves comments and order of the file alone. */
export interface SettingsActions {
  view(): SettingsView
  models(): ModelInfo[]
  saveProvider(input: {
    id: string
    type: SettingsView['providers'][number]['type']
    baseUrl?: string
    apiKeyEnv?: string
    apiKey?: string
  }): Promise<SettingsView>
  removeProvider(id: string): Promise<SettingsView>
  saveModel(input: {
    id: string
    providerId: string
    model: string
    label?: string
    contextWindow?: number
    maxOutputTokens?: number
    toolCalls?: boolean
    imagesIn?: boolean
    videoIn?: boolean
    thinking?: boolean
  }): Promise<SettingsView>
  removeModel(id: string): Promise<SettingsView>
  setDefaultModel(id: string): Promise<SettingsView>
  setSmallModel(id: string | undefined): Promise<SettingsView>
  setFallbackModel(id: string | undefined): Promise<SettingsView>
  offeredModels(input: { id?: string; type: ProviderType; baseUrl?: string; apiKey?: string }): Promise<OfferedModels>
  setDefaultMode(mode: PermissionMode): Promise<SettingsView>
  setToolEnabled(name: string, enabled: boolean): Promise<SettingsView>
  setNotifications(change: { enabled?: boolean; sound?: boolean }): Promise<SettingsView>
  setToolSearch(change: Partial<ToolSearchView>): Promise<SettingsView>
  setSandbox(change: SandboxChange): Promise<SettingsView>
  setDesktop(change: Partial<DesktopSettings>): Promise<SettingsView>
  setLoginShell(enabled: boolean): Promise<SettingsView>
  testModel(id: string): Promise<ConnectionTest>
  findLocal(): Promise<FoundServer[]>
}
