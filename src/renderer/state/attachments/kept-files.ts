import type { TrestleClient } from '../../../shared/contract'
import { isUnkept, type Attachment, type FilePart } from './attachment'

/** The session that files are stored with. */
export interface FileKeeper {
  client: Pick<TrestleClient, 'file'>
  sessionId: string
}

/** Larger files would block the connection for too long. */
const MAX_BYTES = 32_000_000

/** Throws an Error with a message for the user if the file is too large. */
export function requireFits(file: File): void {
  if (file.size <= MAX_BYTES) return
  const limit = `${MAX_BYTES / 1_000_000} MB`
  throw new Error(`${file.name || 'file'} is larger than ${limit}. Add it to the project and mention it with @.`)
}

/**
 * Stores the files that are not stored yet with the session, where the agent can read them. `failure`: why some could
 * not be stored; they are returned unchanged.
 */
export async function keepFiles(
  attachments: readonly Attachment[],
  keeper: FileKeeper,
): Promise<{ attachments: Attachment[]; failure?: unknown }> {
  let failure: unknown
  const done: Attachment[] = []
  for (const attachment of attachments) {
    try {
      done.push(isUnkept(attachment) ? await kept(attachment.part.file, keeper) : attachment)
    } catch (error) {
      failure = error
      done.push(attachment)
    }
  }
  return { attachments: done, ...(failure !== undefined && { failure }) }
}

/** Uses a new id, because the content stored in the browser for an id never changes. */
async function kept(file: File, keeper: FileKeeper): Promise<Attachment> {
  const part = await keepFile(file, keeper)
  return { id: crypto.randomUUID(), part, bytes: part.file.size }
}

async function keepFile(file: File, { client, sessionId }: FileKeeper): Promise<FilePart> {
  const given = file.name || 'file'
  const answer = await client.file.attach({ sessionId, name: given, data: await base64(file) })
  const { name, path, size, kind, text } = answer
  const said = `Attached file ${name} (${kind}, ${size} bytes), kept at ${path}`
  return {
    type: 'text',
    // Parts of a message are joined without a separator.
    text: `\n\n${text === undefined ? `${said}.` : `${said}:\n\n${text}`}`,
    file: { name, path, size },
  }
}

/** The content as it is sent over the connection. */
export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let start = 0; start < bytes.length; start += 0x8000)
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  return btoa(text)
}

/** Text fields take seconds to show more than this, and a model could read only a part of it at once. */
const MAX_PASTED_CHARS = 100_000

/** Pasted text that is too long for a text field, as a file to attach; undefined: it can be pasted. */
export function longPaste(data: Pick<DataTransfer, 'getData'>): File | undefined {
  const text = data.getData('text/plain')
  return text.length > MAX_PASTED_CHARS ? new File([text], 'pasted-text.txt', { type: 'text/plain' }) : undefined
}
