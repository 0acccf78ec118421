import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ActivePlugins } from '../plugin/active-plugins'
import { failureOf } from '../../../shared/errors'
import type { McpSettings } from '../config/agent-settings/mcp-settings'
import type { ProgramSandboxes } from '../sandbox/program-sandboxes'
import type { KeyStore } from '../config/key-store/key-store'
import type { ClientFeatures, ClientFeaturesDeps } from './ask/client-features'
import { createMcpAuth } from './sign-in/create-mcp-auth'
import { createMcpConfig } from './config/mcp-config'
import type { ConnectionHooks } from './protocol/connection'
import { createContent, type InternalMcpContent } from './content/mcp-content'
import type { WatchedResources } from './content/watched-resources'
import { createHub } from './hub/hub'
import { createHubActions } from './hub/hub-actions'
import { ServerNotices, type NotifyUser } from './hub/server-notices'
import { createServerSandboxes } from './hub/start-plan'
import { createListingCache } from './hub/server-listing'
import { createSessionServers } from './hub/session-servers'
import type { McpImports } from './config/import-servers'
import type { Mcp } from './hub/mcp'
import type { McpSessions, McpUser } from './hub/session-tools'

export interface McpDeps extends Omit<ClientFeaturesDeps, 'sampling' | 'onUnshown'> {
  home: string
  version: string
  settings(): McpSettings
  environment: McpEnvironment
  access: McpAccess
  /** The sandboxes for local servers; absent: nothing is sandboxed. */
  sandboxes?: ProgramSandboxes
  /** The session whose servers a session uses; undefined if unknown. */
  userOf(sessionId: string): McpUser | undefined
  /** Whether files are watched. */
  watch: boolean
  /** The plugins that are currently active in a folder. */
  plugins?: ActivePlugins
  report: McpReport
  log(message: string): void
}

/** The environment of server programs. */
export interface McpEnvironment {
  userHome: string
  /** The environment of commands, without keys and other secrets. */
  env(): Record<string, string>
  /** Values of the variables that a project's definition can use: the environment without keys. */
  namedEnv(): Record<string, string>
  /** Resolves when both are complete. */
  ready?(): Promise<void>
}

/** How servers on the network, and their authorization servers, are reached. */
export interface McpAccess {
  keyStore?: KeyStore
  /** Default: Node's. */
  fetch?: typeof globalThis.fetch
}

export interface McpReport {
  /** Called when the displayed state of servers, or their tools, has changed. */
  changed(): void
  /** Shows the user a message about servers, in any host. */
  toUser: NotifyUser
  /** Called when a folder's configuration, or the trust in it, has changed. */
  onTrust(folder: string): void
}

/** For use inside the engine, in addition to the methods for hosts. */
export interface InternalMcp extends Mcp, McpSessions {
  /** Call when trust has changed in some folder. */
  trustChanged(): void
  /** Call when sessions were added or removed, or changed folders. */
  rootsChanged(): void
  /** What servers offer besides tools. */
  content: InternalMcpContent
}

/** Changes come in bursts while servers start; the interface is notified at most this often. */
const NOTIFY_INTERVAL_MS = 150

