import { setTimeout as pause } from 'node:timers/promises'
import { CodedError, failureOf } from '../../../../shared/errors'
import type { McpServerView, McpTestResult } from '../../../../shared/configuration/customize/mcp'
import type { McpAuth } from '../sign-in/mcp-auth'
import {
  readServerId,
  type ConfiguredServer,
  type McpConfig,
  type McpPlace,
  effectiveServers,
  type EffectiveServer,
} from '../config/configured-server'
import type { ToolResult } from '../../tool/tool'
import type { Mcp } from './mcp'
import type { Connection } from '../protocol/connection'
import { openConnection } from '../protocol/open-connection'
import type { Hub } from './hub'
import { callServer } from './call-server'
import { type ListingCache, LiveListing } from './server-listing'
import type { ServerSandboxes, SharedServerDeps } from './start-plan'
import { serverView } from './server-view'

/** How long a sign-in waits for the server's listing before it counts as done. */
const MAX_DISCOVERY_MS = 5_000

export interface HubActionsDeps extends Pick<
  SharedServerDeps,
  'home' | 'version' | 'env' | 'ready' | 'hooks' | 'changed'
> {
  hub: Hub
  config: McpConfig
  auth: McpAuth
  sandboxes: ServerSandboxes
  cache: ListingCache
  /** Servers provided by a session's client. */
  providedBy(sessionId: string): readonly ConfiguredServer[]
  /** Saves content of a result that cannot be sent to a model; returns its path. */
  keep(sessionId: string, name: string, bytes: Buffer): Promise<string>
}

/** Server operations for hosts. */
export type HubActions = Omit<Mcp, 'useInSession' | 'leave' | 'imports' | 'previewImport' | 'import'>

