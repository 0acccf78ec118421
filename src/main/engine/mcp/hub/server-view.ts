import { textTokens } from '../../context/tokens/token-estimate'
import type { McpServerState, McpServerView, McpToolView } from '../../../../shared/configuration/customize/mcp'
import { maskUrl, maskSecrets } from '../config/describe-server'
import type { ConfiguredServer, EffectiveServer } from '../config/configured-server'
import type { ListedTool } from '../tool/read-tools'
import { toolNames, isToolEnabled, offeredTools } from './session-tools'
import type { Listing } from './server-listing'
import type { SharedServer } from './shared-server'

/**
 * What is known about a server. `shared`: its shared instance, if it was ever used; `listing`: what it is known to
 * offer.
 */
interface KnownOfServer {
  shared?: SharedServer | undefined
  listing?: Listing | undefined
  auth?: McpServerView['auth']
  sandbox: McpServerView['sandbox']
}

/** A server as displayed. */
export function serverView(
  { server, hiddenBy }: EffectiveServer,
  { shared, listing, auth, sandbox }: KnownOfServer,
): McpServerView {
  const { serverId, name, scope, file, plugin, definition } = server
  const state = stateOf(server, shared, auth)
  const isStdio = definition.transport === 'stdio'
  return {
    serverId,
    name,
    scope,
    ...(file !== undefined && { file }),
    ...(plugin && { plugin: plugin.name }),
    state,
    transport: definition.transport,
    target: isStdio ? maskSecrets([definition.command, ...definition.args]).join(' ') : maskUrl(definition.url),
    envNames: isStdio ? Object.keys(definition.env) : [],
    headerNames: isStdio ? [] : Object.keys(definition.headers),
    ...(hiddenBy !== undefined && { hiddenBy }),
    ...(sandbox && { sandbox }),
    sessions: shared?.users.size ?? 0,
    ...(shared?.pid !== undefined && { pid: shared.pid }),
    ...(listing && { serverInfo: listing.info }),
    tools: toolViews(server, listing?.tools ?? []),
    prompts: listing?.offer.prompts.length ?? 0,
    resources: listing?.offer.resources.length ?? 0,
    ...(listing && listing.notes.length > 0 && { notes: [...listing.notes] }),
    ...(shared?.error && state !== 'disabled' && { error: shared.error }),
    ...(auth && { auth }),
  }
}

const TOO_LARGE_MESSAGE =
  'Together with those before it, it would take too much of every request: switch off some that are not needed.'

function stateOf(
  { definition, isAccepted }: ConfiguredServer,
  shared: SharedServer | undefined,
  auth: McpServerView['auth'],
): McpServerState {
  if (!definition.enabled) return 'disabled'
  if (!isAccepted) return 'asked'
  const state = shared?.state ?? 'idle'
  return state === 'idle' && auth?.wants !== undefined ? 'sign_in' : state
}

function toolViews(server: ConfiguredServer, tools: readonly ListedTool[]): McpToolView[] {
  const names = toolNames(tools.map(({ name }) => ({ server: server.name, name })))
  const { left } = offeredTools(server.definition, tools)
  return tools.map((tool, index) => {
    const { name, title, description, inputSchema, annotations, saysDestructive } = tool
    const problem = tool.problem ?? (left.has(tool) ? TOO_LARGE_MESSAGE : undefined)
    const fullName = names[index]!
    return {
      name,
      fullName,
      ...(title !== undefined && { title }),
      description,
      enabled: isToolEnabled(server.definition, name),
      tokens: tokensOf(tool, fullName, inputSchema),
      readOnly: annotations.readOnly,
      destructive: saysDestructive,
      ...(problem !== undefined && { problem }),
    }
  })
}

const known = new WeakMap<ListedTool, number>()

function tokensOf(tool: ListedTool, name: string, schema: unknown): number {
  const tokens =
    known.get(tool) ?? Math.round(textTokens(JSON.stringify({ name, description: tool.description, schema })))
  known.set(tool, tokens)
  return tokens
}
