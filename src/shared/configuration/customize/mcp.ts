import type { CommandSandbox } from '../../model/task/sandbox'

/** How to connect to a server. `http` is streamable HTTP; `sse` the older transport it replaced. */
export type McpTransport = 'stdio' | 'http' | 'sse'

/** Who configured a server: the user, the project, or the client of one session (an editor). */
export type McpScope = 'user' | 'project' | 'session'

interface McpServerSwitches {
  /** Default true. A disabled server is listed and never started. */
  enabled: boolean
  /** Default 30,000. */
  startTimeoutMs: number
  /** Default 60,000; progress from the server restarts it. */
  callTimeoutMs: number
  /** The tools that are not offered, by the server's own names. */
  disabledTools: readonly string[]
  /** Only these are offered; absent: all. */
  enabledTools?: readonly string[]
}

interface McpRemote {
  transport: 'http' | 'sse'
  url: string
}

/**
 * The sandbox of a server that runs on this machine: the Project sandbox with the machine's network, the same without a
 * network, or no sandbox. A project's server is never `unrestricted`.
 */
export const MCP_SERVER_SANDBOXES = ['project', 'project-offline', 'unrestricted'] as const
export type McpServerSandbox = (typeof MCP_SERVER_SANDBOXES)[number]

interface McpLocal {
  transport: 'stdio'
  command: string
  args: readonly string[]
  cwd?: string
  /** Absent: `project` for a project's server, `unrestricted` for others. */
  sandbox?: McpServerSandbox
}

/**
 * A server's definition with defaults filled in. Values of `env` and `headers` can be secrets: they stay in the engine.
 */
export type McpServerDefinition = McpServerSwitches &
  (
    | (McpLocal & { env: Readonly<Record<string, string>> })
    | (McpRemote & { headers: Readonly<Record<string, string>>; oauth?: McpOAuth })
  )

/**
 * A definition as a form and the engine exchange it: a null value stands for the one already stored under that name.
 */
export type McpServerInput = McpServerSwitches &
  (
    | (McpLocal & { env: Readonly<Record<string, string | null>> })
    | (McpRemote & {
        headers: Readonly<Record<string, string | null>>
        oauth?: Omit<McpOAuth, 'clientSecret'> & { clientSecret?: string | null }
      })
  )

/** Optional settings for a sign-in; most servers need no settings. */
export interface McpOAuth {
  /** The id of a manual registration of Trestle. */
  clientId?: string
  clientSecret?: string
  /** Requested instead of the scopes that the server names. */
  scopes?: readonly string[]
  /** Where the browser returns to, on this machine; default `http://127.0.0.1/callback` at a free port. */
  redirectUrl?: string
  /** An https address of a client id metadata document that describes Trestle. */
  clientMetadataUrl?: string
}

/**
 * `asked`: a project's server that was not accepted yet, or has changed since. `idle`: not running; it starts when
 * needed.
 */
export type McpServerState =
  | 'disabled'
  | 'asked'
  | 'idle'
  | 'starting'
  | 'ready'
  | 'sign_in'
  | 'reconnecting'
  | 'failed'

/** A tool of a server, for the settings. */
export interface McpToolView {
  /** The server's own name for it. */
  name: string
  /** The name for the model: `mcp__server__tool`. */
  fullName: string
  title?: string
  description: string
  enabled: boolean
  /** Estimated tokens of its schema in every request. */
  tokens: number
  readOnly: boolean
  destructive: boolean
  /** Why it cannot be offered: an invalid schema or name. */
  problem?: string
}

