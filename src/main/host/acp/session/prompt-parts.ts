import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UserPart } from '../../../../shared/model/message'

/** A prompt as the engine takes it: files that are only named are named as paths, what is embedded comes with its text. */
export function promptParts(prompt: readonly ContentBlock[], folder: string): UserPart[] {
  const parts: UserPart[] = []
  let open = false
  /** Text goes on in one part, as the user wrote it. */
  const say = (text: string, joins: boolean): void => {
    const last = parts.at(-1)
    if (joins && open && last?.type === 'text') last.text += text
    else parts.push({ type: 'text', text })
    open = joins
  }
  for (const block of prompt) {
    switch (block.type) {
      case 'text':
        say(block.text, true)
        break
      case 'resource_link':
        say(mention(block.uri, block.title ?? block.name, folder), true)
        break
      case 'image':
        parts.push({ type: 'media', mediaType: block.mimeType, data: block.data, ...(block.uri && { name: nameOf(block.uri, folder) }) })
        break
      case 'resource': {
        const { resource } = block
        if ('text' in resource) say(embedded(resource.uri, resource.text, folder), false)
        else if (resource.mimeType?.startsWith('image/') || resource.mimeType === 'application/pdf')
          parts.push({ type: 'media', mediaType: resource.mimeType, data: resource.blob, name: nameOf(resource.uri, folder) })
        else say(`[${nameOf(resource.uri, folder)}: ${resource.mimeType ?? 'binary data'}, which cannot be read here]`, true)
        break
      }
      default:
        throw RequestError.invalidParams({ type: block.type }, 'audio cannot be understood here; send text or images')
    }
  }
  const isEmpty = parts.every((part) => part.type === 'text' && part.text.trim() === '')
  if (isEmpty) throw RequestError.invalidParams(undefined, 'the prompt is empty')
  return parts.filter((part) => part.type !== 'text' || part.text !== '')
}

/** `@src/a.ts` for a file; a link for anything else. A line of the file stands behind it. */
function mention(uri: string, title: string, folder: string): string {
  if (!uri.startsWith('file:')) return `[${title}](${uri})`
  const lines = /#L?(\d+)(?:[:-]L?(\d+))?$/.exec(uri)
  const [from, to] = [lines?.[1], lines?.[2]]
  const place = from === undefined ? '' : to === undefined ? ` (line ${from})` : ` (lines ${from}-${to})`
  return `@${nameOf(uri, folder)}${place}`
}

function embedded(uri: string, text: string, folder: string): string {
  return `<file path=${JSON.stringify(nameOf(uri, folder))}>\n${text.replace(/\n$/, '')}\n</file>`
}

/** A path, relative inside the project; any other address as it is. */
function nameOf(uri: string, folder: string): string {
  if (!uri.startsWith('file:')) return uri
  let path: string
  try {
    path = fileURLToPath(uri.replace(/[#?].*$/, ''))
  } catch {
    return uri
  }
  const way = relative(folder, path)
  return way === '' ? '.' : way.startsWith('..') ? path : way
}
