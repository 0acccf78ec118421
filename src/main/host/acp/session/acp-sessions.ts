import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  type SessionConfigOption,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { CodedError } from '../../../../shared/errors'
import type { SessionHeader } from '../../../../shared/model/session/session'
import type { ClientEngine } from '../../../role/joined/client-engine'
import { AcpSession } from './acp-session'
import { clientPaths } from '../protocol/client-paths'
import { configOptions, modeState } from './session-options'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'

/** The client's parameters for opening a session. */
export interface OpenRequest {
  cwd: string
  additionalDirectories?: string[]
  mcpServers?: McpServer[]
}

export interface OpenedSession {
  sessionId: string
  modes: SessionModeState
  configOptions: SessionConfigOption[]
}

export interface AcpSessionsDeps {
  engine: ClientEngine
  client: AgentContext
  capabilities(): ClientCapabilities
  /** Called when the client has opened a session: its pending requests can be shown. */
  onOpened(): void
}

const PAGE = 50
/** Debounce for server changes, which come in bursts, in ms. */
const COMMANDS_MS = 200

/** The sessions of one connection: those that are open, and those that can be opened. */
export class AcpSessions {
  readonly #deps: AcpSessionsDeps
  readonly #open = new Map<string, AcpSession>()
  /** The last of the requests that open or close a session; each waits for the one before it. */
  readonly #latest = new Map<string, Promise<unknown>>()
  #telling: NodeJS.Timeout | undefined

  constructor(deps: AcpSessionsDeps) {
    this.#deps = deps
  }

  get(sessionId: string): AcpSession | undefined {
    return this.#open.get(sessionId)
  }

  /** Throws "not found" for a session that this client has not opened. */
  require(sessionId: string): AcpSession {
    const session = this.#open.get(sessionId)
    if (session) return session
    throw new RequestError(
      -32002,
      `The session ${sessionId} is not open here. Open it with session/new, session/load or session/resume.`,
      {
        sessionId,
      },
    )
  }

  async create(request: OpenRequest): Promise<OpenedSession> {
    requireUsable(request)
    const { cwd: folder, additionalDirectories: addedFolders = [] } = request
    const header = await this.#deps.engine.sessions.create({ folder, addedFolders })
    return this.#opened(header.sessionId, request)
  }

  /** `withHistory`: sends the conversation so far before this resolves. */
  open(sessionId: string, request: OpenRequest, withHistory: boolean): Promise<OpenedSession> {
    return this.#oneAfterAnother(sessionId, () => this.#openSession(sessionId, request, withHistory))
  }

