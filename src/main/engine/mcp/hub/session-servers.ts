import { setTimeout as pause } from 'node:timers/promises'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import { CodedError } from '../../../../shared/errors'
import { failed } from '../../tool/tool'
import {
  serverIdOf,
  type ConfiguredServer,
  type McpConfig,
  effectiveServers,
  isUsable,
} from '../config/configured-server'
import {
  type McpSessions,
  type McpTool,
  type McpToolSource,
  type McpUser,
  isToolEnabled,
  omittedTools,
  sessionTools,
  switchedOffTools,
  reuseIfUnchanged,
} from './session-tools'
import type { ListedTool } from '../tool/read-tools'
import { callServer } from './call-server'
import type { Hub } from './hub'
import type { ServerNotices } from './server-notices'
import type { Listing } from './server-listing'

export interface SessionServersDeps {
  hub: Hub
  config: McpConfig
  /** How long a turn waits for new servers. */
  startWaitMs(): number
  notices: ServerNotices
  /** Saves content of a result that cannot be sent to a model; returns its path. */
  keep(sessionId: string, name: string, bytes: Buffer): Promise<string>
}

/** The servers that sessions use. */
export interface SessionServers extends McpSessions {
  /** Servers that the client of one session provides. */
  provide(user: Pick<McpUser, 'sessionId'>, servers: Readonly<Record<string, McpServerDefinition>>): void
  /** The servers that the session's client provides. */
  providedBy(sessionId: string): readonly ConfiguredServer[]
  /** What a server offers; connects if that is not known yet. Throws a `CodedError`. */
  discover(user: McpUser, name: string): Promise<Listing>
  leave(sessionId: string): void
  /** Reports which of the servers used by sessions provide no tools. */
  reportUnavailable(): void
  /** Call when the configuration has changed. */
  configChanged(): Promise<void>
}

interface Entry {
  user: McpUser
  usable: readonly ConfiguredServer[]
  /** What `tools` was computed from. */
  made: readonly unknown[]
  tools: readonly McpTool[]
}

const NO_TOOLS: readonly McpTool[] = []
/** Different from every list, even an empty one. */
const NOT_MADE: readonly unknown[] = [undefined]
const NO_LISTING: readonly ListedTool[] = []

