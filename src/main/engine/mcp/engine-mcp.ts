import { homedir } from 'node:os'
import type { RecordedEvent, EventBody } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Settings } from '../config/settings/settings'
import type { LoopSettings } from '../config/settings/session-settings'
import type { Catalog } from '../model/catalog/catalog'
import type { Store } from '../store/store'
import type { ServerTools } from '../tool/tool'
import { createMcp, type InternalMcp, type McpDeps, type McpEnvironment } from './create-mcp'
import type { McpUser } from './hub/session-tools'
import { serverTools } from './server-tools'
import { CodedError } from '../../../shared/errors'
import { receiveChunks } from '../loop/model-request'
import type { ModelInfo, Provider } from '../model/provider'
import type { AskModel } from './ask/sampling'

export interface EngineMcpDeps extends Pick<
  McpDeps,
  'home' | 'version' | 'access' | 'watch' | 'report' | 'log' | 'sandboxes' | 'plugins'
> {
  environment: Omit<McpEnvironment, 'userHome'>
  settings(): Settings
  store: Pick<Store, 'header'>
  catalog: Pick<Catalog, 'resolve'>
  record: AskModelDeps['record']
  /** The effective header: for a subagent, that of the session the user started. */
  effectiveHeader(session: { header: SessionHeader }): SessionHeader
}

/** MCP servers for the sessions of an engine; a subagent uses those of its user's session. */
export interface EngineMcp extends InternalMcp {
  serverTools(session: { header: SessionHeader }, signal?: AbortSignal): Promise<ServerTools | undefined>
  /** Call for each recorded event: folders change, sessions are archived. */
  onRecorded(header: SessionHeader, before: SessionHeader | undefined, events: readonly RecordedEvent[]): void
}

export function createEngineMcp(deps: EngineMcpDeps): EngineMcp {
  const { settings, store, catalog, record, effectiveHeader, environment, ...rest } = deps
  const userOf = (header: SessionHeader): McpUser => {
    const { sessionId, folder } = effectiveHeader({ header })
    return { sessionId, folder }
  }
  const mcp = createMcp({
    ...rest,
    environment: { ...environment, userHome: homedir() },
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
    onRecorded(header, before, events) {
      if (events.some(({ type }) => type === 'session.changed')) mcp.rootsChanged()
      if (header.archived && before?.archived === false) mcp.leave(header.sessionId)
    },
  }
}

interface AskModelDeps {
  /** The session's current model. */
  resolveModel(sessionId: string): Promise<{ info: ModelInfo; provider: Provider }>
  /** Adds its usage to the session. */
  record(sessionId: string, event: Extract<EventBody, { type: 'sampling.finished' }>): void
  settings(): Pick<LoopSettings, 'idleTimeoutMs'>
}

/** Asks a session's model once, without tools; failures are not retried, since the server can retry. */
function createAskModel({ resolveModel, record, settings }: AskModelDeps): AskModel {
  return async ({ sessionId, callId, server }, { system, messages, maxTokens }, signal) => {
    const { info, provider } = await resolveModel(sessionId)
    if (!info.imagesIn && messages.some(({ parts }) => parts.some(({ type }) => type === 'media')))
      throw new CodedError('request.invalid', `${info.label} takes no pictures.`)
    const maxOutputTokens = Math.min(maxTokens, info.maxOutputTokens ?? maxTokens)
    let text = ''
    let isCut = false
    await receiveChunks(
      provider,
      { model: info.model, system, messages, tools: [], maxOutputTokens, imagesIn: info.imagesIn, thinking: false },
      { idleMs: settings().idleTimeoutMs, signal },
      (chunk) => {
        if (chunk.type === 'text') text += chunk.text
        else if (chunk.type === 'finish') {
          isCut = chunk.reason === 'length'
          if (chunk.usage)
            record(sessionId, { type: 'sampling.finished', callId, server, model: info.id, usage: chunk.usage })
        }
      },
    )
    return { model: info.id, text, isCut }
  }
}
