import type { TrestleClient } from '../../../shared/contract'
import type { TextPart, UserFile } from '../../../shared/model/turn/message'

/** A file stored with a session, as described to the agent. */
export type FilePart = TextPart & { file: UserFile }

/** Where to keep attached files. */
export interface FileKeeper {
  client: Pick<TrestleClient, 'file'>
  sessionId: string
}

/** Larger files would hold up the connection. */
const MAX_BYTES = 32_000_000

/** Keeps a file with the session, where the agent can read it. Throws an Error whose message can be shown. */
export async function keepFile(file: File, { client, sessionId }: FileKeeper): Promise<FilePart> {
  const fileName = file.name || 'file'
  if (file.size > MAX_BYTES)
    throw new Error(
      `${fileName} is larger than ${MAX_BYTES / 1_000_000} MB. Put it into the project and mention it with @.`,
    )
  const kept = await client.file.attach({ sessionId, name: fileName, data: await base64(file) })
  const { name, path, size, kind, text } = kept
  const description = `Attached file ${name} (${kind}, ${size} bytes), kept at ${path}`
  return {
    type: 'text',
    // Parts of a message are joined without separators.
    text: `\n\n${text === undefined ? `${description}.` : `${description}:\n\n${text}`}`,
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
