import type { AttachedFrom, MediaPart, UserPart } from '../../../../shared/model/turn/message'
import { fitMedia, MediaProblem } from '../../model/media/fit-media'
import { isRecord } from '../../../../shared/json-fields'

/** Maximum length of one server's text in one prompt. */
const MAX_CHARS = 200_000
const MAX_PARTS = 100
const MAX_PICTURES = 10

/**
 * A server's content as parts of a prompt: `items` are blocks of the protocol (texts, pictures, resources, links). What
 * models cannot accept, or exceeds the limits, is described instead. `around`: the text before and after it.
 */
export async function contentParts(
  items: readonly unknown[],
  from: AttachedFrom,
  around: readonly [string, string],
): Promise<UserPart[]> {
  const parts: UserPart[] = []
  let text = around[0]
  let left = MAX_CHARS
  let pictures = 0
  const flush = (): void => {
    if (text !== '') parts.push({ type: 'text', attached: from, text })
    text = ''
  }
  const write = (words: string): void => {
    text +=
      '\n' +
      (words.length > left
        ? `${words.slice(0, left).toWellFormed()}\n[cut here: ${words.length - left} more characters]`
        : words)
    left = Math.max(0, left - words.length)
  }
  for (const item of items.slice(0, MAX_PARTS)) {
    const content = blockOf(item)
    if ('text' in content) {
      write(content.text)
      continue
    }
    const bytes = Buffer.from(content.data, 'base64')
    const media = pictures < MAX_PICTURES ? await mediaOf(content) : undefined
    if (media) {
      pictures += 1
      flush()
      parts.push({ ...media, attached: from })
    } else
      write(
        `[${content.name}: ${content.mediaType}, ${bytes.length.toLocaleString('en')} bytes; ` +
          'it cannot be shown to a model]',
      )
  }
  if (items.length > MAX_PARTS) write(`[${items.length - MAX_PARTS} more parts are left out]`)
  text += `\n${around[1]}`
  flush()
  return parts
}

type Block = { text: string } | { data: string; mediaType: string; name: string }

function blockOf(item: unknown): Block {
  if (!isRecord(item)) return { text: '[a part that is not valid in the protocol]' }
  const mediaType = typeof item['mimeType'] === 'string' ? item['mimeType'].slice(0, 100) : 'of an unknown type'
  switch (item['type']) {
    case 'text':
      return { text: wellFormed(item['text']) }
    case 'image':
    case 'audio':
      return { data: typeof item['data'] === 'string' ? item['data'] : '', mediaType, name: item['type'] }
    case 'resource':
      return isRecord(item['resource']) ? resourceBlock(item['resource']) : { text: '[a resource without content]' }
    case 'resource_link':
      return { text: `[link to the resource ${wellFormed(item['uri']).slice(0, 2000)}, not fetched]` }
    default:
      return { text: '[a part of an unknown kind]' }
  }
}

/** One of the `contents` of a resource. */
export function resourceBlock(content: Record<string, unknown>): Block {
  const uri = wellFormed(content['uri']).slice(0, 2000)
  if (typeof content['text'] === 'string') return { text: content['text'].toWellFormed() }
  const mediaType = typeof content['mimeType'] === 'string' ? content['mimeType'].slice(0, 100) : 'of an unknown type'
  const data = typeof content['blob'] === 'string' ? content['blob'] : ''
  const text = IS_TEXT.test(mediaType) ? decoded(data) : undefined
  return text === undefined ? { data, mediaType, name: uri } : { text }
}

const IS_TEXT = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|toml)\b)/

/** The text; undefined when it is not valid UTF-8. */
function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

/** The picture or PDF, fitted for models; undefined for anything that models cannot accept. */
export async function mediaOf({
  data,
  mediaType,
  name,
}: Extract<Block, { data: string }>): Promise<MediaPart | undefined> {
  try {
    const media = await fitMedia({ data, mediaType, name })
    return media.mediaType.startsWith('video/') ? undefined : media
  } catch (error) {
    if (error instanceof MediaProblem) return undefined
    throw error
  }
}

function wellFormed(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : ''
}