export function createHubActions(deps: HubActionsDeps): HubActions {
  const { hub, config, auth, cache, home, version } = deps
  const tests = new Map<string, AbortController>()

  async function read(
    folder: string | undefined,
  ): Promise<{ effective: EffectiveServer[]; problems: Awaited<ReturnType<McpConfig['read']>>['problems'] }> {
    const { servers, problems } = await config.read(folder)
    return { effective: effectiveServers(servers), problems }
  }

  async function list(folder?: string): ReturnType<Mcp['list']> {
    const { effective, problems } = await read(folder)
    return { servers: await Promise.all(effective.map(view)), problems: [...problems] }
  }

  async function view(each: EffectiveServer): Promise<McpServerView> {
    const { server } = each
    const sandbox = await deps.sandboxes.view(server)
    if (!server.isAccepted) return serverView(each, { sandbox })
    const shared = hub.knownOf(server)
    const listing = shared?.listing ?? (await cache.read(hub.keyOf(server)))
    return serverView(each, { shared, listing, auth: authOf(server), sandbox: shownSandbox(shared?.sandbox, sandbox) })
  }

  function authOf(server: ConfiguredServer): McpServerView['auth'] {
    if (server.definition.transport === 'stdio') return undefined
    try {
      const definition = config.expand(server)
      return definition.transport === 'stdio' ? undefined : auth.view(definition)
    } catch {
      // A variable is missing, so a sign-in is impossible.
      return undefined
    }
  }

  /** The server with this id, as currently defined. */
  async function find(serverId: string): Promise<EffectiveServer> {
    const place = readServerId(serverId)
    if (place?.scope === 'session') {
      const server = deps.providedBy(place.where ?? '').find((each) => each.serverId === serverId)
      if (server) return { server }
    } else if (place) {
      const { effective } = await read(place.where)
      const found = effective.find(({ server }) => server.serverId === serverId)
      if (found) return found
    }
    throw new CodedError('mcp.not_found', `There is no MCP server ${place?.name ?? serverId}.`)
  }

  /** A server that is allowed to start. */
  async function accepted(serverId: string): Promise<EffectiveServer> {
    const found = await find(serverId)
    if (!found.server.isAccepted) throw new CodedError('mcp.not_accepted', `${found.server.name} is not accepted yet.`)
    return found
  }

  /** A plugin's servers change only with the plugin. */
  async function refusePlugins(place: McpPlace): Promise<void> {
    if (place.scope !== 'project') return
    const { servers } = await config.read(place.folder)
    const plugin = servers.find((server) => server.scope === 'project' && server.name === place.name)?.plugin
    if (plugin)
      throw new CodedError(
        'request.invalid',
        `${place.name} belongs to the plugin ${plugin.name}: disable the server, or turn off or remove the plugin.`,
      )
  }

  async function usable(serverId: string): Promise<EffectiveServer> {
    const found = await accepted(serverId)
    if (!found.server.definition.enabled) throw new CodedError('mcp.disabled', `${found.server.name} is disabled.`)
    return found
  }

  async function connectAlone({ server }: EffectiveServer, signal: AbortSignal): Promise<string> {
    await deps.ready?.()
    const shared = hub.sharedOf(server)
    const { cwd, definition, sandbox } = hub.planOf(server)
    const connection = await openConnection({
      definition: definition(),
      sandbox,
      home,
      version,
      hooks: await deps.hooks(),
      cwd,
      env: deps.env,
      log: (line) => shared.log.add(line),
      served: { name: server.name, sessions: () => [], calls: () => [] },
      signal,
    })
    try {
      const { capabilities, info } = connection
      const { startTimeoutMs } = server.definition
      const { items } = capabilities.tools
        ? await connection.list('tools/list', 'tools', startTimeoutMs, signal)
        : { items: [] }
      await keepListing(server, connection)
      const tools = items.length
      const name = [info.name === '' ? server.name : info.name, info.version].filter((part) => part !== '').join(' ')
      return `${name}, protocol ${info.protocolVersion}: ${tools} ${tools === 1 ? 'tool' : 'tools'}.`
    } finally {
      await connection.close()
    }
  }

  /** Saves what a server offered during a test, to show it; a connection used by sessions has newer data. */
  async function keepListing(server: ConfiguredServer, connection: Connection): Promise<void> {
    const key = hub.keyOf(server)
    const shared = hub.sharedOf(server)
    if (shared.listing ?? (await cache.read(key))) return
    const lists = new LiveListing({ key, cache, log: shared.log, changed: deps.changed, failed: () => undefined })
    lists.watch(connection)
    await lists.settled()
    lists.stop()
  }

  async function test(serverId: string): Promise<McpTestResult> {
    const found = await accepted(serverId)
    tests.get(serverId)?.abort(new Error('Another test was started.'))
    const stop = new AbortController()
    tests.set(serverId, stop)
    const startedAt = performance.now()
    const result = await connectAlone(found, stop.signal).then(
      (message) => ({ ok: true, message }),
      (error: unknown) => ({
        ok: false,
        message: failureOf(error).message,
        ...(error instanceof CodedError && error.code === 'mcp.sign_in' && { wantsSignIn: true as const }),
      }),
    )
    if (tests.get(serverId) === stop) tests.delete(serverId)
    return { ...result, durationMs: Math.round(performance.now() - startedAt) }
  }

  async function restart(serverId: string): Promise<McpServerView> {
    const found = await usable(serverId)
    const shared = hub.sharedOf(found.server)
    await shared.stop('Restarted.')
    // The view shows why it did not start.
    await shared.discover(hub.planOf(found.server)).catch(() => undefined)
    return view(found)
  }

  /** The remote server that a sign-in is for. */
  async function remote(serverId: string) {
    const found = await accepted(serverId)
    const definition = config.expand(found.server)
    if (definition.transport === 'stdio')
      throw new CodedError('request.invalid', `${found.server.name} is a program: it has no sign-in.`)
    return { found, definition }
  }

  /** After a sign-in: reconnects the server unless calls are running, and immediately requests its listing. */
  async function signedIn(found: EffectiveServer): Promise<McpServerView> {
    const shared = hub.sharedOf(found.server)
    if (!shared.isBusy) await shared.stop('Signed in.')
    const offers = shared.discover(hub.planOf(found.server)).catch(() => undefined)
    await Promise.race([offers, pause(MAX_DISCOVERY_MS, undefined, { ref: false })])
    deps.changed()
    return view(found)
  }

  async function signedOut(found: EffectiveServer): Promise<McpServerView> {
    await hub.knownOf(found.server)?.stop('Signed out.')
    deps.changed()
    return view(found)
  }

  return {
    list,
    definition: async (serverId) => config.input((await find(serverId)).server),
    async save(place, definition, previousName) {
      await refusePlugins(place)
      if (previousName !== undefined) await refusePlugins({ ...place, name: previousName })
      await config.save(place, definition, previousName)
      return list(place.scope === 'project' ? place.folder : undefined)
    },
    async remove(place) {
      await refusePlugins(place)
      await config.remove(place)
      return list(place.scope === 'project' ? place.folder : undefined)
    },
    async setEnabled(serverId, enabled) {
      await config.setEnabled((await find(serverId)).server, enabled)
      return view(await find(serverId))
    },
    async setToolEnabled(serverId, tool, enabled) {
      await config.setToolEnabled((await find(serverId)).server, tool, enabled)
      return view(await find(serverId))
    },
    restart,
    test,
    logs: async (serverId) => hub.knownOf((await accepted(serverId)).server)?.log.lines() ?? [],
    async callTool(serverId, tool, input, ctx) {
      const { server } = await usable(serverId)
      const { callTimeoutMs: timeoutMs } = server.definition
      const keep = (name: string, bytes: Buffer): Promise<string> => deps.keep(ctx.callId, name, bytes)
      const shared = hub.sharedOf(server)
      const call = {
        sessionId: ctx.callId,
        server: server.name,
        tool,
        input,
        timeoutMs,
        ctx,
        keep,
        canSignIn: true,
      } as const
      const made = (needsTask: boolean): Promise<ToolResult> =>
        callServer(shared, hub.planOf(server), { ...call, needsTask })
      const needsTask = (): boolean =>
        shared.listing?.tools.some((each) => each.name === tool && each.needsTask) ?? false
      await shared.load()
      const first = needsTask()
      const result = await made(first)
      // A new server's tools become known with its first connection.
      return result.isError && !first && needsTask() ? made(true) : result
    },
    async signIn(serverId, open, signal) {
      const { found, definition } = await remote(serverId)
      await auth.signIn(definition, open, signal)
      return signedIn(found)
    },
    async signOut(serverId) {
      const { found, definition } = await remote(serverId)
      await auth.signOut(definition)
      return signedOut(found)
    },
    async close() {
      config.close()
      auth.close()
      for (const stop of tests.values()) stop.abort(new Error('Trestle is closed.'))
      await hub.close()
    },
  }
}

/** The sandbox of a server's running process; why it has no sandbox is known only from its planned one. */
function shownSandbox(now: McpServerView['sandbox'], wanted: McpServerView['sandbox']): McpServerView['sandbox'] {
  if (!now) return wanted
  return now.level === 'unrestricted' && wanted?.unavailable !== undefined
    ? { ...now, unavailable: wanted.unavailable }
    : now
}
