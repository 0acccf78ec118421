import { ComparedLines } from './line-match'
import { reindenter, type LinePair } from './reindent'

/** What the model is told of such a replacement. */
export const LOOSELY_SAID = 'The text to replace matched except for white space around its lines; the indentation of the file was kept.'

/**
 * Replaces a text that is in the file once, as whole lines, when white space around lines is not looked at. Lines that stay are left as the file has them, and new ones get the
 * file's indentation. Undefined when there is no such place, several, or no telling how to indent.
 */
export function looseReplace(text: string, oldString: string, newString: string): { text: string; line: number } | undefined {
  const [oldText, newText] = withoutLastFeed(oldString, newString)
  if (oldText === undefined || oldText.trim() === '') return undefined
  const lines = text.split('\n')
  const oldLines = oldText.split('\n')
  const compared = new ComparedLines(lines)
  const [start, ...others] = compared.find(oldLines, 'white-space')
  if (start === undefined || others.length > 0) return undefined
  const actual = lines.slice(start, start + oldLines.length)
  // Other line endings are no matter of indentation.
  if (actual.some((line, index) => line.endsWith('\r') !== oldLines[index]!.endsWith('\r'))) return undefined
  const newLines = fitted(
    oldLines.map((written, index) => ({ written, actual: actual[index]! })),
    newText === undefined ? [] : newText.split('\n'),
  )
  if (!newLines) return undefined
  return { text: [...lines.slice(0, start), ...newLines, ...lines.slice(start + oldLines.length)].join('\n'), line: start + 1 }
}

/** Both texts without a line feed that both end with; `newText` undefined: the lines go. The old text is undefined when only one of them ends so. */
function withoutLastFeed(oldString: string, newString: string): [oldText: string | undefined, newText: string | undefined] {
  const [old, fresh] = [oldString.endsWith('\n'), newString.endsWith('\n')]
  if (old && newString === '') return [oldString.slice(0, -1), undefined]
  if (old !== fresh) return [undefined, undefined]
  return old ? [oldString.slice(0, -1), newString.slice(0, -1)] : [oldString, newString]
}

/** New lines as they belong into the file; undefined when their indentation cannot be told. */
function fitted(pairs: readonly LinePair[], fresh: readonly string[]): string[] | undefined {
  const [first, ...rest] = pairs
  // A text that was copied from the middle of its first line has no indentation there.
  const isCut = first !== undefined && rest.length > 0 && /^\S/.test(first.written) && /^\s/.test(first.actual)
  const indent = reindenter(pairs, fresh) ?? (isCut ? reindenter(rest, fresh.slice(1)) : undefined)
  if (!indent) return undefined
  const kept = new Map<string, string | undefined>()
  for (const { written, actual } of pairs) kept.set(written, kept.has(written) && kept.get(written) !== actual ? undefined : actual)
  return fresh.map((line, index) => {
    const same = kept.get(line)
    if (same !== undefined) return same
    if (index === 0 && isCut && first) return /^\s*/.exec(first.actual)![0] + line.trimStart()
    return indent(line)
  })
}
