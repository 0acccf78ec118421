import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { fileProblem, FileProblem } from '../../workspace/file-problem'
import { isOpenedAt, replacedProblem } from '../../workspace/held-folder'
import { readLines, type LinesRead } from '../../workspace/read-lines'
import { similarPath, spelledOut } from '../../workspace/similar-path'
import { describeFormat, type NotText } from '../../workspace/text-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { cutAt } from '../limits'
import { pageRange, pdfBytes, pdfResult } from '../media/pdf-result'
import { isPdf } from '../media/read-pdf'
import { pathRefusal, shownPath } from '../path-refusal'
import { rememberFolder } from '../remember-folder'
import { failed, ok, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './read.md?raw'

const MAX_LINES = 1_000
const MAX_BYTES = 102_400
const MAX_LINE_CHARS = 2_000
/** Room for the closing note, which may list cut lines. */
const NOTE_CHARS = 8_000

const input = z.strictObject({
  path: z.string().min(1).describe('File: absolute, ~/…, or relative to the project folder'),
  line_offset: z
    .int()
    .min(-MAX_LINES)
    .refine((offset) => offset !== 0, 'lines count from 1; negative numbers count from the end')
    .optional()
    .describe('First line, from 1; negative: that many lines from the end (to -1000)'),
  n_lines: z.int().min(1).optional().describe('How many lines'),
  pages: z
    .string()
    .refine((pages) => pageRange(pages) !== undefined, 'must be a page or a range of pages, like "3" or "3-7"')
    .optional()
    .describe('Of a PDF: "3" or "3-7"'),
})

type Input = z.output<typeof input>

export function readTool({ workspace }: { workspace: Workspace }): Tool<typeof input> {
  return {
    name: 'Read',
    description,
    input,
    subject: ['path'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: MAX_BYTES + NOTE_CHARS,
    async prepare(asked) {
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

function rangeText({ line_offset: offset, n_lines: count }: Input): string {
  if (offset === undefined && count === undefined) return ''
  if (offset !== undefined && offset < 0) return ` (last ${-offset} lines)`
  const first = offset ?? 1
  return count === undefined ? ` (from line ${first})` : ` (lines ${first}-${first + count - 1})`
}

async function run(workspace: Workspace, asked: Input, path: ResolvedPath, { signal }: CallContext): Promise<ToolResult> {
  const shown = workspace.display(path.realPath)
  const offset = asked.line_offset ?? 1
  const maxLines = Math.min(asked.n_lines ?? MAX_LINES, MAX_LINES)
  try {
    // A link may have been turned elsewhere since it was judged.
    const now = await workspace.resolve(asked.path)
    if (now.realPath !== path.realPath)
      return failed(`${asked.path} now leads to ${workspace.display(now.realPath)}. Call again if that is meant.`)
    const pdf =
      /\.pdf$/i.test(path.realPath) || asked.pages !== undefined ? await readPdfFile(path.realPath, shown, asked, signal) : undefined
    if (pdf) return pdf
    if (asked.pages !== undefined) return failed(`${shown} is no PDF. Use line_offset and n_lines.`)
    const read = await readLines(path.realPath, shown, {
      offset,
      maxLines,
      maxLineChars: MAX_LINE_CHARS,
      maxChars: MAX_BYTES,
      signal,
      editor: workspace.editor,
    })
    if ('notText' in read) return (await readPdfFile(path.realPath, shown, asked, signal)) ?? failed(refusedAs(read.notText, shown))
    if (offset > 1 && read.lines.length === 0)
      return failed(`${shown} has only ${count(read.totalLines ?? 0, 'line')}, so there is no line ${offset}.`)
    const { text, lastLine, note } = render(read, asked)
    workspace.reads.markRead(path.realPath, read.mark)
    const line = read.firstLine ?? 1
    return ok(`${text}[${note}]`, { kind: 'file', path: path.realPath, line, lines: Math.max(0, lastLine - line + 1), hash: read.mark })
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    return failed(error.kind === 'missing' ? await missing(workspace, path, shown) : withAdvice(error.message))
  }
}

/** The PDF at this path; undefined when it is something else. */
async function readPdfFile(realPath: string, shown: string, { pages }: Input, signal: AbortSignal): Promise<ToolResult | undefined> {
  // As every file that a call opens itself: no waiting for a writer of a pipe, and no link that was put there meanwhile.
  const file = await open(realPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)).catch(
    (error: unknown) => {
      throw fileProblem(error, shown)
    },
  )
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

async function missing(workspace: Workspace, path: ResolvedPath, shown: string): Promise<string> {
  const similar = await similarPath(path.path)
  if (similar === undefined || similar === path.path) return `${shown} does not exist. Find the right path with Glob or ListDirectory.`
  const [wanted, there] = [workspace.display(path.path), workspace.display(similar)]
  if (wanted.normalize() !== there.normalize())
    return `${shown} does not exist. There is ${JSON.stringify(there)}, which only looks the same.`
  return `${shown} does not exist under this spelling. The name on disk has its accents in another Unicode form: ${spelledOut(there)} (as a JSON string).`
}

function refusedAs({ reason, type }: NotText, shown: string): string {
  if (type?.media) return `${shown} is no text but: ${reason}. Use ReadMediaFile if you have it.`
  return `${shown} is no text: ${reason}. Read shows only text and PDFs; use a fitting program with Bash if its content matters.`
}

/** The numbered lines that fit, and the note that says what they are of the whole. */
function render(read: LinesRead, asked: Input): { text: string; lastLine: number; note: string } {
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
  return { text, lastLine, note: noteText(read, { asked, shownLines, lastLine, cut, cutByBytes: shownLines < read.lines.length }) }
}

/** Mixed endings show every carriage return; where all lines end alike there is nothing to see. */
function visible({ raw, long }: LinesRead['lines'][number], endings: LinesRead['endings']): { content: string; isCut: boolean } {
  const text = endings === 'mixed' ? raw.replaceAll('\r', '\\r') : raw.endsWith('\r') && !long ? raw.slice(0, -1) : raw
  return long || text.length > MAX_LINE_CHARS
    ? { content: `${cutAt(text, MAX_LINE_CHARS)}...`, isCut: true }
    : { content: text, isCut: false }
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
    const why = asMuch ? '' : shownLines >= MAX_LINES ? `Stopped at ${MAX_LINES} lines. ` : cutByBytes ? 'Stopped at 100 KB. ' : ''
    notes.push(`${why}Go on with line_offset ${lastLine + 1}.`)
  }
  if (cut.length > 0) notes.push(`Cut at ${MAX_LINE_CHARS} characters: ${cut.length === 1 ? 'line' : 'lines'} ${cut.join(', ')}.`)
  if (endings === 'mixed') notes.push('Mixed line endings: carriage returns are shown as \\r and are part of the text.')
  if (endings === 'crlf') notes.push('CRLF line endings.')
  if (encoding !== undefined) notes.push(`Encoding ${encoding}.`)
  if (totalLines !== undefined && totalLines > 0 && lastLine === totalLines && !read.endsWithNewline) notes.push('No newline at the end.')
  return notes.join(' ')
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}
