import { readdir } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'

/** Folders with more entries are not searched. */
const MAX_ENTRIES = 20_000

/**
 * For a path that does not exist: an existing one whose names look the same. They may differ in Unicode normalisation (macOS decomposes
 * accents), in case, or in kinds of spaces (screenshots have a narrow one). Undefined when there is none.
 */
export async function similarPath(absolutePath: string): Promise<string | undefined> {
  const { root } = parse(absolutePath)
  let found = root
  for (const name of absolutePath.slice(root.length).split(sep)) {
    const entries = await readdir(found).catch((): string[] => [])
    if (entries.length > MAX_ENTRIES) return undefined
    const wanted = looks(name)
    const match = entries.includes(name)
      ? name
      : (entries.find((entry) => entry.normalize() === name.normalize()) ?? entries.find((entry) => looks(entry) === wanted))
    if (match === undefined) return undefined
    found = join(found, match)
  }
  return found
}

function looks(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(INVISIBLE, '').replace(/\s+/gu, ' ').trim()
}

/** How a name on the disk differs from the one that was asked for: in kinds of spaces, invisible characters, Unicode form or case. */
export function differenceOf(asked: string, there: string): string {
  if (asked.normalize('NFC') === there.normalize('NFC')) return 'its accents are in another Unicode form'
  const odd = [...new Set(there.match(ODD_SPACE) ?? [])].filter((each) => !asked.includes(each))
  if (odd.length > 0) return `it has ${odd.map(codePoint).join(' and ')} where the name you gave has an ordinary space or nothing`
  const extra = [...new Set(asked.match(ODD_SPACE) ?? [])].filter((each) => !there.includes(each))
  if (extra.length > 0) return `it has an ordinary space or nothing where the name you gave has ${extra.map(codePoint).join(' and ')}`
  return asked.toLowerCase() === there.toLowerCase() ? 'upper and lower case differ' : 'some characters only look alike'
}

/** Spaces that are not the ordinary one (macOS puts U+202F into names of screenshots), and characters that cannot be seen. */
const ODD_SPACE = /[^\S ]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gu
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gu

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

/** A name as the model can repeat it exactly: non-ASCII characters as JSON escapes. */
export function spelledOut(path: string): string {
  return JSON.stringify(path).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