/** Assembles the hub. Loads no protocol code, and reads no file, before a server is used. */
export function createMcp(deps: McpDeps): InternalMcp {
  const { home, version, settings, watch, access, report } = deps
  const { userHome, env, namedEnv, ready } = deps.environment
  let telling: NodeJS.Timeout | undefined
  const changed = (): void => {
    telling ??= setTimeout(() => {
      telling = undefined
      report.changed()
      sessions.reportUnavailable()
    }, NOTIFY_INTERVAL_MS).unref()
  }
  const config = createMcpConfig({
    home,
    userHome,
    env: () => process.env,
    projectEnv: namedEnv,
    watch,
    now: Date.now,
    ...(deps.plugins && { plugins: deps.plugins }),
    onTrust: report.onTrust,
  })
  const auth = createMcpAuth({
    home,
    ...access,
    changed,
  })
  let loading: Promise<{ ask: ClientFeatures; watched: WatchedResources }> | undefined
  const load = async (): Promise<{ ask: ClientFeatures; watched: WatchedResources }> => {
    const [{ createClientFeatures }, { WatchedResources: Watched }] = await Promise.all([
      import('./ask/client-features'),
      import('./content/watched-resources'),
    ])
    const ask = createClientFeatures({
      ...deps,
      sampling: () => settings().sampling,
      onUnshown: (asking, what) => notices.reportUnshown(asking, what),
    })
    return { ask, watched: new Watched() }
  }
  const hooks = async (): Promise<ConnectionHooks & Pick<ClientFeatures, 'openPages'>> => {
    const { ask, watched } = await (loading ??= load())
    const { capabilities, received, answer, openPages } = ask
    const prepare: ConnectionHooks['prepare'] = (client, connection) => {
      ask.prepare(client, connection)
      watched.prepare(client, connection)
    }
    return { capabilities, prepare, received, answer, openPages, auth }
  }
  const rootsChanged = (): void => {
    // Not needed before the first connection.
    void loading?.then(({ ask }) => ask.rootsChanged())
  }
  const cache = createListingCache(home)
  const server = {
    home,
    version,
    env,
    ...(ready && { ready }),
    hooks,
    changed,
    joined: rootsChanged,
  }
  const sandboxes = createServerSandboxes({ home, userHome, ...(deps.sandboxes && { sandboxes: deps.sandboxes }) })
  const hub = createHub({ ...server, sandboxes, cache, config, idleMs: () => settings().idleMs, random: Math.random })
  const keep = keepIn(home)
  const notices = new ServerNotices(report.toUser)
  const sessions = createSessionServers({ hub, config, startWaitMs: () => settings().startWaitMs, notices, keep })
  const actions = createHubActions({
    ...server,
    hub,
    config,
    auth,
    sandboxes,
    cache,
    keep,
    providedBy: sessions.providedBy,
  })
  config.onChange(() => {
    sessions
      .configChanged()
      .catch((error: unknown) => deps.log(`MCP servers could not be read: ${failureOf(error).message}`))
    changed()
  })
  const content = createContent({
    watched: () => loading?.then(({ watched }) => watched),
    async serversOf(sessionId) {
      const user = deps.userOf(sessionId)
      const servers = user ? await sessions.servers(user) : []
      return servers.map(({ name, listing }) => ({
        name,
        known: () => listing?.offer,
        offer: async () => (listing ?? (await sessions.discover(user!, name))).offer,
        use: (run) => sessions.withServer(user!, name, undefined, run),
      }))
    },
  })
  let loadedImports: Promise<McpImports> | undefined
  const imports = (): Promise<McpImports> =>
    (loadedImports ??= import('./config/import-servers').then(({ createImports }) =>
      createImports({ machine: { platform: process.platform, userHome, env: process.env }, config }),
    ))

  return {
    ...actions,
    imports: async (folder) => (await imports()).find(folder),
    previewImport: async (text) => (await imports()).preview(text),
    async import(request) {
      await (await imports()).apply(request)
      return actions.list()
    },
    useInSession: (sessionId, servers) => sessions.provide({ sessionId }, servers),
    forTurn: sessions.forTurn,
    toolsOf: sessions.toolsOf,
    call: sessions.call,
    servers: sessions.servers,
    withServer: sessions.withServer,
    leave(sessionId) {
      sessions.leave(sessionId)
      content.forget(sessionId)
      rootsChanged()
    },
    trustChanged: () => config.trustChanged(),
    rootsChanged,
    content,
    async close() {
      clearTimeout(telling)
      await actions.close()
    },
  }
}

/**
 * Saves files from servers with the session's long results, which its agent can read. Files with the same name are all
 * kept, even when they arrive at the same time.
 */
export function keepIn(home: string): (sessionId: string, name: string, bytes: Buffer) => Promise<string> {
  return async (sessionId, name, bytes) => {
    const folder = join(home, 'sessions', sessionId, 'tool-results')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}-${name}`)
    await writeFile(path, bytes, { mode: 0o600, flag: 'wx' })
    return path
  }
}
