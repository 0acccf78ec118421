/** A path in a text, as written there. */
export interface PathInText {
  start: number
  end: number
  path: string
  line?: number
  column?: number
}

/** Maximum number of paths searched for in one text. */
const MAX_PATHS = 60
/** Longer runs without whitespace are not paths. */
const MAX_RUN_CHARS = 300
/**
 * A possible path: names separated by slashes or ending in an extension, not inside a URL (`https://a.b/c.ts`), then
 * optionally a position in the file: `:3`, `:3:5`, `:3-7`, `#L3`, `#L3-L7`, `(3,5)`, `", line 3`. `file:///p/a.js:3:5`,
 * as in stack traces, is also a path. Repetitions are bounded, so that matching is fast for any text.
 */
const PATH =
  /(?<![\w/\\.@:~+-])(?:file:\/\/(?=\/))?(?<path>(?:~?\/|\.{1,2}\/)?(?:(?:[\p{L}\p{M}\p{N}_@.+\-[\]$]{1,120}|\([\p{L}\p{M}\p{N}_@.+-]{1,60}\))\/){0,40}[\p{L}\p{M}\p{N}_@+\-.[\]$]{0,120}[\p{L}\p{M}\p{N}_\]](?:\/(?![\p{L}\p{N}_/]))?)(?:(?::(?<line>\d{1,7})(?:-\d{1,7}(?![\w-])|:(?<column>\d{1,5}))?)|(?:#L(?<mark>\d{1,7})(?:-L?\d{1,7})?)|(?:\((?<row>\d{1,7}),(?<at>\d{1,5})\))|(?:",? line (?<python>\d{1,7})))?/gu

/** Finds possible file paths; it does not check whether the files exist. */
export function findPaths(text: string): PathInText[] {
  if (!/[./]/.test(text)) return []
  const found: PathInText[] = []
  for (const match of text.matchAll(PATH)) {
    const { path = '', line, column, mark, row, at, python } = match.groups ?? {}
    if (path.length > MAX_RUN_CHARS || !looksLikePath(path) || isUnbalanced(path)) continue
    const place = Number(line ?? mark ?? row ?? python ?? 0)
    found.push({
      start: match.index,
      end: match.index + match[0].length,
      path,
      ...(place > 0 && { line: place }),
      ...((column ?? at) !== undefined && { column: Number(column ?? at) }),
    })
    if (found.length === MAX_PATHS) break
  }
  return found
}

/**
 * The text as a single path with its position, as in a code span or a link's URL; undefined when it contains anything
 * else.
 */
export function parsePath(text: string): PathInText | undefined {
  const trimmed = text.trim()
  const [only, ...others] =
    trimmed.length > MAX_RUN_CHARS || /^[a-z][\w+.-]*:\/\//i.test(trimmed) ? [] : findPaths(trimmed)
  if (only && others.length === 0 && only.start === 0 && only.end === trimmed.length) return only
  return plainName(trimmed) ?? nameWithSpaces(trimmed)
}

/** Characters that occur in commands and code, but not in file names. */
const NO_NAME = /[\n"'`|;<>*{}]|&&|\s-|\s=|=\s/
const NAME = /^(?<path>\S(?:.*\S)?\.[a-zA-Z][\w-]{0,15})(?::(?<line>\d{1,7})(?::(?<column>\d{1,5}))?)?$/u

/** `Annual report.pdf`, `a b#c.md`: a name with an extension and nothing that looks like code. */
function nameWithSpaces(text: string): PathInText | undefined {
  if (text.length > MAX_RUN_CHARS || /^[a-z][\w+.-]*:\/\//i.test(text) || NO_NAME.test(text)) return undefined
  const { path, line, column } = NAME.exec(text)?.groups ?? {}
  // Two names, or a command and a name.
  if (path === undefined || /\.\w+\s/.test(path)) return undefined
  return {
    start: 0,
    end: text.length,
    path,
    ...(line !== undefined && { line: Number(line) }),
    ...(column !== undefined && { column: Number(column) }),
  }
}

/** `Makefile`, `src`: a bare name that is the whole text. */
function plainName(text: string): PathInText | undefined {
  return /^[A-Z][\w-]{2,40}$/.test(text) ? { start: 0, end: text.length, path: text } : undefined
}

/** Has an extension or a slash, and is not a number, version or abbreviation. */
function looksLikePath(path: string): boolean {
  if (/^[\d.,/+-]+$/.test(path)) return false
  const hasEnding = /[\p{L}\p{N}_\])-]\.[a-zA-Z][\w-]{0,15}$/u.test(path) || /(?:^|\/)\.[a-zA-Z][\w.-]+$/.test(path)
  return hasEnding || path.includes('/')
}

/** A bracket that belongs to the surrounding text. */
function isUnbalanced(path: string): boolean {
  return path.split('[').length !== path.split(']').length
}
