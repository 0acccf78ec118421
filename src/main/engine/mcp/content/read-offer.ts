import type { McpPrompt, McpResource } from '../../../../shared/model/mcp-content'
import { serverLine, serverWords } from '../server-words'

/** A family of resources: `uri` holds variables in braces (RFC 6570). */
export type OfferedTemplate = Omit<McpResource, 'server'>
export type OfferedResource = Omit<McpResource, 'server'>
export type OfferedPrompt = Omit<McpPrompt, 'server'>

/** What a server offers beside tools, cleaned and bounded. Plain data: it is kept on disk. */
export interface Offer {
  prompts: OfferedPrompt[]
  resources: OfferedResource[]
  templates: OfferedTemplate[]
}

const NAME_CHARS = 256
const URI_CHARS = 2000
const DESCRIPTION_CHARS = 1000
const MOST_ARGUMENTS = 50

/** What `prompts/list` gave; what cannot be used is left out. */
export function readPrompts(items: readonly unknown[]): OfferedPrompt[] {
  return once(items, (item): OfferedPrompt | undefined => {
    const name = id(item['name'], NAME_CHARS)
    if (name === undefined) return undefined
    const listed: unknown[] = Array.isArray(item['arguments']) ? item['arguments'] : []
    const description = words(item['description'], DESCRIPTION_CHARS) ?? ''
    return { name, ...described(item), description, arguments: listed.slice(0, MOST_ARGUMENTS).flatMap(argumentOf) }
  })
}

/** What `resources/list` gave. */
export function readResources(items: readonly unknown[]): OfferedResource[] {
  return once(items, (item) => resourceOf(item, 'uri'))
}

/** What `resources/templates/list` gave. */
export function readTemplates(items: readonly unknown[]): OfferedTemplate[] {
  return once(items, (item) => resourceOf(item, 'uriTemplate'))
}

function resourceOf(item: Record<string, unknown>, key: 'uri' | 'uriTemplate'): OfferedResource | undefined {
  const uri = id(item[key], URI_CHARS)
  if (uri === undefined) return undefined
  const mediaType = line(item['mimeType'], 100)
  return { uri, name: line(item['name'], NAME_CHARS) ?? uri, ...described(item), ...(mediaType !== undefined && { mediaType }) }
}

function argumentOf(item: unknown): OfferedPrompt['arguments'] {
  if (!isRecord(item)) return []
  const name = id(item['name'], NAME_CHARS)
  const description = words(item['description'], DESCRIPTION_CHARS)
  return name === undefined ? [] : [{ name, ...(description !== undefined && { description }), required: item['required'] === true }]
}

function described(item: Record<string, unknown>): { title?: string; description?: string } {
  const title = line(item['title'], NAME_CHARS)
  const description = words(item['description'], DESCRIPTION_CHARS)
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

/** Of several of one name the first. */
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

/** What is sent back to the server as it is: without line breaks and what cannot be seen, or not at all. */
function id(value: unknown, most: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= most && serverLine(value, most) === value ? value : undefined
}

function line(value: unknown, most: number): string | undefined {
  return typeof value === 'string' ? serverLine(value, most) || undefined : undefined
}

function words(value: unknown, most: number): string | undefined {
  return typeof value === 'string' ? serverWords(value, most) || undefined : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
