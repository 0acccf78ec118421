import type { ServerToolsCost, SessionTool, ToolsView } from '../../../shared/model/turn/context'
import type { AgentTurn } from '../agent/subagents'
import { FEATURES, FEATURE_TEXT, type Feature } from '../../../shared/configuration/features'
import { matchingThreshold } from '../config/agent-settings/mcp-settings'
import type { Settings } from '../config/settings/settings'
import { textTokens, toolSize } from '../context/tokens/token-estimate'
import type { ToolLookup } from '../loop/turn-context'
import type { SessionLookup } from '../mcp/tool/session-tool-lookup'
import type { ModelInfo } from '../model/provider'
import { briefLine, briefToolList } from '../tool/brief-tools'
import { toolSchema, type Registry } from '../tool/registry'
import type { ServerTools, Tool } from '../tool/tool'
import type { Session } from '../session/session'
import { cutText } from '../../../shared/cut-text'

export interface TurnToolsDeps {
  toolsOf(session: Session, model: ModelInfo, disabled: readonly string[], offers: AgentTurn['offers']): Registry
  allTools(session: Session): readonly Tool[]
  /**
   * The tools of the session's MCP servers; undefined when no server is configured. With a signal, for a turn: waits
   * briefly for servers whose tools are not known yet. Without a signal, nothing is started.
   */
  serverTools?(session: Session, signal?: AbortSignal): Promise<ServerTools | undefined>
}

/** What determines the tools of a turn. */
export interface ToolChoice {
  info: ModelInfo
  settings: Pick<Settings, 'tools' | 'toolSearch'>
  /** Tools that are currently unavailable, with the reason. */
  unavailable: Readonly<Record<string, string>>
  offers: AgentTurn['offers']
  /** Names of the tools whose schemas the model has received; undefined before the first request. */
  knownTools(): ReadonlySet<string> | undefined
}

export interface TurnTools {
  lookup: ToolLookup
  /** Undefined when no server has tools. */
  cost(): ServerToolsCost | undefined
  /** The instructions of the session's servers. */
  instructions: ServerTools['instructions']
}

/** The tools that a turn offers: the built-in ones, and those of its servers as of each step. */
export async function turnTools(
  deps: TurnToolsDeps,
  session: Session,
  choice: ToolChoice,
  signal?: AbortSignal,
): Promise<TurnTools> {
  const own = deps.toolsOf(
    session,
    choice.info,
    [...choice.settings.tools.disabled, ...Object.keys(choice.unavailable)],
    choice.offers,
  )
  const servers = await deps.serverTools?.(session, signal)
  const lookup = servers ? await withServerTools(own, servers, session, choice) : undefined
  const found: ToolLookup = lookup ?? own
  return {
    lookup: {
      ...found,
      unknownTool: (name) =>
        choice.knownTools()?.has(name)
          ? `${name} is no longer available. Continue without it.`
          : found.unknownTool(name),
    },
    cost: () => lookup?.cost(),
    instructions: () => servers?.instructions() ?? [],
  }
}

async function withServerTools(
  own: Registry,
  servers: ServerTools,
  session: Session,
  { info, settings, offers, knownTools }: ToolChoice,
): Promise<SessionLookup> {
  const { createSessionLookup } = await import('../mcp/tool/session-tool-lookup')
  const { disabled } = settings.tools
  return createSessionLookup({
    own,
    servers,
    offers: (tool) => !disabled.includes(tool.name) && offers(tool),
    settings: {
      ...settings.toolSearch,
      enabled: settings.toolSearch.enabled && !disabled.includes('tool_search'),
      matchingThreshold: matchingThreshold(settings.toolSearch, process.env),
    },
    window: info.contextWindow,
    loaded: () => session.header.loadedTools ?? NONE,
    knownTools,
  })
}

/** The list of the tools that the model calls with `call_tool`, without their schemas. */
export function briefTools(lookup: ToolLookup): string | undefined {
  return briefToolList(lookup.briefTools?.() ?? [])
}

/** The tools of features that are off or lack something they need, with the reason. */
export function toolsOfDisabledFeatures({
  features,
  mail,
}: Pick<Settings, 'features' | 'mail'>): Record<string, string> {
  const why = (feature: Feature): string | undefined => {
    if (!features[feature]) return `${FEATURE_TEXT[feature].label} is off. Turn it on in the settings, under Features.`
    return feature === 'mail' && Object.keys(mail.accounts).length === 0
      ? 'No mail account is set up. Add one in the settings, under Mail.'
      : undefined
  }
  return Object.fromEntries(
    FEATURES.flatMap((feature) => {
      const reason = why(feature)
      return reason === undefined ? [] : FEATURE_TEXT[feature].tools.map((tool) => [tool, reason])
    }),
  )
}

const NONE: readonly string[] = []
/** Characters of a tool's description that users see. */
const MAX_DESCRIPTION_CHARS = 300

/** All tools of a session, as they would be offered now. Starts no servers. */
export async function toolsView(deps: TurnToolsDeps, session: Session, choice: ToolChoice): Promise<ToolsView> {
  const { info, settings, unavailable, offers } = choice
  const own = deps.toolsOf(session, info, [...settings.tools.disabled, ...Object.keys(unavailable)], offers)
  const servers = await deps.serverTools?.(session)
  const lookup = servers && (await withServerTools(own, servers, session, choice))
  const offWhy = (tool: Tool): string =>
    settings.tools.disabled.includes(tool.name)
      ? 'Switched off in the settings.'
      : (unavailable[tool.name] ?? (offers(tool) ? 'The model cannot use it.' : 'Not for this agent.'))
  const row = (tool: Tool, state: SessionTool['state'] | undefined, why = offWhy): SessionTool => {
    const { bytes, tokens } = tool.brief
      ? { bytes: Buffer.byteLength(briefLine(tool)), tokens: textTokens(briefLine(tool)) }
      : toolSize(toolSchema(tool))
    return {
      name: tool.name,
      ...(tool.server && { server: { name: tool.server.name, tool: tool.server.tool } }),
      description: cutText(tool.description.replaceAll(/\s+/g, ' ').trim(), MAX_DESCRIPTION_CHARS).toWellFormed(),
      state: info.toolCalls ? (state ?? 'off') : 'off',
      ...(!info.toolCalls ? { reason: 'The model takes no tools.' } : state === undefined && { reason: why(tool) }),
      tokens: Math.round(tokens),
      bytes,
    }
  }
  const search = lookup?.loadable?.() === undefined ? undefined : lookup.get('tool_search')
  const cost = lookup?.cost()
  return {
    tools: [
      ...deps.allTools(session).map((tool) => row(tool, own.get(tool.name) && 'active')),
      ...(search ? [row(search, 'active')] : []),
      ...(servers?.tools() ?? []).map((tool) => row(tool, lookup?.stateOf(tool.name))),
      ...(servers?.disabledTools() ?? []).map((tool) =>
        row(tool, undefined, () => 'Switched off in the settings of its server.'),
      ),
    ],
    ...(cost && { cost }),
  }
}
