import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_NAME_CHARS = 100

/** Keeps the whole text of a result that is too long for the model; returns the path of its file. */
export async function saveResult(home: string, sessionId: string, callId: string, text: string): Promise<string> {
  const folder = join(home, 'sessions', sessionId, 'tool-results')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${resultFileName(callId)}.txt`)
  await writeFile(path, text, { mode: 0o600 })
  return path
}

/** The file name for a call id. An id that cannot be a file name gets a hash, so that all names are unique. */
function resultFileName(callId: string): string {
  const safe = callId.replace(/[^\w.-]/g, '_')
  if (safe === callId && safe.length <= MAX_NAME_CHARS) return safe
  return `${safe.slice(0, MAX_NAME_CHARS)}-${createHash('sha256').update(callId).digest('hex').slice(0, 16)}`
}
