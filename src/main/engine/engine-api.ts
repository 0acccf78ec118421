import type { PermissionMode } from '../../shared/model/approval'
import type { LiveEvent, SessionEvent } from '../../shared/model/event'
import type { RecordedEvent } from '../../shared/model/event'
import type { UserPart } from '../../shared/model/message'
import type { SearchHit, SessionHeader, SessionSummary } from '../../shared/model/session'
import type { ConfigProblem, ConnectionTest, FoundServer, SettingsView } from '../../shared/model/settings'
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
  /** Told after any change that the lists on screen depend on. Returns how to stop listening. */
  onChange(listener: (change: EngineChange) => void): () => void
  /** Stops every turn and process it started, records how they ended, closes the store. */
  close(): Promise<void>
}

export type EngineChange =
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'session.removed'; sessionId: string }
  | { kind: 'settings' }
  | { kind: 'models' }

/** Everything that can be done with sessions. Failures are `CodedError`s. */
export interface Sessions {
  list(filter: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[]
  create(input: { folder: string; model?: string; mode?: PermissionMode; addedFolders?: string[] }): Promise<SessionHeader>
  /** Header and latest window; recovers a turn that a dead process left open. */
  open(sessionId: string, limit: number): Promise<{ header: SessionHeader; events: RecordedEvent[]; hasMore: boolean }>
  window(sessionId: string, options: { before: number; limit: number }): { events: RecordedEvent[]; hasMore: boolean }
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  header(sessionId: string): SessionHeader
  change(
    sessionId: string,
    change: { title?: string; model?: string; mode?: PermissionMode; addedFolders?: string[]; archived?: boolean },
  ): Promise<SessionHeader>
  remove(sessionId: string): Promise<void>
  search(query: string, limit: number): SearchHit[]
  prompt(sessionId: string, parts: UserPart[]): Promise<{ queued: boolean; promptId?: string }>
  steer(sessionId: string, input: { parts?: UserPart[]; promptId?: string }): Promise<void>
  editQueued(sessionId: string, promptId: string, parts: UserPart[]): Promise<void>
  removeQueued(sessionId: string, promptId: string): Promise<void>
  stop(sessionId: string): Promise<void>
  reply(sessionId: string, answer: { approvalId: string; optionId: string; feedback?: string }): Promise<void>
  /**
   * Calls `listener` synchronously with every event of the session from now on, recorded ones after they are stored. It must be quick and must not throw: the
   * engine does not wait for it. Whoever listens with `canAnswer` makes approvals possible: with nobody attached, asking means denied.
   */
  listen(sessionId: string, listener: (event: SessionEvent) => void, options?: { canAnswer?: boolean }): () => void
  /** What is being streamed right now, as live events that rebuild it from nothing. */
  live(sessionId: string): LiveEvent[]
  /** Paths of the session's project that fit `query`, best first. */
  completeFile(sessionId: string, query: string, limit: number): Promise<{ path: string; isFolder: boolean }[]>
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
    contextWindow: number
    toolCalls: boolean
    imagesIn: boolean
    thinking: boolean
  }): Promise<SettingsView>
  removeModel(id: string): Promise<SettingsView>
  setDefaultModel(id: string): Promise<SettingsView>
  setDefaultMode(mode: PermissionMode): Promise<SettingsView>
  setToolEnabled(name: string, enabled: boolean): Promise<SettingsView>
  testModel(id: string): Promise<ConnectionTest>
  findLocal(): Promise<FoundServer[]>
}
