import { homedir } from 'node:os'
import type { RecordedEvent } from '../../../shared/model/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Settings } from '../config/settings'
import type { Catalog } from '../model/catalog'
import type { Store } from '../session/store'
import type { ServerTools } from '../tool/server-tool'
import { createAskModel, type AskModelDeps } from './ask/ask-model'
import { createMcp, type HeldMcp, type McpDeps } from './create-mcp'
import type { McpUser } from './mcp-tool'
import { serverTools } from './tool/server-tools'

export interface EngineMcpDeps extends Pick<
  McpDeps,
  'home' | 'version' | 'keyStore' | 'env' | 'namedEnv' | 'ready' | 'fetch' | 'watch' | 'tell' | 'notice' | 'onTrust' | 'log' | 'sandboxes'
> {
  settings(): Settings
  store: Pick<Store, 'header'>
  catalog: Pick<Catalog, 'resolve'>
  record: AskModelDeps['record']
  /** The header that counts: that of the person's session a subagent belongs to. */
  standing(session: { header: SessionHeader }): SessionHeader
}

/** MCP servers as the sessions of an engine use them: a subagent as its person's session. */
export interface EngineMcp extends HeldMcp {
  serverTools(session: { header: SessionHeader }, signal?: AbortSignal): Promise<ServerTools | undefined>
  /** To be told of what is recorded: folders change, sessions are archived. */
  recorded(header: SessionHeader, before: SessionHeader | undefined, events: readonly RecordedEvent[]): void
}

export function createEngineMcp(deps: EngineMcpDeps): EngineMcp {
  const { settings, store, catalog, record, standing, ...rest } = deps
  const userOf = (header: SessionHeader): McpUser => {
    const { sessionId, folder } = standing({ header })
    return { sessionId, folder }
  }
  const mcp = createMcp({
    ...rest,
    userHome: homedir(),
    settings: () => settings().mcp,
    askModel: createAskModel({
      resolveModel: async (sessionId) => catalog.resolve(store.header(sessionId)?.model),
      record,
      settings: () => settings().loop,
    }),
    userOf(sessionId) {
      const header = store.header(sessionId)
      return header && userOf(header)
    },
    foldersOf(sessionId) {
      const header = store.header(sessionId)
      return header ? [header.folder, ...header.addedFolders] : []
    },
  })
  return {
    ...mcp,
    serverTools: ({ header }, signal) => serverTools(mcp, userOf(header), signal),
    recorded(header, before, events) {
      if (events.some(({ type }) => type === 'session.changed')) mcp.rootsChanged()
      if (header.archived && before?.archived === false) mcp.leave(header.sessionId)
    },
  }
}
