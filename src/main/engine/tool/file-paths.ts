import { readlink, readdir } from 'node:fs/promises'
import { join, parse, sep, dirname } from 'node:path'
import type { ResolvedPath, Workspace } from '../workspace/workspace'
import { refuse, type Refusal, type Remember } from './tool'

/**
 * Why no file tool may touch a path at all: it cannot exist, or it is a sensitive file. Undefined if it may be touched.
 */
export function pathRefusal(workspace: Workspace, path: ResolvedPath): Refusal | undefined {
  const shown = workspace.display(path.path)
  if (path.problem !== undefined)
    return refuse(`The path ${JSON.stringify(shown.slice(0, 500))} cannot be used: ${path.problem}.`)
  if (path.sensitive === undefined) return undefined
  return refuse(
    `${shown} is protected: file tools never read or change ${path.sensitive}. ` +
      'Do not try to work around this; ask the user if something in it matters.',
  )
}

/**
 * The message to the model when the path it wrote leads elsewhere than when it was judged, because the file or a folder
 * on the path was replaced by a link. Undefined when it still leads to the same file.
 */
export async function leadsElsewhere(
  workspace: Workspace,
  written: string,
  { realPath }: ResolvedPath,
): Promise<string | undefined> {
  const now = await workspace.resolve(written)
  if (now.realPath === realPath) return undefined
  return `${written} now leads to ${workspace.display(now.realPath)}. Call again if that is intended.`
}

/** A path as shown to the user: its real path, and the link it was written through, if any. */
export function shownPath(workspace: Workspace, path: ResolvedPath): string {
  const real = workspace.display(path.realPath)
  const written = workspace.display(path.path)
  // `/tmp/project/x` for `/private/tmp/project/x` is not a link worth reporting; only links below the project are.
  return written === real || written === path.path ? real : `${written} -> ${real}`
}

/**
 * A path in a list with one entry per line: unchanged, or as a JSON string if it contains control characters such as a
 * newline.
 */
export function printablePath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

/**
 * The message to the model about a path that does not exist: an existing path whose name looks the same, in a form that
 * the model can repeat (screenshots on macOS have a narrow space, and accents have two Unicode forms), or else
 * `advice`.
 */
export async function missingPath(workspace: Workspace, path: ResolvedPath, advice: string): Promise<string> {
  const shown = workspace.display(path.path)
  if (/^file:\/+/.test(shown)) return `${shown} does not exist. A path is not a URL: leave out file:// and call again.`
  if (shown.includes('\ufffd'))
    return (
      `${shown} does not exist. ` +
      'A name that is not valid UTF-8 cannot be given to this tool: use the file with Bash, or rename it there.'
    )
  const target = await readlink(path.path).catch(() => undefined)
  if (target !== undefined)
    return `${shown} is a symbolic link to ${JSON.stringify(target)}, which does not exist. ${advice}`
  const similar = await similarPath(path.path)
  if (similar === undefined || similar === path.path)
    return `${workspace.display(path.realPath)} does not exist. ${advice}`
  const there = workspace.display(similar)
  const difference = nameDifference(shown, there)
  if (/^[\x20-\x7e]*$/.test(there)) return `${shown} does not exist. There is ${JSON.stringify(there)}: ${difference}.`
  return (
    `${shown} does not exist under this spelling. A name on the disk looks the same, but ${difference}. ` +
    `Call again with this path, with its \\u escapes as they are in JSON: ${escapedPath(there)}`
  )
}

/** Folders with more entries are not searched. */
const MAX_ENTRIES = 20_000

/**
 * For a path that does not exist: an existing one whose names look the same. They may differ in Unicode normalization
 * (macOS decomposes accents), in case, or in the kind of spaces (screenshots have a narrow one). Undefined if there is
 * no such path.
 */
async function similarPath(absolutePath: string): Promise<string | undefined> {
  const { root } = parse(absolutePath)
  let found = root
  for (const name of absolutePath.slice(root.length).split(sep)) {
    const entries = await readdir(found).catch((): string[] => [])
    if (entries.length > MAX_ENTRIES) return undefined
    const wanted = comparableName(name)
    const match = entries.includes(name)
      ? name
      : (entries.find((entry) => entry.normalize() === name.normalize()) ??
        entries.find((entry) => comparableName(entry) === wanted))
    if (match === undefined) return undefined
    found = join(found, match)
  }
  return found
}

function comparableName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim()
}

/**
 * How a name on disk differs from the requested one: in the kind of spaces, invisible characters, Unicode form or case.
 */
function nameDifference(asked: string, there: string): string {
  if (asked.normalize('NFC') === there.normalize('NFC')) return 'its accents are in another Unicode form'
  const odd = [...new Set(there.match(ODD_SPACE) ?? [])].filter((each) => !asked.includes(each))
  if (odd.length > 0)
    return `it has ${odd.map(codePoint).join(' and ')} where the name you gave has an ordinary space or nothing`
  const extra = [...new Set(asked.match(ODD_SPACE) ?? [])].filter((each) => !there.includes(each))
  if (extra.length > 0)
    return `it has an ordinary space or nothing where the name you gave has ${extra.map(codePoint).join(' and ')}`
  return asked.toLowerCase() === there.toLowerCase() ? 'upper and lower case differ' : 'some characters only look alike'
}

/** Spaces other than the ordinary one (macOS puts U+202F into names of screenshots), and invisible characters. */
const ODD_SPACE = /[^\S ]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gu
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gu

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A name in a form that the model can repeat exactly: with non-ASCII characters as JSON escapes. */
function escapedPath(path: string): string {
  return JSON.stringify(path).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Permission to edit (or read) files in a folder for the session, including everything below it: a call is covered by
 * the keys of its own folder and of all folders above it, and edit permission covers reading.
 */
export function rememberFolder(workspace: Workspace, verb: 'edit' | 'read', folder: string): Remember {
  const folders = [folder]
  for (let above = dirname(folder); above !== folders.at(-1); above = dirname(above)) folders.push(above)
  const verbs = verb === 'read' ? ['read', 'edit'] : ['edit']
  const [key, ...coveredBy] = verbs.flatMap((word) => folders.map((path) => `${word}:${path}`))
  const shown = workspace.display(folder)
  const what = verb === 'edit' ? 'edits' : 'reading'
  return {
    key: key ?? `${verb}:${folder}`,
    label: `Allow ${what} in ${shown === '.' ? 'the whole project' : shown} for this session`,
    coveredBy,
  }
}
