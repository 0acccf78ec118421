import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { isOpenedAt, replacedProblem } from '../../workspace/file/pinned-folder'
import { refuseSpecialAt } from '../../workspace/file/open-file'
import { readLines, type LinesRead } from '../../workspace/file/read-lines'
import { describeFormat, type NotText } from '../../workspace/file/text-file'
import type { ResolvedPath, SeenLines, Workspace } from '../../workspace/workspace'
import { truncateText } from '../truncate-result'
import { pageRange, pdfBytes, pdfResult } from '../pdf-result'
import { isPdf } from '../../model/media/read-pdf'
import { leadsElsewhere, missingPath, pathRefusal, shownPath, rememberFolder } from '../file-paths'
import { failed, ok, refuse, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './read.md?raw'

const MAX_LINES = 1_000
const MAX_BYTES = 102_400
const MAX_LINE_CHARS = 2_000
/** Maximum characters of a line that is shown alone, from a character offset. */
const MAX_PART_CHARS = 20_000
/** Space for the closing note, which may list cut lines. */
const NOTE_CHARS = 8_000

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('File: absolute, ~/…, or relative to the project folder'),
    line_offset: z
      .int()
      .min(-MAX_LINES)
      .refine((offset) => offset !== 0, 'lines count from 1; negative numbers count from the end')
      .optional()
      .describe('First line, from 1; negative: that many lines from the end (to -1000)'),
    n_lines: z.int().min(1).optional().describe('How many lines'),
    char_offset: z.int().min(1).optional().describe('Continues within line line_offset'),
    pages: z
      .string()
      .refine((pages) => pageRange(pages) !== undefined, 'must be a page or a range of pages, like "3" or "3-7"')
      .optional()
      .describe('Of a PDF: "3" or "3-7"'),
  }),
)

type Input = SchemaOutput<typeof input>

export function readTool({ workspace }: { workspace: Workspace }): Tool<typeof input> {
  return {
    name: 'Read',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: MAX_BYTES + NOTE_CHARS,
    async prepare(asked) {
      if (asked.char_offset !== undefined && ((asked.n_lines ?? 1) > 1 || (asked.line_offset ?? 1) < 0))
        return refuse(
          'char_offset shows a part of one line: give its number as line_offset, counted from 1, and no n_lines.',
        )
      const path = await workspace.resolve(asked.path)
      const refusal = pathRefusal(workspace, path)
      if (refusal) return refusal
      return {
        summary: shownPath(workspace, path) + rangeText(asked),
        accesses: [{ kind: 'file', path: path.realPath, written: path.path, write: false }],
        ...(!path.inside && { rememberAs: rememberFolder(workspace, 'read', dirname(path.realPath)) }),
        run: (ctx) => run(workspace, asked, path, ctx),
      }
    },
  }
}

function rangeText({ line_offset: offset, n_lines: count, char_offset: char }: Input): string {
  if (char !== undefined) return ` (line ${offset ?? 1}, from character ${char})`
  if (offset === undefined && count === undefined) return ''
  if (offset !== undefined && offset < 0) return ` (last ${-offset} lines)`
  const first = offset ?? 1
  return count === undefined ? ` (from line ${first})` : ` (lines ${first}-${first + count - 1})`
}

