import { CodedError } from '../../../../shared/model/errors'
import type { JsonEdit } from '../../config/json/edit-json'
import { readConfigText } from '../../config/read-config-file'
import { writePrivateFile } from '../../config/write-private-file'
import { atomicWrite } from '../../workspace/atomic-write'

const MOST_ATTEMPTS = 5

/**
 * Changes a file of servers and nothing in it but what the edits name, on top of what is on disk at that moment; answers its new text. The user's own file is
 * for the user alone, a project's keeps its permissions. CodedError `config.write_failed`; the file is then as it was, and it is never written while
 * it does not parse.
 */
export async function writeServers(
  file: string,
  { isPrivate, within }: { isPrivate: boolean; /** The project it must lie in. */ within?: string },
  editsFor: (text: string) => JsonEdit[],
): Promise<string> {
  const { editJson } = await import('../../config/json/edit-json')
  for (let attempt = 1; ; attempt += 1) {
    const found = readConfigText(file, within === undefined ? {} : { within })
    if ('problem' in found) throw new CodedError('config.write_failed', `${file}: ${found.problem.message}`)
    const before = 'text' in found ? found.text : ''
    const after = edited(file, () => editJson(before, editsFor(before)))
    if (after === before) return after
    const now = readConfigText(file, within === undefined ? {} : { within })
    // Somebody may have saved the file while the change was worked out.
    if (JSON.stringify(now) !== JSON.stringify(found) && attempt < MOST_ATTEMPTS) continue
    try {
      if (isPrivate) writePrivateFile(file, after)
      else await atomicWrite(file, Buffer.from(after))
      return after
    } catch (error) {
      throw new CodedError('config.write_failed', `${file} could not be written: ${reasonOf(error)}`, { cause: error })
    }
  }
}

function edited(file: string, edit: () => string): string {
  try {
    return edit()
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw new CodedError('config.write_failed', `${file} does not parse, so it is left as it is: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
