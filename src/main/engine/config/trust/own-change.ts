import { agentTrace } from '../../task/watch/agent-trace'
import { standingOf } from './standing'
import { readEntry, writeEntry } from './trust-entry'

/**
 * Lets `write` change one file of a project at the user's own wish. Where all of the folder's configuration was trusted before, or there was none, it is
 * trusted afterwards too, as far as nothing but this file has changed, to the text that `write` answers. In every other case, and when it is a command of an agent
 * that changes it, the user is asked as always. `folder` is a real path.
 */
export async function ownChange(
  home: string,
  folder: string,
  file: string,
  now: () => number,
  write: () => Promise<string>,
): Promise<void> {
  const before = standingOf(home, folder)
  const text = await write()
  if ((before.state !== 'trusted' && before.state !== 'nothing') || (await agentTrace({ home, orphans: false })) !== undefined) return
  const after = standingOf(home, folder)
  const others = (files: typeof after.files): string => JSON.stringify(files.filter((one) => one.file !== file))
  const isOurs = after.files.every((one) => one.file !== file || (one.text === text && one.link === undefined && !one.problem))
  const found = readEntry(home, folder)
  if (!isOurs || after.files.length === 0 || others(before.files) !== others(after.files) || !('entry' in found)) return
  const files = after.files.map((one) => ({ file: one.file, text: one.text }))
  writeEntry(home, { folder, accepted: { hash: after.hash, at: now(), files } })
}
