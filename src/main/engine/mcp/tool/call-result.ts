import { isDeepStrictEqual } from 'node:util'
import { errorText } from '../../../../shared/error-text'
import type { ResultPart } from '../../../../shared/model/turn/message'
import type { ServerLink } from '../../../../shared/model/approval/preview'
import { fitMedia, mediaTypeOf } from '../../model/media/fit-media'
import { isPdf } from '../../model/media/read-pdf'
import type { ToolResult } from '../../tool/tool'
import { plain } from './read-tools'
import { isRecord } from '../../../../shared/json-fields'

export interface ResultPlace {
  server: string
  tool: string
  /** Saves content that cannot be sent to a model; returns the path of its file. */
  keep(name: string, bytes: Buffer): Promise<string>
}

const MAX_PARTS = 200
const MAX_IMAGES = 20

/**
 * A response to `tools/call` as a result: text unchanged, pictures scaled for models, structured content once, links as
 * links without fetching them, everything else saved in a file. An unreadable part is reported and does not affect the
 * others.
 */
export async function callResult(answer: Readonly<Record<string, unknown>>, place: ResultPlace): Promise<ToolResult> {
  const listed: unknown[] = Array.isArray(answer['content']) ? answer['content'] : []
  const parts: ResultPart[] = []
  const links: ServerLink[] = []
  let images = 0
  for (const [index, item] of listed.slice(0, MAX_PARTS).entries()) {
    const part = await readPart(item, { ...place, index, links, roomForImage: images < MAX_IMAGES })
    images += part.filter(({ type }) => type === 'media').length
    parts.push(...part)
  }
  if (listed.length > MAX_PARTS) parts.push(note(`${listed.length - MAX_PARTS} more parts are left out.`))
  const structured = structuredText(answer['structuredContent'], parts, listed)
  if (structured !== undefined) parts.push({ type: 'text', text: structured })
  if (parts.length === 0) parts.push(note('The tool returned nothing.'))
  return {
    content: separated(parts),
    ...(answer['isError'] === true && { isError: true }),
    details: { kind: 'server', server: place.server, tool: place.tool, links },
  }
}

interface PartPlace extends ResultPlace {
  index: number
  links: ServerLink[]
  roomForImage: boolean
}

async function readPart(item: unknown, place: PartPlace): Promise<ResultPart[]> {
  if (!isRecord(item)) return [note('A part that is not valid in the protocol is left out.')]
  switch (item['type']) {
    case 'text':
      return typeof item['text'] === 'string'
        ? [{ type: 'text', text: item['text'].toWellFormed() }]
        : [note('A text without text is left out.')]
    case 'image':
    case 'audio':
      return binary(item['data'], item['mimeType'], `${item['type']}-${place.index + 1}`, place)
    case 'resource_link':
      return [link(item, place)]
    case 'resource':
      return resource(item['resource'], place)
    default:
      return [note(`A part of the unknown kind ${JSON.stringify(plain(item['type'], 40) ?? '')} is left out.`)]
  }
}

