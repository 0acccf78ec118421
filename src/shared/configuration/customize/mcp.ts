import type { CommandSandbox } from '../../model/task/sandbox'

/** How a server is reached. `http` is streamable HTTP; `sse` the older transport it replaced. */
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
  /** The server's own names of the tools that are not offered. */
  disabledTools: readonly string[]
  /** Only these are offered; absent: all. */
  enabledTools?: readonly string[]
}

interface McpRemote {
  transport: 'http' | 'sse'
  url: string
}

/**
 * What a server that is run runs in: the Project sandbox with the machine's network, the same without a network, or no
 * sandbox. A server of a project is never
 * `unrestricted`.
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
 * What is written about a server, defaults filled in. Values of `env` and `headers` can be secrets: they stay in the
 * engine.
 */
export type McpServerDefinition = McpServerSwitches &
  (
    | (McpLocal & { env: Readonly<Record<string, string>> })
    | (McpRemote & { headers: Readonly<Record<string, string>>; oauth?: McpOAuth })
  )

/**
 * A definition on its way between a form and the engine: a value that is null stays, or is kept, as it is written under
 * that name.
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
  /** Where Trestle was registered by hand. */
  clientId?: string
  clientSecret?: string
  /** Asked for instead of what the server says. */
  scopes?: readonly string[]
  /** Where the browser comes back to, on this machine; default `http://127.0.0.1/callback` at a free port. */
  redirectUrl?: string
  /** An https address of a client id metadata document that describes Trestle. */
  clientMetadataUrl?: string
}

/**
 * `asked`: a project's server that was not accepted yet, or has changed since. `idle`: nothing runs, it starts when it
 * is needed.
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

/** A tool of a server as the settings show it. */
export interface McpToolView {
  /** As the server calls it. */
  name: string
  /** As the model calls it: `mcp__server__tool`. */
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

/** A server as the settings and the inspector show it. No secret is in it. */
export interface McpServerView {
  /** Stable as long as scope, place and name stay. */
  serverId: string
  name: string
  scope: McpScope
  /** Where it is written; absent for a session's. */
  file?: string
  /** The plugin it belongs to: it is enabled and disabled here, and otherwise changed with the plugin. */
  plugin?: string
  state: McpServerState
  transport: McpTransport
  /** The command with its arguments, or the URL. */
  target: string
  envNames: string[]
  headerNames: string[]
  /** Set when another of the same name nearer to the session is used instead. */
  hiddenBy?: string
  /**
   * What it runs in, or would; absent for a server that is connected to. `unavailable`: why it is not in the sandbox it
   * should be in; sentences.
   */
  sandbox?: CommandSandbox & { unavailable?: string }
  /** Sessions that use it now. */
  sessions: number
  pid?: number
  /** What the server calls itself, and the protocol revision agreed on. */
  serverInfo?: { name: string; version: string; protocolVersion: string }
  tools: McpToolView[]
  prompts: number
  resources: number
  /** What of its offer was left out, and why; sentences. */
  notes?: string[]
  /** Why it does not work, what to do, and the end of what it printed to stderr. */
  error?: { message: string; stderr: string }
  /** The sign-in state of a server that requires one. */
  auth?: {
    state: 'signed_in' | 'signed_out'
    scopes?: string[]
    /** ms since the epoch; absent when it does not end, or is renewed automatically. */
    expiresAt?: number
    /** It requires a sign-in now, or one with more scopes: why, as a sentence. */
    wants?: string
  }
}

/** All servers that a folder can use, and what is wrong with the files they are written in. */
export interface McpServerList {
  servers: McpServerView[]
  problems: { file: string; line?: number; message: string }[]
}

/** How a test of one server went: it was started or connected, asked for its tools, and closed. */
export interface McpTestResult {
  ok: boolean
  durationMs: number
  /** What it offers, or what went wrong and what to do. */
  message: string
  /** It failed for want of a sign-in. */
  wantsSignIn?: true
}

/** One line of a server's log: what it printed to stderr, its log messages, and what happened to its connection. */
export interface McpLogLine {
  /** ms since the epoch. */
  at: number
  from: 'stderr' | 'server' | 'connection'
  level?: 'debug' | 'info' | 'warning' | 'error'
  text: string
}

/**
 * How a sign-in goes: first the page for the browser (`opened`: it was opened by the app itself), then the server as it
 * stands afterwards.
 */
export type McpSignInStep = { step: 'open'; url: string; opened: boolean } | { step: 'done'; server: McpServerView }

/** A server found in another product's configuration, or in pasted text. No secret is in it. */
export interface McpImportServer {
  /** Names it within its preview. */
  key: string
  name: string
  /**
   * What it would do, a line each; values of its environment and headers are left out, and what looks like a key is
   * covered.
   */
  lines: string[]
  /**
   * `same`: it is among the user's own already. `clash`: another one of this name is. `unusable`: the notes say why.
   */
  state: 'new' | 'same' | 'clash' | 'unusable'
  /** A name that is free, for one that clashes. */
  freeName: string
  /** What is not as the other product has it. */
  notes: string[]
  /** Values it asks for. One that is left empty is `fallback`, or is taken from the environment variable. */
  inputs: { id: string; label: string; isSecret: boolean; fallback?: string; variable?: string }[]
}

/** What could be taken over from one place. Nothing has been written. */
export interface McpImportPreview {
  /** Names the place; `pasted` for text. */
  sourceId: string
  /** "Claude Code", "Cursor". */
  product: string
  file?: string
  /** The project these servers are for, where they are for one. */
  folder?: string
  /** Of what was read: an import takes only what was shown. */
  hash: string
  servers: McpImportServer[]
  /** Why the place, or a part of it, cannot be read. */
  problems: string[]
}

/** What the user has chosen of a preview. */
export interface McpImportRequest {
  sourceId: string
  hash: string
  /** With `pasted`. */
  text?: string
  servers: {
    key: string
    /** As it is to be called here. */
    name: string
    /** Replaces the server of this name; else the name must be free. */
    replace?: boolean
    /** For its `inputs`, by id. */
    values?: Readonly<Record<string, string>>
  }[]
}