  async #openSession(sessionId: string, request: OpenRequest, withHistory: boolean): Promise<OpenedSession> {
    requireUsable(request)
    const { sessions } = this.#deps.engine
    const header = await sessions.read(sessionId)
    const folder = await realpath(request.cwd).catch(() => request.cwd)
    if (folder !== header.folder)
      throw RequestError.invalidParams({ sessionId }, `this session belongs to ${header.folder}, not to ${request.cwd}`)
    const listed = await sessions.list({ folder, limit: 10_000 })
    const place = listed.find((summary) => summary.sessionId === sessionId)?.elsewhere
    if (place !== undefined) throw new CodedError('session.elsewhere', `It is open in ${place}.`)
    await this.#open.get(sessionId)?.close()
    // Also ends a turn that a crashed process left open.
    await sessions.open(sessionId, 1)
    const added = await Promise.all(
      (request.additionalDirectories ?? []).map((path) => realpath(path).catch(() => path)),
    )
    if (JSON.stringify(added) !== JSON.stringify(header.addedFolders))
      await sessions.change(sessionId, { addedFolders: added })
    const opened = await this.#opened(sessionId, request)
    if (withHistory) await this.require(sessionId).replay()
    return opened
  }

  /** Newest first, in pages. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { sessions } = this.#deps.engine
    const after = cursor ? cursorOf(cursor) : undefined
    const folder = cwd ? await realpath(cwd).catch(() => cwd) : undefined
    const all = await sessions.list({ ...(folder !== undefined && { folder }), archived: false, limit: 10_000 })
    const from = after
      ? all.findIndex(
          ({ updatedAt, sessionId }) => updatedAt < after.at || (updatedAt === after.at && sessionId < after.id),
        )
      : 0
    const page = from < 0 ? [] : all.slice(from, from + PAGE)
    const last = page.at(-1)
    const more = last && from + PAGE < all.length
    return {
      sessions: await Promise.all(
        page.map(async ({ sessionId, folder: place, title, updatedAt }) => ({
          sessionId,
          cwd: place,
          title,
          updatedAt: new Date(updatedAt).toISOString(),
          additionalDirectories: (await sessions.read(sessionId)).addedFolders,
        })),
      ),
      ...(more && { nextCursor: Buffer.from(`${last.updatedAt} ${last.sessionId}`).toString('base64url') }),
    }
  }

  close(sessionId: string): Promise<void> {
    return this.#oneAfterAnother(sessionId, async () => {
      const session = this.require(sessionId)
      this.#open.delete(sessionId)
      await session.close()
      this.#deps.engine.mcp.leave(sessionId)
    })
  }

  /** Deleting a missing session succeeds. */
  remove(sessionId: string): Promise<void> {
    return this.#oneAfterAnother(sessionId, () => this.#remove(sessionId))
  }

  async #remove(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    await session?.close()
    try {
      await this.#deps.engine.sessions.remove(sessionId)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'session.not_found')) throw error
    }
  }

  /** Closes all sessions; `stops`: also stops their turns. */
  async closeAll(stops: boolean): Promise<void> {
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map((session) => session.close(stops)))
  }

  /** A session that is opened twice at once would otherwise send every update twice. */
  async #oneAfterAnother<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#latest.get(sessionId)
    const result = before ? before.then(work, work) : work()
    this.#latest.set(sessionId, result)
    try {
      return await result
    } finally {
      if (this.#latest.get(sessionId) === result) this.#latest.delete(sessionId)
    }
  }

  async #opened(
    sessionId: string,
    { cwd, additionalDirectories = [], mcpServers: brought = [] }: OpenRequest,
  ): Promise<OpenedSession> {
    const { engine, client, capabilities } = this.#deps
    const paths = await clientPaths([cwd, ...additionalDirectories])
    // The user configured them in the editor, so no approval is needed. They start when the agent needs them.
    engine.mcp.useInSession(sessionId, mcpServers(brought, cwd))
    const session = new AcpSession({ engine, client, capabilities: capabilities(), sessionId, paths })
    this.#open.set(sessionId, session)
    return { sessionId, ...this.options(sessionId) }
  }

  /** Sends the state of a session once the client knows that it is open. */
  async introduce(sessionId: string): Promise<void> {
    await this.#open.get(sessionId)?.introduce()
    this.#deps.onOpened()
  }

  /** Notifies every open session of a change that concerns all of them. */
  notice(severity: 'info' | 'warning', text: string, description?: string): void {
    for (const session of this.#open.values()) session.notice(severity, text, description)
  }

  /** The slash commands may have changed. */
  sendCommands(): void {
    if (this.#telling) return
    this.#telling = setTimeout(() => {
      this.#telling = undefined
      // The session may have been deleted in the meantime.
      for (const session of this.#open.values()) session.sendCommands().catch(() => undefined)
    }, COMMANDS_MS).unref()
  }

  /** The session's options and their current values. */
  options(sessionId: string): Omit<OpenedSession, 'sessionId'> {
    const { engine } = this.#deps
    const header: SessionHeader = engine.sessions.header(sessionId)
    return { modes: modeState(engine, header), configOptions: configOptions(engine, header) }
  }
}

/** Validates before anything is created. */
function requireUsable({ cwd, additionalDirectories = [], mcpServers: brought = [] }: OpenRequest): void {
  mcpServers(brought, cwd)
  const wrong = [cwd, ...additionalDirectories].find((path) => !isAbsolute(path))
  if (wrong !== undefined) throw RequestError.invalidParams({ path: wrong }, `${wrong} is not an absolute path`)
}

function cursorOf(cursor: string): { at: number; id: string } {
  const match = /^(\d+) (.+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!match) throw RequestError.invalidParams({ cursor }, 'the cursor is invalid')
  return { at: Number(match[1]), id: match[2]! }
}

const START_MS = 30_000
const CALL_MS = 60_000

/** The servers that a client adds to a session, by name. */
function mcpServers(servers: readonly McpServer[], cwd: string): Record<string, McpServerDefinition> {
  const found: Record<string, McpServerDefinition> = {}
  for (const server of servers) {
    if (Object.hasOwn(found, server.name))
      throw RequestError.invalidParams({ name: server.name }, `two MCP servers are called ${server.name}`)
    found[server.name] = definitionOf(server, cwd)
  }
  return found
}

function definitionOf(server: McpServer, cwd: string): McpServerDefinition {
  const common = { enabled: true, startTimeoutMs: START_MS, callTimeoutMs: CALL_MS, disabledTools: [] }
  if ('url' in server) return { ...common, transport: server.type, url: server.url, headers: named(server.headers) }
  return { ...common, transport: 'stdio', command: server.command, args: server.args, env: named(server.env), cwd }
}

function named(values: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]))
}
