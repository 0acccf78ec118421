import { CodedError, failureOf } from '../../../../shared/errors'
import type { McpPrompt, McpResource } from '../../../../shared/configuration/customize/mcp-content'
import { serverLine, serverText } from '../protocol/server-log'
import { isRecord } from '../../../../shared/json-fields'

/** The methods of a connection that this folder uses. */
export interface ContentConnection {
  readonly capabilities: { completions?: object | undefined }
  watchResource(uri: string, signal?: AbortSignal): Promise<void>
  request(
    method: string,
    params: Record<string, unknown>,
    limits?: { signal?: AbortSignal },
  ): Promise<Record<string, unknown>>
}

/** A server that a session can use. */
export interface ContentServer {
  readonly name: string
  /** What it is known to offer, without starting it; undefined if it was never connected. */
  known(): Offer | undefined
  /** What it offers; connects if that is not known yet. */
  offer(): Promise<Offer>
  /** Runs `run` with a connection, opened if necessary. */
  use<Result>(run: (connection: ContentConnection) => Promise<Result>): Promise<Result>
}

const TIMEOUT_MS = 30_000

/**
 * Sends a request to a server; rejects with a `CodedError` and a message for the user on a timeout or an error
 * response.
 */
export async function askServer(
  server: Pick<ContentServer, 'name' | 'use'>,
  method: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await server.use((connection) => connection.request(method, params, { signal: late }))
  } catch (error) {
    if (late.aborted)
      throw new CodedError('mcp.timeout', `The server ${server.name} did not answer within ${TIMEOUT_MS / 1000} s.`)
    if (error instanceof CodedError) throw error
    const message = failureOf(error).message.replace(/^MCP error -?\d+: /, '')
    throw new CodedError('mcp.answer', `The server ${server.name} answered: ${message.slice(0, 1000)}`)
  }
}

/** A resource template: `uri` contains variables in braces (RFC 6570). */
export type OfferedTemplate = Omit<McpResource, 'server'>
export type OfferedResource = Omit<McpResource, 'server'>
export type OfferedPrompt = Omit<McpPrompt, 'server'>

/** What a server offers besides tools, cleaned and bounded. Plain data: it is kept on disk. */
export interface Offer {
  prompts: OfferedPrompt[]
  resources: OfferedResource[]
  templates: OfferedTemplate[]
}

const NAME_CHARS = 256
const URI_CHARS = 2000
const DESCRIPTION_CHARS = 1000
const MAX_ARGUMENTS = 50

/** The prompts of a `prompts/list` response; unusable entries are left out. */
export function readPrompts(items: readonly unknown[]): OfferedPrompt[] {
  return once(items, (item): OfferedPrompt | undefined => {
    const name = id(item['name'], NAME_CHARS)
    if (name === undefined) return undefined
    const listed: unknown[] = Array.isArray(item['arguments']) ? item['arguments'] : []
    const description = words(item['description'], DESCRIPTION_CHARS) ?? ''
    return { name, ...described(item), description, arguments: listed.slice(0, MAX_ARGUMENTS).flatMap(argumentOf) }
  })
}

/** The resources of a `resources/list` response. */
export function readResources(items: readonly unknown[]): OfferedResource[] {
  return once(items, (item) => resourceOf(item, 'uri'))
}

/** The templates of a `resources/templates/list` response. */
export function readTemplates(items: readonly unknown[]): OfferedTemplate[] {
  return once(items, (item) => resourceOf(item, 'uriTemplate'))
}

function resourceOf(item: Record<string, unknown>, key: 'uri' | 'uriTemplate'): OfferedResource | undefined {
  const uri = id(item[key], URI_CHARS)
  if (uri === undefined) return undefined
  const mediaType = line(item['mimeType'], 100)
  return {
    uri,
    name: line(item['name'], NAME_CHARS) ?? uri,
    ...described(item),
    ...(mediaType !== undefined && { mediaType }),
  }
}

function argumentOf(item: unknown): OfferedPrompt['arguments'] {
  if (!isRecord(item)) return []
  const name = id(item['name'], NAME_CHARS)
  const description = words(item['description'], DESCRIPTION_CHARS)
  return name === undefined
    ? []
    : [{ name, ...(description !== undefined && { description }), required: item['required'] === true }]
}

function described(item: Record<string, unknown>): { title?: string; description?: string } {
  const title = line(item['title'], NAME_CHARS)
  const description = words(item['description'], DESCRIPTION_CHARS)
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

/** Keeps only the first of several entries with the same name. */
function once<Read extends { name: string; uri?: string }>(
  items: readonly unknown[],
  read: (item: Record<string, unknown>) => Read | undefined,
): Read[] {
  const found = new Map<string, Read>()
  for (const item of items) {
    const made = isRecord(item) ? read(item) : undefined
    const key = made?.uri ?? made?.name
    if (made && key !== undefined && !found.has(key)) found.set(key, made)
  }
  return [...found.values()]
}

/** Text that is sent back to the server unchanged: undefined if it contains line breaks or invisible characters. */
function id(value: unknown, most: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= most && serverLine(value, most) === value
    ? value
    : undefined
}

function line(value: unknown, most: number): string | undefined {
  return typeof value === 'string' ? serverLine(value, most) || undefined : undefined
}

function words(value: unknown, most: number): string | undefined {
  return typeof value === 'string' ? serverText(value, most) || undefined : undefined
}
