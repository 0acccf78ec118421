import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { errorCode, errorText } from '../../../shared/error-text'
import type { AttachedFile } from '../../../shared/model/project/file-view'
import { CodedError } from '../../../shared/errors'
import { attachmentsFolder } from '../workspace/file-access'
import { safeFileName } from '../workspace/file/safe-file-name'
import { decodeText } from '../workspace/file/text-file'

/** Texts up to this length are sent with the message; the agent reads longer ones from the file. */
const INLINE_CHARS = 16_000
const MAX_FILES = 1_000

/** Writes a file to the attachments of a session, which only the user can read, under an unused name. */
export async function keepAttachment(
  home: string,
  sessionId: string,
  name: string,
  data: Uint8Array,
): Promise<AttachedFile> {
  const folder = attachmentsFolder(home, sessionId)
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length >= MAX_FILES)
      throw new CodedError('request.invalid', `A session takes at most ${MAX_FILES} attached files.`)
    const path = await writeNew(folder, safeName(name), bytes)
    const decoded = decodeText(bytes)
    const size = bytes.length
    if ('notText' in decoded) return { name: safeName(name), path, size, kind: decoded.notText.type?.name ?? 'binary' }
    const isShort = decoded.text.length <= INLINE_CHARS
    return { name: safeName(name), path, size, kind: 'text', ...(isShort && { text: decoded.text }) }
  } catch (error) {
    if (error instanceof CodedError) throw error
    const why = errorText(error)
    throw new CodedError('request.invalid', `${name} could not be attached: ${why}`, { cause: error })
  }
}

/** A valid file name from the last part of the name that a client sent. */
function safeName(name: string): string {
  return safeFileName(name.split(/[\\/]/).at(-1) ?? '', 'file')
}

async function writeNew(folder: string, name: string, bytes: Buffer): Promise<string> {
  const ending = extname(name)
  const base = name.slice(0, name.length - ending.length)
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? name : `${base}-${n}${ending}`)
    try {
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
      return path
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}
