import { createHash } from 'node:crypto'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import type { ConfiguredServer } from '../config/configured-server'
import type { Listing } from './server-listing'
import type { ListedTool } from '../tool/read-tools'
import type { Connection } from '../protocol/connection'
import type { CallContext, ToolAnnotations, ToolResult } from '../../tool/tool'

/** A server of a session, and what it offers as far as known. */
export interface OfferingServer {
  server: ConfiguredServer
  tools: readonly ListedTool[]
}

/** The tools of these servers that a model can be offered, under unique names. */
export function sessionTools(servers: readonly OfferingServer[]): McpTool[] {
  return named(
    servers.flatMap(({ server, tools }) => {
      const { fitting } = offeredTools(server.definition, tools)
      return fitting.map((tool) => ({ server, tool }))
    }),
  )
}

/** Tools that could be offered if they were enabled. */
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
    // Reachable only with a deliberate hash collision.
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

/** The same list until something changes, because requests to models are compared by identity. */
export function reuseIfUnchanged(before: readonly McpTool[], after: readonly McpTool[]): readonly McpTool[] {
  const isSame =
    before.length === after.length &&
    before.every((tool, index) => {
      const other = after[index]!
      // An unchanged listing keeps its objects.
      return (
        tool.fullName === other.fullName &&
        tool.inputSchema === other.inputSchema &&
        tool.description === other.description
      )
    })
  return isSame ? before : after
}

/**
 * Maximum characters of all schemas and descriptions of a server: more than any real server has, but not so many that
 * nothing else fits into a request.
 */
const MAX_CHARS = 256 * 1024

/**
 * A note to the model about a server with tools that are not offered; without it, the model would search for them or
 * claim that they do not exist.
 */
export function omittedTools(
  { definition }: Pick<ConfiguredServer, 'definition'>,
  { tools, hasMoreTools }: Listing,
): string[] {
  const { left } = offeredTools(definition, tools)
  return [
    ...(hasMoreTools ? [`[The server has more tools than the ${tools.length} that were read.]`] : []),
    ...(left.size > 0
      ? [`[${left.size} tools of the server are not offered, because there are too many: the user can disable others.]`]
      : []),
  ]
}

/** The server's tools to offer: usable, enabled, and as many as fit; `left`: those that do not fit. */
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

/** Whether the user enabled this tool. */
export function isToolEnabled(
  { disabledTools, enabledTools }: Pick<McpServerDefinition, 'disabledTools' | 'enabledTools'>,
  tool: string,
): boolean {
  return !disabledTools.includes(tool) && (enabledTools?.includes(tool) ?? true)
}

/** Whether a server can access the files of this machine. */
function isLocal({ definition }: ConfiguredServer): boolean {
  if (definition.transport === 'stdio') return true
  const host = URL.canParse(definition.url) ? new URL(definition.url).hostname : ''
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.')
}

/**
 * A server's tool, ready to be offered. The server's text is cleaned and bounded: nothing in it can break a request.
 */
export interface McpTool {
  /** The server's name in the configuration. */
  server: string
  /** Distinguishes its server from others with the same name. */
  serverId?: string
  /** The server's own name for it. */
  name: string
  /** The model's name for it: `mcp__server__tool`, at most 64 characters, never the name of a built-in. */
  fullName: string
  title?: string
  description: string
  /** A JSON Schema whose root is an object. */
  inputSchema: Readonly<Record<string, unknown>>
  /** Hints from the server: they can only make a policy stricter. For omitted hints, the worst case is assumed. */
  annotations: ToolAnnotations
  /** The server itself declares that the tool can be destructive. */
  saysDestructive: boolean
  /** It can only be called as a task of the protocol. */
  needsTask?: true
  /** It runs on this machine, so it can read and change any file. */
  isLocal: boolean
}

/** The current tools of a session's servers: the same array, of the same tools, until something changes. */
export interface McpToolSource {
  tools(): readonly McpTool[]
  /** Tools that are disabled in their server's configuration: shown to the user, never offered. */
  switchedOff(): readonly McpTool[]
  /** The servers' instructions. */
  instructions(): readonly { server: string; text: string }[]
}

/** A user of servers: a session that the user started; its subagents use servers as that session. */
export interface McpUser {
  sessionId: string
  folder: string
}

/** For use inside the engine, in addition to the methods for hosts. */
export interface McpSessions {
  /**
   * Await before a turn: reads the configuration and gives new servers a few seconds to list what they offer. Starts
   * nothing whose listing is already known. Undefined without servers.
   */
  forTurn(user: McpUser, signal?: AbortSignal): Promise<McpToolSource | undefined>
  /** The same without starting anything: what is currently known. */
  toolsOf(user: McpUser): Promise<McpToolSource | undefined>
  /** Runs a call that has been allowed; starts the server if necessary. Failures are results with advice. */
  call(user: McpUser, tool: McpTool, input: Record<string, unknown>, ctx: CallContext): Promise<ToolResult>
  /** The servers this session can use, and what is known about each; starts nothing. */
  servers(user: McpUser): Promise<{ name: string; serverId: string; listing?: Listing }[]>
  /**
   * Runs something with a connection to a server, by its name in the session; starts it if necessary. Throws
   * `mcp.not_found`, or the reason why it does not start.
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
 * The model's name for each tool: `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64 characters, unique,
 * and independent of the order of servers. A name that is too long is cut, and a duplicate is marked, with a hash of
 * the server's own names. No server's name in them is a prefix of another's, so a rule for `mcp__server__*` covers only
 * that server.
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

/**
 * Each server's name as used in the names of its tools: unique, and without double, leading or trailing underscores.
 */
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
