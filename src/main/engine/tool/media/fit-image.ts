import { programFile } from '../../runtime/program-file'
import { askWorker, WorkerFailure } from '../../runtime/worker-process'

/** What every provider takes: beyond it images are scaled down by them, or refused. */
const MAX_EDGE = 2_000
const MAX_BYTES = 1024 * 1024
/** The decoder has a limit of its own; this one is for when it does not come back. */
const LIMIT_MS = 60_000
const HEAP_MEGABYTES = 512
const MOST_GROWTH_BYTES = 2 * 1024 ** 3
/** How a file is called that a program has been started with as descriptor 3. */
const HANDED_OVER = '/proc/self/fd/3'

/** What the worker is asked; the bytes, unless there is a path, come beside it. */
export interface ImageQuestion {
  path?: string
  mediaType: string
  maxEdge: number
  maxBytes: number
}

/** What the worker says; without `data` the image is to stay as it is. */
export interface ImageAnswer {
  mediaType: 'image/png' | 'image/jpeg'
  data?: Buffer
  width: number
  height: number
  original: { width: number; height: number }
  /** More than 1: it moves, and this is the first picture. */
  frames: number
}

export type FittedImage = Required<ImageAnswer>

/** An image that cannot be used; the message is a whole sentence. */
export class ImageProblem extends Error {}

/**
 * The image as a PNG or JPEG of at most 2,000 pixels an edge and 1 MiB, upright; a small PNG or JPEG stays as it is, byte by byte. It is decoded to its
 * end, so a truncated file is found out, and in a process of its own, so that a crash of the decoder costs only this image. `input` is a path only for large files: then it is
 * read piece by piece. Rejects with an `ImageProblem`.
 */
export async function fitImage(input: Buffer | string, mediaType: string, signal?: AbortSignal): Promise<FittedImage> {
  // By its number a file is known in this process only.
  const descriptor = typeof input === 'string' ? /^\/proc\/self\/fd\/(\d+)$/.exec(input)?.[1] : undefined
  const question: ImageQuestion = { mediaType, maxEdge: MAX_EDGE, maxBytes: MAX_BYTES }
  let answer: ImageAnswer | { problem: string }
  try {
    answer = await askWorker<ImageAnswer | { problem: string }>({
      file: programFile(import.meta.url, './image-worker.ts'),
      question: typeof input === 'string' ? { ...question, path: descriptor === undefined ? input : HANDED_OVER } : question,
      ...(typeof input !== 'string' && { data: input }),
      ...(descriptor !== undefined && { descriptor: Number(descriptor) }),
      ...(signal && { signal }),
      limitMs: LIMIT_MS,
      heapMegabytes: HEAP_MEGABYTES,
      mostGrowthBytes: MOST_GROWTH_BYTES,
    })
  } catch (error) {
    if (error instanceof WorkerFailure) throw new ImageProblem(explain(error), { cause: error })
    throw error
  }
  if ('problem' in answer) throw new ImageProblem(answer.problem)
  return { ...answer, data: answer.data ?? (input as Buffer) }
}

function explain({ reason, message }: WorkerFailure): string {
  if (reason === 'time') return `The image took longer than ${LIMIT_MS / 1000} s to decode. Scale it down first.`
  if (reason === 'memory') return 'The image needs too much memory to decode. Scale it down first.'
  return `The program that decodes images crashed over it (${message}). It may be damaged; convert it to PNG or JPEG first.`
}