async function resource(value: unknown, place: PartPlace): Promise<ResultPart[]> {
  if (!isRecord(value)) return [note('A resource without content is left out.')]
  const uri = plain(value['uri'], 2_000) ?? 'without a name'
  if (typeof value['text'] === 'string')
    return [{ type: 'text', text: `[Resource ${uri}]\n${value['text'].toWellFormed()}` }]
  const name = uri.split(/[/\\?#]/).findLast((part) => part !== '') ?? 'resource'
  return [note(`Resource ${uri}:`), ...(await binary(value['blob'], value['mimeType'], name, place))]
}

function link(item: Record<string, unknown>, { links }: PartPlace): ResultPart {
  const uri = plain(item['uri'], 2_000)
  if (uri === undefined) return note('A link without an address is left out.')
  const name = plain(item['title'], 200) ?? plain(item['name'], 200) ?? uri
  const description = plain(item['description'], 1_000)
  const mediaType = plain(item['mimeType'], 100)
  links.push({
    uri,
    name,
    ...(description !== undefined && { description }),
    ...(mediaType !== undefined && { mediaType }),
  })
  const about = [mediaType, description].filter((each) => each !== undefined).join('; ')
  return note(`Link to a resource, not fetched: ${name} <${uri}>${about === '' ? '' : ` (${about})`}`)
}

async function binary(data: unknown, type: unknown, name: string, place: PartPlace): Promise<ResultPart[]> {
  if (typeof data !== 'string' || data === '') return [note('A part without data is left out.')]
  const bytes = Buffer.from(data, 'base64')
  const said = plain(type, 100) ?? 'of an unknown type'
  const found = mediaTypeOf(bytes)
  const isPicture = found?.mediaType.startsWith('image/') && found.problem === undefined
  if ((isPicture || isPdf(bytes)) && place.roomForImage) {
    try {
      return [await fitMedia({ data, mediaType: said, name: isPicture ? place.tool : name })]
    } catch (error) {
      const problem = errorText(error)
      return [note(`${isPicture ? 'An image' : 'A PDF'} (${said}) cannot be shown: ${problem}`)]
    }
  }
  try {
    const path = await place.keep(fileName(name, said), bytes)
    return [note(`${said}, ${bytes.length.toLocaleString('en-US')} bytes, kept in ${path}`)]
  } catch (error) {
    return [note(`${said}, ${bytes.length.toLocaleString('en-US')} bytes; it could not be kept: ${errorText(error)}`)]
  }
}

function fileName(name: string, type: string): string {
  const safe = name.replaceAll(/[^\w.-]/g, '_').slice(-80)
  const ending = /^[\w.+-]+\/([\w-]+)/.exec(type)?.[1]
  return /\.\w{1,8}$/.test(safe) || ending === undefined ? safe : `${safe}.${ending}`
}

/** Undefined without structured content, or when the texts already contain it, as the protocol recommends. */
function structuredText(
  structured: unknown,
  parts: readonly ResultPart[],
  listed: readonly unknown[],
): string | undefined {
  if (structured === undefined || structured === null) return undefined
  try {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    return isContained(structured, texts) || isWrapped(structured, texts, listed)
      ? undefined
      : JSON.stringify(structured, null, 2)
  } catch {
    return '[The structured content is nested too deeply to be shown.]'
  }
}

/**
 * Whether it only repeats the content under a single name, as servers do for tools that return plain text, a number or
 * a list.
 */
function isWrapped(structured: unknown, texts: readonly string[], listed: readonly unknown[]): boolean {
  const values = isRecord(structured) ? Object.values(structured) : []
  if (values.length !== 1) return false
  const [value] = values
  return isContained(value, texts) || (Array.isArray(value) && value.length > 0 && isDeepStrictEqual(value, listed))
}

/** Whether one text equals this value, or all texts concatenated do, or each text equals one of its items. */
function isContained(value: unknown, texts: readonly string[]): boolean {
  if (texts.some((text) => equals(text, value)) || (texts.length > 1 && equals(texts.join(''), value))) return true
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length === texts.length &&
    value.every((item, index) => equals(texts[index]!, item))
  )
}

function equals(text: string, value: unknown): boolean {
  return (typeof value === 'string' && text === value.toWellFormed()) || isSame(text, value)
}

function isSame(text: string, structured: unknown): boolean {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return false
  try {
    return isDeepStrictEqual(JSON.parse(text), structured)
  } catch {
    return false
  }
}

/** Models read the texts of a result as one, so line breaks are added between them. */
function separated(parts: readonly ResultPart[]): ResultPart[] {
  return parts.map((part, index) => {
    const next = parts[index + 1]
    return part.type === 'text' && next?.type === 'text' && !part.text.endsWith('\n')
      ? { ...part, text: `${part.text}\n` }
      : part
  })
}

function note(text: string): ResultPart {
  return { type: 'text', text: `[${text}]` }
}