async function run(
  workspace: Workspace,
  asked: Input,
  path: ResolvedPath,
  { signal }: CallContext,
): Promise<ToolResult> {
  const shown = workspace.display(path.realPath)
  const offset = asked.line_offset ?? 1
  const firstChar = asked.char_offset
  const maxLines = firstChar === undefined ? Math.min(asked.n_lines ?? MAX_LINES, MAX_LINES) : 1
  try {
    const elsewhere = await leadsElsewhere(workspace, asked.path, path)
    if (elsewhere !== undefined) return failed(elsewhere)
    const pdf =
      /\.pdf$/i.test(path.realPath) || asked.pages !== undefined
        ? await readPdfFile(path.realPath, shown, asked, signal)
        : undefined
    if (pdf) return pdf
    if (asked.pages !== undefined) return failed(`${shown} is not a PDF. Use line_offset and n_lines.`)
    const read = await readLines(path.realPath, shown, {
      offset,
      maxLines,
      maxLineChars: firstChar === undefined ? MAX_LINE_CHARS : MAX_PART_CHARS,
      ...(firstChar !== undefined && { firstChar }),
      maxChars: MAX_BYTES,
      signal,
      editor: workspace.editor,
    })
    if ('notText' in read)
      return (await readPdfFile(path.realPath, shown, asked, signal)) ?? failed(refusedAs(read.notText, shown))
    if (offset > 1 && read.lines.length === 0)
      return failed(`${shown} has only ${count(read.totalLines ?? 0, 'line')}, so there is no line ${offset}.`)
    const [only] = read.lines
    if (firstChar !== undefined && only && firstChar > Math.max(1, lengthOf(only)))
      return failed(
        `Line ${offset} of ${shown} has only ${count(lengthOf(only), 'character')}, ` +
          `so there is no character ${firstChar}.`,
      )
    const { text, lastLine, note, cut } = firstChar === undefined ? render(read, asked) : renderPart(read, firstChar)
    const line = read.firstLine ?? 1
    const lines = Math.max(0, lastLine - line + 1)
    const { totalLines: total } = read
    workspace.reads.markRead(path.realPath, read.mark, { first: line, last: lastLine, total, cut })
    const isAll = line === 1 && lastLine === total && cut.length === 0
    return ok(`${text}[${note}]`, {
      kind: 'file',
      path: path.realPath,
      line,
      lines,
      hash: read.mark,
      ...(!isAll && { part: true as const }),
      ...(!isAll && cut.length === 0 && total !== undefined && { total }),
    })
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    return failed(
      error.kind === 'missing'
        ? await missingPath(workspace, path, 'Find the right path with Glob or ListDirectory.')
        : withAdvice(error.message),
    )
  }
}

