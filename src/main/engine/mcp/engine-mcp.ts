import { homedir } from 'node:os'
import type { RecordedEvent, EventBody } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session'
import type { Settings, LoopSettings } from '../config/settings/settings'
import type { Catalog } from '../model/catalog/catalog'
import type { Store } from '../store/store'
import type { ServerTools } from '../tool/tool'
import { createMcp, type InternalMcp, type McpDeps } from './create-mcp'
import type { McpUser } from './hub/session-tools'
import { serverTools } from './server-tools'
import { CodedError } from '../../../shared/errors'
import { receiveChunks } from '../loop/model-request'
import type { ModelInfo, Provider } from '../model/provider'
import type { AskModel } from './ask/sampling'

export interface EngineMcpDeps extends Pick<
  McpDeps,
  | 'home'
  | 'version'
  | 'keyStore'
  | 'env'
  | 'namedEnv'
  | 'ready'
  | 'fetch'
  | 'watch'
  | 'notifyChanged'
  | 'notifyUser'
  | 'onTrust'
  | 'log'
  | 'sandboxes'
> {
  settings(): Settings
  store: Pick<Store, 'header'>
  catalog: Pick<Catalog, 'resolve'>
  record: AskModelDeps['record']
  /** The header that counts: that of the person's session a subagent belongs to. */
  effectiveHeader(session: { header: SessionHeader }): SessionHeader
}

/** MCP servers as the sessions of an engine use them: a subagent as its person's session. */
export interface EngineMcp extends InternalMcp {
  serverTools(session: { header: SessionHeader }, signal?: AbortSignal): Promise<ServerTools | undefined>
  /** To be told of what is recorded: folders change, sessions are archived. */
  onRecorded(header: SessionHeader, before: SessionHeader | undefined, events: readonly RecordedEvent[]): void
}

export function createEngineMcp(deps: EngineMcpDeps): EngineMcp {
  const { settings, store, catalog, record, effectiveHeader, ...rest } = deps
  const userOf = (header: SessionHeader): McpUser => {
    const { sessionId, folder } = effectiveHeader({ header })
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
    onRecorded(header, before, events) {
      if (events.some(({ type }) => type === 'session.changed')) mcp.rootsChanged()
      if (header.archived && before?.archived === false) mcp.leave(header.sessionId)
    },
  }
}

interface AskModelDeps {
  /** The model the session talks to. */
  resolveModel(sessionId: string): Promise<{ info: ModelInfo; provider: Provider }>
  /** Counts what it took for the session. */
  record(sessionId: string, event: Extract<EventBody, { type: 'sampling.finished' }>): void
  settings(): Pick<LoopSettings, 'idleTimeoutMs'>
}

/** Asks a session's model once, without tools; what fails is not tried again, since the server can. */
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