/** A server, for the settings and the inspector. Contains no secrets. */
export interface McpServerView {
  /** Stable as long as scope, place and name stay the same. */
  serverId: string
  name: string
  scope: McpScope
  /** The file that defines it; absent for a session's. */
  file?: string
  /** The plugin it belongs to: it is enabled and disabled here; other changes are made with the plugin. */
  plugin?: string
  state: McpServerState
  transport: McpTransport
  /** The command with its arguments, or the URL. */
  target: string
  envNames: string[]
  headerNames: string[]
  /** Set when another one with the same name, nearer to the session, is used instead. */
  hiddenBy?: string
  /**
   * The sandbox it runs in, or would run in; absent for a server that is connected to. `unavailable`: why it is not in
   * the sandbox it should be in; sentences.
   */
  sandbox?: CommandSandbox & { unavailable?: string }
  /** Number of sessions that use it now. */
  sessions: number
  pid?: number
  /** The server's own name and version, and the negotiated protocol revision. */
  serverInfo?: { name: string; version: string; protocolVersion: string }
  tools: McpToolView[]
  prompts: number
  resources: number
  /** Which of its tools, prompts or resources were omitted, and why; sentences. */
  notes?: string[]
  /** Why it does not work, what to do, and the end of its stderr output. */
  error?: { message: string; stderr: string }
  /** The sign-in state of a server that requires one. */
  auth?: {
    state: 'signed_in' | 'signed_out'
    scopes?: string[]
    /** ms since the epoch; absent when it does not expire, or is renewed automatically. */
    expiresAt?: number
    /** It requires a sign-in now, or one with more scopes: why, as a sentence. */
    wants?: string
  }
}

/** All servers that a folder can use, and the problems in the files that define them. */
export interface McpServerList {
  servers: McpServerView[]
  problems: { file: string; line?: number; message: string }[]
}

/** The result of testing a server: it was started or connected, asked for its tools, and closed. */
export interface McpTestResult {
  ok: boolean
  durationMs: number
  /** What it offers, or the error and what to do. */
  message: string
  /** It failed because a sign-in is missing. */
  wantsSignIn?: true
}

/** One line of a server's log: its stderr output, its log messages, and events of its connection. */
export interface McpLogLine {
  /** ms since the epoch. */
  at: number
  from: 'stderr' | 'server' | 'connection'
  level?: 'debug' | 'info' | 'warning' | 'error'
  text: string
}

/** A step of a sign-in: first the page for the browser (`opened`: the app opened it), then the resulting server. */
export type McpSignInStep = { step: 'open'; url: string; opened: boolean } | { step: 'done'; server: McpServerView }

/** A server found in another product's configuration, or in pasted text. Contains no secrets. */
export interface McpImportServer {
  /** Identifies it within its preview. */
  key: string
  name: string
  /**
   * What it would do, one effect per line; values of its environment and headers are omitted, and what looks like a key
   * is masked.
   */
  lines: string[]
  /** `same`: the user already has it. `clash`: another one has this name. `unusable`: the notes say why. */
  state: 'new' | 'same' | 'clash' | 'unusable'
  /** A free name, for one that clashes. */
  freeName: string
  /** How it differs from the other product's version. */
  notes: string[]
  /** Values to enter. An empty one becomes `fallback`, or is read from the environment variable. */
  inputs: { id: string; label: string; isSecret: boolean; fallback?: string; variable?: string }[]
}

/** What could be imported from one source. Nothing has been written. */
export interface McpImportPreview {
  /** Identifies the source; `pasted` for text. */
  sourceId: string
  /** "Claude Code", "Cursor". */
  product: string
  file?: string
  /** The project of these servers, if they belong to one. */
  folder?: string
  /** Hash of the source: an import accepts only what was shown. */
  hash: string
  servers: McpImportServer[]
  /** Why the source, or a part of it, cannot be read. */
  problems: string[]
}

/** The user's selection from a preview. */
export interface McpImportRequest {
  sourceId: string
  hash: string
  /** Only with `pasted`. */
  text?: string
  servers: {
    key: string
    /** The name it gets here. */
    name: string
    /** Replaces the server with this name; otherwise the name must be free. */
    replace?: boolean
    /** For its `inputs`, by id. */
    values?: Readonly<Record<string, string>>
  }[]
}