export function createSessionServers({ hub, config, startWaitMs, notices, keep }: SessionServersDeps): SessionServers {
  const entries = new Map<string, Entry>()
  const brought = new Map<string, Readonly<Record<string, McpServerDefinition>>>()

  const providedBy = (sessionId: string, folder?: string): ConfiguredServer[] =>
    Object.entries(brought.get(sessionId) ?? {}).map(([name, definition]) => ({
      serverId: serverIdOf('session', name, sessionId),
      name,
      scope: 'session',
      ...(folder !== undefined && { folder }),
      definition,
      isAccepted: true,
    }))

  async function read(user: McpUser): Promise<Entry> {
    const { servers, problems } = await config.read(user.folder)
    notices.reportConfigProblems(problems)
    const all = [...providedBy(user.sessionId, user.folder), ...servers]
    const usable = effectiveServers(all)
      .filter(isUsable)
      .map(({ server }) => server)
    const entry: Entry = { user, usable, made: NOT_MADE, tools: entries.get(user.sessionId)?.tools ?? [] }
    entries.set(user.sessionId, entry)
    return entry
  }

  /** The servers that the user's and this project's files define, excluding a session's own. */
  async function usableIn(folder: string | undefined): Promise<ConfiguredServer[]> {
    const { servers } = await config.read(folder)
    return effectiveServers(servers)
      .filter(isUsable)
      .map(({ server }) => server)
  }

  function toolsNow(sessionId: string): readonly McpTool[] {
    const entry = entries.get(sessionId)
    if (!entry) return NO_TOOLS
    const listings = entry.usable.map((server) => hub.knownOf(server)?.listing?.tools ?? NO_LISTING)
    if (entry.made.length === listings.length && listings.every((tools, index) => tools === entry.made[index]))
      return entry.tools
    entry.made = listings
    entry.tools = reuseIfUnchanged(
      entry.tools,
      sessionTools(entry.usable.map((server, index) => ({ server, tools: listings[index]! }))),
    )
    return entry.tools
  }

  const switchedOff = (sessionId: string): McpTool[] =>
    switchedOffTools(
      (entries.get(sessionId)?.usable ?? []).map((server) => ({
        server,
        tools: hub.knownOf(server)?.listing?.tools ?? NO_LISTING,
      })),
    )

  const sourceOf = ({ sessionId }: McpUser): McpToolSource => ({
    tools: () => toolsNow(sessionId),
    switchedOff: () => switchedOff(sessionId),
    instructions: () =>
      (entries.get(sessionId)?.usable ?? []).flatMap((server) => {
        const listing = hub.knownOf(server)?.listing
        const text =
          listing &&
          [
            ...(listing.instructions === undefined ? [] : [listing.instructions]),
            ...omittedTools(server, listing),
          ].join('\n')
        return text === undefined || text === '' ? [] : [{ server: server.name, text }]
      }),
  })

  /** The servers configured for a user of servers, and what is already known about them. */
  async function load(user: McpUser) {
    const { usable } = await read(user)
    const known = usable.map((server) => ({ server, shared: hub.sharedOf(server) }))
    await Promise.all(known.map(({ shared }) => shared.load()))
    return known
  }

  async function find(user: McpUser, name: string): Promise<ConfiguredServer | undefined> {
    const { usable } = entries.get(user.sessionId) ?? (await read(user))
    const found = usable.find((server) => server.name === name)
    // Its project, or its plugin, may have lost the user's trust since, also in another process.
    return found?.scope === 'project' ? (await read(user)).usable.find((server) => server.name === name) : found
  }

  const reportUnavailable = (): void =>
    notices.reportUnavailable(
      [...entries.values()].flatMap(({ usable }) => usable.map((server) => ({ server, shared: hub.knownOf(server) }))),
    )

  return {
    reportUnavailable,
    async forTurn(user, signal) {
      const known = await load(user)
      const unseen = known.filter(({ shared }) => !shared.listing)
      const asked = unseen.map(({ server, shared }) => ({
        name: server.name,
        isNew: !shared.wasStarted,
        isDone: false,
        done: shared.discover(hub.planOf(server), user.sessionId).catch(() => undefined),
      }))
      const awaited = asked.filter(({ isNew }) => isNew)
      for (const each of awaited) void each.done.then(() => (each.isDone = true))
      if (awaited.length > 0 && startWaitMs() > 0) {
        const names = awaited.map(({ name }) => name)
        const waited = notices.reportWaiting(names, startWaitMs())
        const over = new AbortController()
        const late = pause(startWaitMs(), undefined, {
          signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
        })
        await Promise.race([Promise.all(awaited.map(({ done }) => done)), late.catch(() => undefined)])
        over.abort()
        waited(signal?.aborted ? [] : awaited.filter(({ isDone }) => !isDone).map(({ name }) => name))
      }
      reportUnavailable()
      return known.length === 0 ? undefined : sourceOf(user)
    },
    toolsOf: async (user) => ((await load(user)).length === 0 ? undefined : sourceOf(user)),
    async call(user, tool, input, ctx) {
      const server = await find(user, tool.server)
      // While the call waited for the user, another server may have taken over the name.
      if (!server || server.serverId !== tool.serverId)
        return failed(
          `The MCP server ${tool.server} is no longer available: it was removed, disabled or replaced. ` +
            'Continue without it.',
        )
      const shared = hub.sharedOf(server)
      const { definition } = server
      if (!isToolEnabled(definition, tool.name))
        return failed(`The user has disabled ${tool.name}. Continue without it.`)
      return callServer(shared, hub.planOf(server), {
        sessionId: user.sessionId,
        server: server.name,
        tool: tool.name,
        needsTask: tool.needsTask ?? false,
        input,
        timeoutMs: definition.callTimeoutMs,
        ctx,
        keep: (name, bytes) => keep(user.sessionId, name, bytes),
      })
    },
    leave(sessionId) {
      entries.delete(sessionId)
      brought.delete(sessionId)
      hub.leave(sessionId)
    },
    provide({ sessionId }, servers) {
      brought.set(sessionId, servers)
      entries.delete(sessionId)
    },
    providedBy: (sessionId) => providedBy(sessionId, entries.get(sessionId)?.user.folder),
    async servers(user) {
      const known = await load(user)
      return known.map(({ server, shared }) => ({
        name: server.name,
        serverId: server.serverId,
        ...(shared.listing && { listing: shared.listing }),
      }))
    },
    async discover(user, name) {
      const server = await find(user, name)
      if (!server) throw new CodedError('mcp.not_found', `There is no MCP server ${name} that this session can use.`)
      return hub.sharedOf(server).discover(hub.planOf(server), user.sessionId)
    },
    async withServer(user, name, signal, run) {
      const server = await find(user, name)
      if (!server) throw new CodedError('mcp.not_found', `There is no MCP server ${name} that this session can use.`)
      const shared = hub.sharedOf(server)
      return shared.use(hub.planOf(server), user.sessionId, signal, run)
    },
    async configChanged() {
      // A server that is requested while the files are being read may be missing from the result.
      const requested = new Set(hub.all().map(({ key }) => key))
      // The user can start servers in the settings that no session has used.
      const [configured] = await Promise.all([
        Promise.all([undefined, ...hub.folders()].map(usableIn)),
        Promise.all([...entries.values()].map(({ user }) => read(user))),
      ])
      const used = [...entries.values()].flatMap(({ usable }) => usable)
      const wanted = new Set([...configured.flat(), ...used].map(hub.keyOf))
      hub.stopOthers((key) => wanted.has(key) || !requested.has(key))
    },
  }
}
