import { lstatSync, type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderEntries, FolderEntry } from '../../../../shared/model/project/file-view'
import { isPlaceholder } from '../../workspace/file/reserved-file'
import { ignoreRules } from '../../workspace/path/ignore-rules'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { VCS_FOLDERS } from '../../workspace/ripgrep/search-scope'
import { FileProblem, fileProblem } from '../../workspace/path/file-problem'
import { WorkSlices } from '../../runtime/work-slices'

/** Further entries are counted, not listed. */
const MAX_ENTRIES = 10_000

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const isVersionControl = new Set<string>(VCS_FOLDERS)

export interface ListedFolder {
  /** Real path. */
  path: string
  shown: string
  /** Real path of the project or added folder that contains it. */
  root: string
  /** The target of a link in it if the user may view it, otherwise the reason as a sentence. */
  follow(path: string): Promise<{ realPath: string } | { problem: string }>
}

/** The entries of one folder: folders first, then by name. Throws `FileProblem` when it cannot be read. */
export async function listFolder({ path, shown, root, follow }: ListedFolder): Promise<FolderEntries> {
  let found: Dirent[]
  try {
    found = await readdir(path, { withFileTypes: true })
  } catch (error) {
    throw fileProblem(error, shown)
  }
  const rules = ignoreRules(path, root)
  const listed = found.filter(({ name }) => !isVersionControl.has(name) && !isPlaceholder(join(path, name)))
  const slices = new WorkSlices()
  const entries: FolderEntry[] = []
  for (const entry of listed.slice(0, MAX_ENTRIES * 2)) {
    if (slices.isOver) await slices.next()
    const { name } = entry
    const full = join(path, name)
    const link = entry.isSymbolicLink() ? await linked(full, follow) : undefined
    const isFolder = link ? link.isFolder : entry.isDirectory()
    const closed = link?.closed ?? unreachable(full) ?? closedReason(entry, full, isFolder)
    entries.push({
      name,
      isFolder,
      ...(rules.ignores(full, isFolder) && { isIgnored: true as const }),
      ...(link && { isLink: true as const }),
      ...(closed !== undefined && { closed }),
    })
  }
  entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || names.compare(a.name, b.name))
  const more = listed.length - MAX_ENTRIES
  return { path, entries: entries.slice(0, MAX_ENTRIES), ...(more > 0 && { more }) }
}

async function linked(path: string, follow: ListedFolder['follow']): Promise<{ isFolder: boolean; closed?: string }> {
  const target = await follow(path)
  if ('problem' in target) return { isFolder: false, closed: target.problem }
  const stat = lstatSync(target.realPath, { throwIfNoEntry: false })
  if (!stat) return { isFolder: false, closed: 'The link leads nowhere.' }
  return { isFolder: stat.isDirectory() }
}

/**
 * Why an entry cannot be opened: if the bytes of its name are not valid text, the name was read with replacement
 * characters, and no file is found under it.
 */
function unreachable(path: string): string | undefined {
  if (!path.includes('\u{fffd}') || lstatSync(path, { throwIfNoEntry: false })) return undefined
  return 'Its name is not valid text. Rename it in a terminal to open it here.'
}

function closedReason(entry: Dirent, path: string, isFolder: boolean): string | undefined {
  const rule = isFolder ? undefined : sensitiveRule(path)
  if (rule !== undefined) return `It is protected: Trestle does not show ${rule}.`
  if (isFolder || entry.isFile() || entry.isSymbolicLink()) return undefined
  return 'It is no regular file.'
}

/** Throws a `FileProblem` unless it is a folder. */
export function requireFolder(realPath: string, shown: string): void {
  const stat = lstatSync(realPath, { throwIfNoEntry: false })
  if (!stat) throw new FileProblem(`${shown} does not exist.`, 'missing')
  if (!stat.isDirectory()) throw new FileProblem(`${shown} is a file, not a folder.`)
}
