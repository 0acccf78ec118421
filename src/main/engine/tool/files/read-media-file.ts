import { constants, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { fileProblem, FileProblem } from '../../workspace/path/file-problem'
import { isOpenedAt, descriptorPath, replacedProblem } from '../../workspace/file/pinned-folder'
import { refuseSpecialAt } from '../../workspace/file/open-file'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { fitImage, ImageProblem, mediaTypeOf, type MediaType } from '../../model/media/fit-media'
import { pdfBytes, pdfResult } from '../pdf-result'
import { isPdf } from '../../model/media/read-pdf'
import { leadsElsewhere, missingPath, pathRefusal, shownPath } from '../file-paths'
import { failed, type CallContext, type Tool, type ToolResult } from '../tool'
import description from './read-media-file.md?raw'

const MAX_BYTES = 100 * 1024 * 1024
/** The decoder reads larger images from the file itself, piece by piece. */
const MAX_BYTES_AT_ONCE = 16 * 1024 * 1024

const input = lazySchema(() =>
  z.strictObject({
    path: z.string().min(1).describe('File'),
  }),
)

export interface ReadMediaFileDeps {
  workspace: Workspace
  /** What the model accepts: the description promises nothing else. */
  accepts: Accepts
}

interface Accepts {
  images: boolean
  video: boolean
}

const IMAGES = 'an image (PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG)'

/** Sends an image or a video to the model. */
export function readMediaFileTool({ workspace, accepts }: ReadMediaFileDeps): Tool<typeof input> {
  return {
    name: 'ReadMediaFile',
    description: describe(accepts),
    input,
    subject: ['path'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare(asked) {
      const path = await workspace.resolve(asked.path)
      const refusal = pathRefusal(workspace, path)
      if (refusal) return refusal
      return {
        summary: shownPath(workspace, path),
        accesses: [{ kind: 'file', path: path.realPath, written: path.path, write: false }],
        run: (ctx) => run({ workspace, accepts }, asked.path, path, ctx),
      }
    },
  }
}

function describe({ images, video }: Accepts): string {
  const media = images && video ? `${IMAGES}, a video` : images ? IMAGES : 'a video'
  const scaled = images ? ' Large images are scaled down to 2000 pixels; animated ones show their first frame.' : ''
  return description.trim().replace('{media}', media) + scaled
}

/** Why the model cannot receive this file, and what it can do instead. */
function notAccepted({ mediaType, name }: MediaType, shown: string, { images, video }: Accepts): string | undefined {
  if (mediaType.startsWith('video/'))
    return video
      ? undefined
      : `${shown} is a video (${name}), which the model in use cannot be sent. ` +
          'Extract frames from it, e.g. with ffmpeg in Bash, and view those.'
  return images
    ? undefined
    : `${shown} is an image (${name}), which the model in use cannot be sent. The user can choose another model.`
}

async function run(
  { workspace, accepts }: ReadMediaFileDeps,
  asked: string,
  path: ResolvedPath,
  { signal }: CallContext,
): Promise<ToolResult> {
  const shown = workspace.display(path.realPath)
  const elsewhere = await leadsElsewhere(workspace, asked, path)
  if (elsewhere !== undefined) return failed(elsewhere)
  let file: FileHandle | undefined
  try {
    await refuseSpecialAt(path.realPath, shown)
    // Without O_NONBLOCK, opening a pipe would wait for a writer; a link created in the meantime is not followed.
    file = await open(path.realPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
    if (!isOpenedAt(file.fd, path.realPath)) return failed(replacedProblem(shown).message)
    const stats = await file.stat()
    const problem = unusable(stats, shown)
    if (problem !== undefined) return failed(problem)
    const head = await firstBytes(file)
    const type = mediaTypeOf(head)
    if (!type && isPdf(head)) {
      const bytes = await pdfBytes(file, shown)
      return typeof bytes === 'string' ? failed(bytes) : await pdfResult(bytes, { shown, signal })
    }
    if (!type)
      return failed(
        `${shown} is not an image, video or PDF that is known here, whatever its name says. Use Read for text.`,
      )
    if (type.problem !== undefined) return failed(`${shown} is a ${type.name}. ${type.problem}`)
    const refused = notAccepted(type, shown, accepts)
    if (refused !== undefined) return failed(refused)
    const source = { file, path: descriptorPath(file.fd, path.realPath), shown, bytes: stats.size, type }
    return type.mediaType.startsWith('video/') ? await video(source, signal) : await image(source, signal)
  } catch (error) {
    if (error instanceof ImageProblem) return failed(`${shown}: ${error.message}`)
    if (signal.aborted) return failed('Reading was stopped.')
    const known = fileProblem(error, shown)
    if (known instanceof FileProblem)
      return failed(
        known.kind === 'missing'
          ? await missingPath(workspace, path, 'Find the right path with Glob or ListDirectory.')
          : known.message,
      )
    throw error
  } finally {
    await file?.close()
  }
}

function unusable(stats: Stats, shown: string): string | undefined {
  if (stats.isDirectory()) return `${shown} is a folder. Use ListDirectory.`
  if (!stats.isFile()) return `${shown} is not a regular file.`
  if (stats.size === 0) return `${shown} is empty.`
  if (stats.size > MAX_BYTES)
    return `${shown} has ${megabytes(stats.size)}; at most 100 MB can be shown. Make it smaller first.`
  return undefined
}

interface Source {
  file: FileHandle
  path: string
  shown: string
  bytes: number
  type: MediaType
}

async function image({ file, path, shown, bytes, type }: Source, signal: AbortSignal): Promise<ToolResult> {
  // A drawing that is read from its path could include other files in its folder.
  const whole = bytes <= MAX_BYTES_AT_ONCE || type.mediaType === 'image/svg+xml'
  const fitted = await fitImage(whole ? await file.readFile() : path, type.mediaType, signal)
  if (signal.aborted) return failed('Reading was stopped.')
  const { original, width, height, frames } = fitted
  const notes = [`${shown}: ${type.name}, ${original.width} x ${original.height} pixels, ${megabytes(bytes)}`]
  if (width !== original.width || height !== original.height) notes.push(`scaled to ${width} x ${height}`)
  if (frames > 1) notes.push(`first of ${frames} frames`)
  return {
    content: [
      { type: 'text', text: `${notes.join('; ')}.` },
      { type: 'media', mediaType: fitted.mediaType, data: fitted.data.toString('base64'), name: shown },
    ],
    details: { kind: 'media', path: shown, mediaType: fitted.mediaType, bytes, ...original },
  }
}

async function video({ file, shown, bytes, type }: Source, signal: AbortSignal): Promise<ToolResult> {
  const data = await file.readFile({ encoding: 'base64', signal })
  return {
    content: [
      { type: 'text', text: `${shown}: ${type.name}, ${megabytes(bytes)}.` },
      { type: 'media', mediaType: type.mediaType, data, name: shown },
    ],
    details: { kind: 'media', path: shown, mediaType: type.mediaType, bytes },
  }
}

async function firstBytes(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0)
  return buffer.subarray(0, bytesRead)
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
