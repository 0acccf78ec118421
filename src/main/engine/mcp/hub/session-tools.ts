import { createHash } from 'node:crypto'
import type { McpServerDefinition } from '../../../../shared/configuration/mcp'
import type { ConfiguredServer } from '../config/configured-server'
import type { Listing } from './server-listing'
import type { ListedTool } from '../tool/read-tools'
import type { Connection } from '../protocol/connection'
import type { CallContext, ToolAnnotations, ToolResult } from '../../tool/tool'

/** A server of a session, and what it is known to offer. */
export interface OfferingServer {
  server: ConfiguredServer
  tools: readonly ListedTool[]
}

/** The tools of these servers that a model can be offered, under names of their own. */
export function sessionTools(servers: readonly OfferingServer[]): McpTool[] {
  return named(
    servers.flatMap(({ server, tools }) => {
      const { fitting } = offeredTools(server.definition, tools)
      return fitting.map((tool) => ({ server, tool }))
    }),
  )
}

/** Those that could be offered, were they not switched off. */
export function switchedOffTools(servers: readonly OfferingServer[]): McpTool[] {
  return named(
    servers.flatMap(({ server, tools }) =>
      tools
        .filter((tool) => tool.problem === undefined && !isToolEnabled(server.definition, tool.name))
        .map((tool) => ({ server, tool })),
    ),
  )
}

function named(offered: readonly { server: ConfiguredServer; tool: ListedTool }[]): McpTool[] {
  const names = toolNames(offered.map(({ server, tool }) => ({ server: server.name, name: tool.name })))
  const taken = new Set<string>()
  return offered.flatMap(({ server, tool }, index): McpTool[] => {
    const fullName = names[index]!
    // Only somebody who computes our hashes comes here.
    if (taken.has(fullName)) return []
    taken.add(fullName)
    const { name, title, description, inputSchema, annotations, saysDestructive, needsTask } = tool
    return [
      {
        server: server.name,
        serverId: server.serverId,
        name,
        fullName,
        ...(title !== undefined && { title }),
        description,
        inputSchema,
        annotations,
        saysDestructive,
        ...(needsTask && { needsTask }),
        isLocal: isLocal(server),
      },
    ]
  })
}

/** The same list while nothing has changed: requests to models are compared by identity. */
export function reuseIfUnchanged(before: readonly McpTool[], after: readonly McpTool[]): readonly McpTool[] {
  const isSame =
    before.length === after.length &&
    before.every((tool, index) => {
      const other = after[index]!
      // A listing that stays the same keeps its objects.
      return (
        tool.fullName === other.fullName &&
        tool.inputSchema === other.inputSchema &&
        tool.description === other.description
      )
    })
  return isSame ? before : after
}

/** Characters of all schemas and descriptions of a server: more than any real one has, and not so many that nothing else fits into a request. */
const MAX_CHARS = 256 * 1024

/** What the model is told of a server whose tools it does not have all: it would look for them, or say that there are none. */
export function omittedTools(
  { definition }: Pick<ConfiguredServer, 'definition'>,
  { tools, hasMoreTools }: Listing,
): string[] {
  const { left } = offeredTools(definition, tools)
  return [
    ...(hasMoreTools ? [`[The server has more tools than the ${tools.length} that were read.]`] : []),
    ...(left.size > 0
      ? [
          `[${left.size} tools of the server are not offered, because there are too many: the user can switch off others.]`,
        ]
      : []),
  ]
}

/** What of a server's tools can be offered: those that can be used and are switched on, as far as they fit; `left`: those that do not. */
export function offeredTools(
  definition: Pick<McpServerDefinition, 'disabledTools' | 'enabledTools'>,
  tools: readonly ListedTool[],
): { fitting: ListedTool[]; left: ReadonlySet<ListedTool> } {
  let chars = 0
  const fitting: ListedTool[] = []
  const left = new Set<ListedTool>()
  for (const tool of tools) {
    if (tool.problem !== undefined || !isToolEnabled(definition, tool.name)) continue
    chars += sizeOf(tool)
    if (chars <= MAX_CHARS) fitting.push(tool)
    else left.add(tool)
  }
  return { fitting, left }
}

const sizes = new WeakMap<ListedTool, number>()

function sizeOf(tool: ListedTool): number {
  const size = sizes.get(tool) ?? tool.name.length + tool.description.length + JSON.stringify(tool.inputSchema).length
  sizes.set(tool, size)
  return size
}

/** Whether the user lets this tool be offered. */
export function isToolEnabled(
  { disabledTools, enabledTools }: Pick<McpServerDefinition, 'disabledTools' | 'enabledTools'>,
  tool: string,
): boolean {
  return !disabledTools.includes(tool) && (enabledTools?.includes(tool) ?? true)
}

