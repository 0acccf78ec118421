/**
 * Text that needs no further check. The patterns below take milliseconds to build, so they are built only when needed.
 */
const PLAIN = /^[\n\t\x20-\x7e]*$/
/**
 * Characters that a screen does not show, that change the direction of text, or that look like a space but are not one.
 */
const hidden = once(() => /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/u)
/** Emoji are matched first: the joiners and selectors inside a standard emoji sequence hide nothing. */
const hiddenOrEmoji = once(
  () =>
    /(?=[\p{Extended_Pictographic}\p{Regional_Indicator}\d#*])\p{RGI_Emoji}|(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gv,
)
/** More marks than any script stacks on one letter: they would cover the lines above and below. */
const stackedMarks = once(() => /\p{M}{9,}/gu)

/**
 * Matches what `visibleText` writes instead of a character, and `foldText` instead of a run; for styling them on
 * screen.
 */
export const VISIBLE_TOKEN = /\\u\{[0-9a-f]{1,6}\}|⋯ [\d,]+ (?:blank lines|spaces|characters|combining marks) ⋯/g

/**
 * Text for the user's review: every character that a screen would hide is escaped as `\u{202e}`. Line feeds and tabs
 * stay. Idempotent.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text
  const shown = hidden().test(text)
    ? text.replace(hiddenOrEmoji(), (found) => (hidden().test(found) ? tokenOf(found) : found))
    : text
  return shown.replace(stackedMarks(), (marks) => `⋯ ${count(Array.from(marks).length)} combining marks ⋯`)
}

/** The same on one line: line feeds are also escaped, so that text cannot pretend to be another line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '\\u{a}')
}

/**
 * A path or file name for the user's review: on one line, with tabs and with leading and trailing spaces of names also
 * escaped.
 */
export function visiblePath(path: string): string {
  return visibleLine(path)
    .replaceAll('\t', '\\u{9}')
    .replace(/(?<=^|\/) +| +(?=\/|$)/g, (spaces) => '\\u{20}'.repeat(spaces.length))
}

function once(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined
  return () => (made ??= make())
}

function tokenOf(found: string): string {
  // A whole emoji that contains joiners is not a hidden character.
  const code = found.codePointAt(0)!
  return found.length > String.fromCodePoint(code).length ? found : `\\u{${code.toString(16)}}`
}

const MAX_BLANK_LINES = 3
// Written so that a run of any length needs no additional stack; {41,} would.
const LONG_SPACES = /[ \t]{41}[ \t]*/g

/**
 * Replaces runs that would push the rest out of view with a count: more than 3 blank lines, more than 40 spaces. No
 * readable text is removed.
 */
export function foldText(text: string): string {
  return foldBlankLines(text.replace(LONG_SPACES, spaces).split('\n'), '').join('\n')
}

/**
 * A unified diff, folded line by line: each line keeps its sign, and added, removed and unchanged blank lines are
 * counted separately.
 */
export function foldDiff(diff: string): string {
  const lines = diff.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  const head = lines.slice(0, Math.max(0, first))
  const body = lines
    .slice(Math.max(0, first))
    .map((line) => line.slice(0, 1) + foldLongLine(line.slice(1).replace(LONG_SPACES, spaces)))
  const folded: string[] = []
  for (let at = 0; at < body.length;) {
    const sign = body[at]!.slice(0, 1)
    let end = at + 1
    while (end < body.length && body[end]!.slice(0, 1) === sign) end += 1
    const same = body.slice(at, end)
    folded.push(
      ...('+- '.includes(sign) && sign !== ''
        ? foldBlankLines(
            same.map((line) => line.slice(1)),
            sign,
          )
        : same),
    )
    at = end
  }
  return [...head, ...folded].join('\n')
}

function spaces({ length }: string): string {
  return ` ⋯ ${count(length)} spaces ⋯ `
}

/** The number of lines that a folded line stands for; 1 for every other line. */
export function linesInFold(line: string): number {
  const found = /^⋯ ([\d,]+) blank lines ⋯$/.exec(line)
  return found ? Number(found[1]!.replaceAll(',', '')) : 1
}

const LONG_LINE = 2000
const LINE_HEAD = 1500
const LINE_TAIL = 300

/** The start and end of a line too long to read, with the number of characters between. */
function foldLongLine(line: string): string {
  if (line.length <= LONG_LINE) return line
  return (
    `${line.slice(0, LINE_HEAD)} ⋯ ${count(line.length - LINE_HEAD - LINE_TAIL)} ` +
    `characters ⋯ ${line.slice(-LINE_TAIL)}`
  )
}

function foldBlankLines(lines: readonly string[], sign: string): string[] {
  const folded: string[] = []
  for (let at = 0; at < lines.length;) {
    let end = at
    while (end < lines.length && isBlank(lines[end]!)) end += 1
    const blank = end - at
    if (blank > MAX_BLANK_LINES) folded.push(`${sign}⋯ ${count(blank)} blank lines ⋯`)
    else folded.push(...lines.slice(at, end).map((line) => sign + line))
    if (end < lines.length) folded.push(sign + lines[end]!)
    at = end + 1
  }
  return folded
}

function isBlank(line: string): boolean {
  return line.trim() === '' || /^\s*⋯ [\d,]+ spaces ⋯\s*$/.test(line)
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
