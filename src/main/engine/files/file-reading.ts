import { extname } from 'node:path'
import type {
  EditableText,
  FileBytes,
  FileLines,
  FileSymbol,
  FileTextView,
  FileView,
  TextMatches,
  TextQuery,
} from '../../../shared/model/project/file-view'
import { loadFile, openRegular, type FileStamp } from '../workspace/file/open-file'
import { decodeText, lineEndings } from '../workspace/file/text-file'
import type { ViewedPath } from '../workspace/file-access'
import { FileProblem, fileProblem } from '../workspace/path/file-problem'
import { requireText, TextDocuments, type TextDocument } from './text/text-document'
import { lstatSync } from 'node:fs'

/** Texts up to this size are sent whole, so that they can be highlighted. */
const WHOLE_BYTES = 1_000_000
const FIRST_LINES = 400
/** Larger files can be shown, but not edited. */
const MAX_EDIT_BYTES = 4 * 1024 * 1024
/** Larger files get no outline. */
const MAX_OUTLINE_BYTES = 4 * 1024 * 1024
const MAX_LINES_AT_ONCE = 2_000
/** Larger images are shown as bytes. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024

/** Images that browsers can display, by extension. An SVG is displayed as an image, so its scripts do not run. */
const IMAGES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
}
const ENCODINGS: Readonly<Record<TextDocument['encoding'], string | undefined>> = {
  'utf-8': undefined,
  'utf-8-bom': 'UTF-8 with BOM',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252',
}

/** Reads files for the viewer. Every method throws a `FileProblem` if a file cannot be read. */
export class FileReading {
  readonly #documents = new TextDocuments()

  async view({ realPath, shown }: ViewedPath): Promise<FileView> {
    const found = await this.#documents.get(realPath, shown)
    const { stamp } = found
    const ending = extname(realPath).toLowerCase()
    const file = {
      path: shown,
      absolutePath: realPath,
      size: Number(stamp.size),
      modified: Number(stamp.mtimeNs / 1_000_000n),
      version: versionOf(stamp),
    }
    if ('notText' in found) {
      const { type, reason } = found.notText
      const image = type?.media === true && file.size <= MAX_IMAGE_BYTES ? IMAGES[ending] : undefined
      if (image !== undefined) return { ...file, content: 'image', mediaType: image }
      if (type?.name === 'PDF document') return { ...file, content: 'pdf', mediaType: 'application/pdf' }
      return { ...file, content: 'binary', note: reason }
    }
    // A PDF whose first part happens to be text.
    if (ending === '.pdf') return { ...file, content: 'pdf', mediaType: 'application/pdf' }
    const note = ENCODINGS[found.encoding]
    return {
      ...file,
      content: 'text',
      ...(ending === '.svg' && { mediaType: 'image/svg+xml' }),
      ...(note !== undefined && { note }),
      text: await this.#firstText(found),
    }
  }

  async #firstText(document: TextDocument): Promise<FileTextView> {
    const isWhole = document.size <= WHOLE_BYTES
    if (isWhole) await document.scan()
    // The remaining lines are counted while the user looks at the first ones.
    else document.scan().catch(() => undefined)
    const { lines, cut } = await document.lines(1, isWhole ? Number.MAX_SAFE_INTEGER : FIRST_LINES)
    const notEditable = notEditableReason(document)
    return {
      lines,
      ...(cut && { cut }),
      isWhole,
      ...countOf(document, lines),
      ...(notEditable !== undefined && { notEditable }),
    }
  }

  /** The current version of a file. */
  async version({ realPath, shown }: ViewedPath): Promise<string> {
    const { handle, stat } = await openRegular(realPath, shown)
    await handle.close()
    return versionOf(stat)
  }

  async lines({ realPath, shown }: ViewedPath, from: number, count: number): Promise<FileLines> {
    const document = requireText(await this.#documents.get(realPath, shown), shown)
    document.scan().catch(() => undefined)
    const read = await document.lines(from, Math.min(count, MAX_LINES_AT_ONCE))
    return { version: versionOf(document.stamp), ...read, ...countOf(document, read.lines) }
  }

  async bytes({ realPath, shown }: ViewedPath, offset: number, length: number): Promise<FileBytes> {
    const { handle, stat } = await openRegular(realPath, shown)
    try {
      const room = Math.max(0, Math.min(length, Number(stat.size) - offset))
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(room), 0, room, offset)
      return { version: versionOf(stat), offset, data: buffer.toString('base64', 0, bytesRead) }
    } catch (error) {
      throw fileProblem(error, shown)
    } finally {
      await handle.close()
    }
  }

  async search({ realPath, shown }: ViewedPath, query: TextQuery): Promise<TextMatches> {
    const document = requireText(await this.#documents.get(realPath, shown), shown)
    const { findInFile } = await import('./text/find-in-file')
    return findInFile({ realPath, shown, document }, query)
  }

  async outline({ realPath, shown }: ViewedPath): Promise<FileSymbol[]> {
    const found = await this.#documents.get(realPath, shown)
    if ('notText' in found || found.size > MAX_OUTLINE_BYTES) return []
    const [{ outlineOf }, { lines }] = await Promise.all([
      import('./text/outline'),
      found.lines(1, Number.MAX_SAFE_INTEGER),
    ])
    return outlineOf(realPath, lines) ?? []
  }

  /** The whole text, for editing. */
  async editable({ realPath, shown }: ViewedPath): Promise<EditableText> {
    const file = await loadFile(realPath, shown)
    if (!file) throw new FileProblem(`${shown} does not exist.`, 'missing')
    if (!file.bytes || file.size > MAX_EDIT_BYTES) throw new FileProblem(`${shown} is ${TOO_LARGE}`)
    const decoded = decodeText(file.bytes)
    if ('notText' in decoded) throw new FileProblem(`${shown} cannot be edited: ${decoded.notText.reason}.`)
    return { text: decoded.text, mark: file.mark, lineEndings: lineEndings(decoded.text) }
  }

  close(): void {
    this.#documents.close()
  }
}

const TOO_LARGE = `too large to edit here (more than ${MAX_EDIT_BYTES / 1024 / 1024} MB). Open it in your editor.`

function notEditableReason({ encoding, size }: TextDocument): string | undefined {
  if (size > MAX_EDIT_BYTES) return `This file is ${TOO_LARGE}`
  return encoding === 'windows-1252' ? 'This file is not UTF-8. Open it in your editor to change it.' : undefined
}

function countOf(document: TextDocument, lines: readonly string[]): { totalLines: number; isCounted: boolean } {
  const { totalLines } = document
  return totalLines === undefined
    ? { totalLines: Math.max(document.estimatedLines, lines.length), isCounted: false }
    : { totalLines, isCounted: true }
}

/** A text that changes whenever the file does. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: FileStamp): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':')
}

/** The version of the file at a path, or the identity of the folder; undefined if nothing exists there. */
export function versionAt(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return undefined
  return stat.isDirectory() ? `folder:${stat.dev}:${stat.ino}` : versionOf(stat)
}