/** Whether it can touch the files of this machine. */
function isLocal({ definition }: ConfiguredServer): boolean {
  if (definition.transport === 'stdio') return true
  const host = URL.canParse(definition.url) ? new URL(definition.url).hostname : ''
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}

/** A tool of a server, ready to be offered. What the server said is cleaned and bounded: nothing in it can break a request. */
export interface McpTool {
  /** As the configuration calls it. */
  server: string
  /** Tells its server from servers of the same name elsewhere. */
  serverId?: string
  /** As the server calls it. */
  name: string
  /** As the model calls it: `mcp__server__tool`, at most 64 characters, never the name of a built-in. */
  fullName: string
  title?: string
  description: string
  /** A JSON Schema whose top is an object. */
  inputSchema: Readonly<Record<string, unknown>>
  /** Hints of the server: they can make a policy stricter, never laxer. What it does not say counts as the worst. */
  annotations: ToolAnnotations
  /** The server itself says that the tool can destroy something. */
  saysDestructive: boolean
  /** It can only be called as a task of the protocol. */
  needsTask?: true
  /** It runs on this machine, so it may read and change any file. */
  isLocal: boolean
}

/** The tools of a session's servers as they are now: the same array, of the same tools, until something changes. */
export interface McpToolSource {
  tools(): readonly McpTool[]
  /** Those that the configuration of their server switches off: for people to see, never offered. */
  switchedOff(): readonly McpTool[]
  /** What the servers say about their use. */
  instructions(): readonly { server: string; text: string }[]
}

/** Who uses servers: a session of a person; its subagents use them as that session. */
export interface McpUser {
  sessionId: string
  folder: string
}

/** What the engine itself does with servers, beside what hosts do. */
export interface McpSessions {
  /**
   * To be awaited before a turn: reads what is configured, and gives servers that were never seen before a few seconds to say what they offer. Starts nothing
   * that is known already. Undefined where there are no servers.
   */
  forTurn(user: McpUser, signal?: AbortSignal): Promise<McpToolSource | undefined>
  /** The same without starting anything: what is known of them now. */
  toolsOf(user: McpUser): Promise<McpToolSource | undefined>
  /** Runs a call that is allowed; starts the server where it does not run. Failures are results with advice. */
  call(user: McpUser, tool: McpTool, input: Record<string, unknown>, ctx: CallContext): Promise<ToolResult>
  /** The servers this session can use, and what is known of each; starts nothing. */
  servers(user: McpUser): Promise<{ name: string; serverId: string; listing?: Listing }[]>
  /**
   * Runs something with the connection of a server, by its name in the session; starts it where it does not run. CodedError: `mcp.not_found`, or why it does not
   * start.
   */
  withServer<Result>(
    user: McpUser,
    name: string,
    signal: AbortSignal | undefined,
    run: (connection: Connection) => Promise<Result>,
  ): Promise<Result>
}

const LONGEST = 64
const HASH_DIGITS = 8

/** A tool, and the server's name in the configuration. */
export interface NamedTool {
  server: string
  name: string
}

/**
 * What the model calls each tool: `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64 characters, no two the same, and the same whatever order servers
 * come in. A name that is too long is cut, one that is not the only one of its kind is marked: with a hash of what the server calls it. No server's name runs into
 * that of a tool, so a rule for `mcp__server__*` means that server.
 */
export function toolNames(tools: readonly NamedTool[]): string[] {
  const servers = serverNames([...new Set(tools.map(({ server }) => server))])
  const wanted = tools.map(({ server, name }) => `mcp__${servers.get(server)!}__${cleaned(name)}`)
  const counts = new Map<string, number>()
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1)
  return wanted.map((name, index) => {
    if (name.length <= LONGEST && counts.get(name) === 1) return name
    const { server, name: tool } = tools[index]!
    return withHash(name, LONGEST, `${server}::${tool}`)
  })
}

/** What each server is called in the names of its tools: without double or outer underscores, and told apart. */
function serverNames(servers: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>()
  for (const server of servers) counts.set(plain(server), (counts.get(plain(server)) ?? 0) + 1)
  return new Map(
    servers.map((server) => {
      const name = plain(server)
      const isItself = name === server
      return [
        server,
        (isItself || counts.get(name) === 1) && name.length <= LONGEST / 2 ? name : withHash(name, LONGEST / 2, server),
      ]
    }),
  )
}

function plain(server: string): string {
  return cleaned(server).replaceAll(/_+/g, '_').replaceAll(/^_|_$/g, '') || 'server'
}

function cleaned(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
}

function withHash(name: string, longest: number, of: string): string {
  const hash = createHash('sha256').update(of).digest('hex').slice(0, HASH_DIGITS)
  return `${name.slice(0, longest - HASH_DIGITS - 1).replace(/_+$/, '')}_${hash}`
}
