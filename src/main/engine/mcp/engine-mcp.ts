import { homedir } from 'node:os'
import type { RecordedEvent, EventBody } from '../../../shared/events/event'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Settings } from '../config/settings/settings'
import type { LoopSettings } from '../config/agent-settings/session-settings'
import type { Catalog } from '../model/catalog/catalog'
import type { Store } from '../store/store'
import type { ServerTools, ServerTool, CallContext, Tool, ToolResult } from '../tool/tool'
import { createMcp, type InternalMcp, type McpDeps, type McpEnvironment } from './create-mcp'
import type { McpUser, McpSessions, McpTool } from './hub/session-tools'
import { CodedError } from '../../../shared/errors'
import { receiveChunks } from '../loop/model-request'
import type { ModelInfo, Provider } from '../model/provider'
import type { AskModel } from './ask/sampling'
import { z } from 'zod'
import { argumentText } from '../../../shared/tool-label'
import { lazySchema } from '../../../shared/lazy-schema'
import type { CallArgument, Preview } from '../../../shared/model/approval/preview'
import { visibleText } from '../../../shared/visible-text'
import { shortText } from '../../../shared/cut-text'

interface EngineMcpDeps extends Pick<
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
  /** Call for each recorded event: folders may have changed, or sessions been archived. */
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
  /** Adds the request's usage to the session. */
  record(sessionId: string, event: Extract<EventBody, { type: 'sampling.finished' }>): void
  settings(): Pick<LoopSettings, 'idleTimeoutMs'>
}

/** Asks a session's model once, without tools. Failures are not retried, because the server can retry. */
function createAskModel({ resolveModel, record, settings }: AskModelDeps): AskModel {
  return async ({ sessionId, callId, server }, { system, messages, maxTokens }, signal) => {
    const { info, provider } = await resolveModel(sessionId)
    if (!info.imagesIn && messages.some(({ parts }) => parts.some(({ type }) => type === 'media')))
      throw new CodedError('request.invalid', `${info.label} does not support images.`)
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

/**
 * The tools of a session's servers, for its turns: the same array of the same tools until something changes. Undefined
 * without configured servers. With a signal, as before a turn, new servers get a moment to list their tools; without a
 * signal, nothing is started.
 */
async function serverTools(
  mcp: Pick<McpSessions, 'forTurn' | 'toolsOf' | 'call'>,
  user: McpUser,
  signal?: AbortSignal,
): Promise<ServerTools | undefined> {
  const source = signal ? await mcp.forTurn(user, signal) : await mcp.toolsOf(user)
  if (!source) return undefined
  const made = new WeakMap<McpTool, ServerTool>()
  let before: readonly McpTool[] | undefined
  let tools: readonly ServerTool[] = []
  const toolOf = (tool: McpTool): ServerTool => {
    const known = made.get(tool)
    if (known) return known
    const adapted = mcpTool(tool, (input, ctx) => mcp.call(user, tool, input, ctx)) as unknown as ServerTool
    made.set(tool, adapted)
    return adapted
  }
  return {
    tools() {
      const now = source.tools()
      if (now !== before) {
        before = now
        tools = now.map(toolOf)
      }
      return tools
    },
    disabledTools: () => source.switchedOff().map(toolOf),
    instructions: source.instructions,
  }
}

/** The server validates its own input, because only the server knows its full schema. */
const anyObject = lazySchema(() => z.record(z.string(), z.unknown()))

const MAX_SUMMARY = 120
/** Maximum characters on an approval card. */
const MAX_PREVIEW = 20_000

/** A server's tool for the loop. `call` enforces timeouts, because it sees progress and questions to the user. */
export function mcpTool(
  tool: McpTool,
  call: (input: Record<string, unknown>, ctx: CallContext) => Promise<ToolResult>,
): Tool<typeof anyObject> {
  const { server, serverId, name, fullName, title, description, inputSchema, annotations, saysDestructive, isLocal } =
    tool
  return {
    name: fullName,
    description: description === '' ? (title ?? `${name} of the MCP server ${server}`) : description,
    input: anyObject,
    schema: inputSchema,
    annotations,
    server: { name: server, ...(serverId !== undefined && { id: serverId }), tool: name, saysDestructive },
    timeoutMs: null,
    async prepare(input) {
      return {
        summary: summaryOf(input),
        accesses: [{ kind: 'server', server, local: isLocal, write: !annotations.readOnly }],
        preview: async () => previewOf(tool, input),
        run: (ctx) => call(input, ctx),
      }
    },
  }
}

/** The first few simple values, on one line. */
function summaryOf(input: Record<string, unknown>): string {
  const text = Object.values(input)
    .flatMap((value) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [],
    )
    .join(', ')
    .replaceAll(/\s+/g, ' ')
  return shortText(text, MAX_SUMMARY)
}

function previewOf({ server, name, title }: McpTool, input: Record<string, unknown>): Preview {
  let room = MAX_PREVIEW
  let left = 0
  const values: CallArgument[] = []
  for (const [key, value] of Object.entries(input)) {
    const [shownKey, text] = [visibleText(key), visibleText(argumentText(value))]
    const shown = text.slice(0, Math.max(0, room - shownKey.length))
    if (room > shownKey.length) values.push({ name: shownKey, text: shown })
    left += text.length - shown.length + (room > shownKey.length ? 0 : shownKey.length)
    room -= shownKey.length + shown.length
  }
  return {
    kind: 'call',
    server,
    tool: name,
    ...(title !== undefined && { title }),
    arguments: values,
    ...(left > 0 && { left }),
  }
}