/** The PDF at this path; undefined if it is something else. */
async function readPdfFile(
  realPath: string,
  shown: string,
  { pages }: Input,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  // As for every file that a call opens itself: do not wait for a pipe's writer, and do not follow a link created in
  // the meantime.
  await refuseSpecialAt(realPath, shown).catch((error: unknown) => {
    throw fileProblem(error, shown)
  })
  const file = await open(
    realPath,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  ).catch((error: unknown) => {
    throw fileProblem(error, shown)
  })
  try {
    if (!(await file.stat()).isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
    if (!isPdf(buffer.subarray(0, bytesRead))) return undefined
    if (!isOpenedAt(file.fd, realPath)) return failed(replacedProblem(shown).message)
    const bytes = await pdfBytes(file, shown)
    if (typeof bytes === 'string') return failed(bytes)
    return await pdfResult(bytes, { shown, pages: pages === undefined ? undefined : pageRange(pages), signal })
  } finally {
    await file.close()
  }
}

function withAdvice(message: string): string {
  return message.endsWith('is a folder, not a file.') ? `${message} Use ListDirectory.` : message
}

function refusedAs({ reason, type }: NotText, shown: string): string {
  if (type?.media) return `${shown} is not text but: ${reason}. Use ReadMediaFile if you have it.`
  return (
    `${shown} is not text: ${reason}. ` +
    'Read shows only text and PDFs; use a fitting program with Bash if its content matters.'
  )
}

interface Rendered {
  text: string
  lastLine: number
  note: string
  cut: NonNullable<SeenLines['cut']>
}

/** Renders part of one line. */
function renderPart(read: LinesRead, from: number): Rendered {
  const [line] = read.lines
  const number = read.firstLine ?? 1
  if (!line) return { ...render(read, {} as Input), cut: [] }
  const total = lengthOf(line)
  const text = truncateText(line.raw.endsWith('\r') && !line.long ? line.raw.slice(0, -1) : line.raw, MAX_PART_CHARS)
  const to = Math.min(total, from + text.length - 1)
  const isEnd = to >= total
  const note =
    `Characters ${from}-${to} of the ${total} of line ${number}. ` +
    (isEnd ? 'The line ends here.' : `Continue with char_offset ${to + 1}.`)
  const content = read.endings === 'mixed' ? text.replaceAll('\r', '\\r') : text
  return { text: `${number}\t${content}\n`, lastLine: number, note, cut: [{ line: number, from, to, end: isEnd }] }
}

/** The length of a line in characters, without the carriage return at its end. */
function lengthOf({ raw, chars, long }: LinesRead['lines'][number]): number {
  const all = chars ?? raw.length
  return raw.endsWith('\r') && !long ? all - 1 : all
}

/** The numbered lines that fit, and a note on which part of the file they are. */
function render(read: LinesRead, asked: Input): Rendered {
  let [text, bytes, number] = ['', 0, read.firstLine ?? 1]
  const cut: number[] = []
  let shownLines = 0
  for (const line of read.lines) {
    const { content, isCut } = visible(line, read.endings)
    const rendered = `${number}\t${content}\n`
    const size = Buffer.byteLength(rendered)
    if (bytes + size > MAX_BYTES && shownLines > 0) break
    text += rendered
    bytes += size
    shownLines++
    if (isCut) cut.push(number)
    number++
  }
  const lastLine = number - 1
  return {
    text,
    lastLine,
    note: noteText(read, { asked, shownLines, lastLine, cut, cutByBytes: shownLines < read.lines.length }),
    cut: cut.map((line) => ({ line, from: 1, to: MAX_LINE_CHARS })),
  }
}

/**
 * With mixed endings, every carriage return is made visible; if all lines end alike, none is shown. The line is cut
 * before that, because characters are counted as in the file.
 */
function visible(
  { raw, long }: LinesRead['lines'][number],
  endings: LinesRead['endings'],
): { content: string; isCut: boolean } {
  const line = endings !== 'mixed' && raw.endsWith('\r') && !long ? raw.slice(0, -1) : raw
  const isCut = long || line.length > MAX_LINE_CHARS
  const text = isCut ? `${truncateText(line, MAX_LINE_CHARS)}...` : line
  return { content: endings === 'mixed' ? text.replaceAll('\r', '\\r') : text, isCut }
}

interface Shown {
  asked: Input
  shownLines: number
  lastLine: number
  cut: readonly number[]
  cutByBytes: boolean
}

function noteText(read: LinesRead, { asked, shownLines, lastLine, cut, cutByBytes }: Shown): string {
  const { totalLines, firstLine = 1, endings } = read
  const encoding = describeFormat(read.format)
  const total = totalLines === undefined ? 'more than can be counted quickly' : count(totalLines, 'line')
  const more = totalLines === undefined ? firstLine > 0 || lastLine < -1 : lastLine < totalLines
  const notes: string[] = []
  if (totalLines === 0) notes.push('The file is empty: 0 lines.')
  else if (firstLine === 1 && lastLine === totalLines) notes.push(`All ${total} of the file.`)
  else if (firstLine < 0) notes.push(`Lines counted from the end, -1 being the last; the file has ${total}.`)
  else
    notes.push(
      totalLines === undefined
        ? `Lines ${firstLine}-${lastLine}; the file has ${total}.`
        : `Lines ${firstLine}-${lastLine} of ${totalLines}.`,
    )
  if (more) {
    const asMuch = asked.n_lines !== undefined && shownLines >= asked.n_lines
    const why = asMuch
      ? ''
      : shownLines >= MAX_LINES
        ? `Stopped at ${MAX_LINES} lines. `
        : cutByBytes
          ? 'Stopped at 100 KB. '
          : ''
    notes.push(`${why}Continue with line_offset ${lastLine + 1}.`)
  }
  if (cut.length > 0)
    notes.push(
      `Cut at ${MAX_LINE_CHARS} characters: ${cut.length === 1 ? 'line' : 'lines'} ${cut.join(', ')}. ` +
        `Continue in one with line_offset and char_offset ${MAX_LINE_CHARS + 1}.`,
    )
  if (endings === 'mixed') notes.push('Mixed line endings: carriage returns are shown as \\r and are part of the text.')
  if (endings === 'crlf') notes.push('CRLF line endings.')
  if (encoding !== undefined) notes.push(`Encoding ${encoding}.`)
  if (totalLines !== undefined && totalLines > 0 && lastLine === totalLines && !read.endsWithNewline)
    notes.push('No newline at the end.')
  return notes.join(' ')
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}
