import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { plainNode, programFile } from './plain-node'
import { encodeFrame, FrameReader } from './worker-frame'

/** A request to a worker file, which gets `question` as its `workerData` and posts one answer. */
export interface WorkerRequest {
  file: string
  question: object
  /** Bytes that the worker gets as `data`. */
  data?: Uint8Array
  /** An open file that the worker process gets as descriptor 3. */
  descriptor?: number
  signal?: AbortSignal
  limitMs: number
  heapMegabytes: number
  /** The limit on memory growth, for memory of any kind. */
  mostGrowthBytes: number
  /** Default: the one for our own programs. */
  node?: string
}

/** The first frame to a worker process. */
export interface HostedRequest {
  file: string
  question: object
  heapMegabytes: number
  mostGrowthBytes: number
}

/** Its last frame. */
export type HostedResponse = { answer: object } | { failed: 'memory' | 'crash'; message: string }

/** A worker failed without an answer. Only its own request is affected. */
export class WorkerFailure extends Error {
  readonly reason: 'time' | 'memory' | 'crash'

  constructor(reason: WorkerFailure['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** Each request takes a process and its memory. */
const MAX_AT_ONCE = 3
const MAX_ERROR_CHARS = 1_000
/** The only variables that workers get: their libraries need folders for caches and temporary files. */
const ENVIRONMENT = [
  'HOME',
  'USERPROFILE',
  'LOCALAPPDATA',
  'XDG_CACHE_HOME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'WINDIR',
  'LANG',
  'LC_ALL',
]

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs a worker file in a separate process, on plain Node: if a library crashes on its input, only this answer is lost.
 * Rejects with a `WorkerFailure`, or with the signal's reason.
 */
export async function runWorker<Answer extends object>(asked: WorkerRequest): Promise<Answer & { data?: Buffer }> {
  asked.signal?.throwIfAborted()
  if (running < MAX_AT_ONCE) running += 1
  else await turn(asked.signal)
  try {
    return await askProcess<Answer>(asked)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** Waits until a running worker has ended, and takes over its slot. Rejects with the signal's reason. */
function turn(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(begin), 1)
      reject(signal?.reason)
    }
    waiting.push(begin)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}

async function askProcess<Answer extends object>(asked: WorkerRequest): Promise<Answer & { data?: Buffer }> {
  const {
    file,
    question,
    data,
    descriptor,
    signal,
    limitMs,
    heapMegabytes,
    mostGrowthBytes,
    node = plainNode(),
  } = asked
  // Lazy: otherwise every start would load it.
  const { withoutPtyMasters } = await import('../process/spawn')
  signal?.throwIfAborted()
  const program = programFile(import.meta.url, './worker-host.ts')
  const child = withoutPtyMasters(
    (stdio) => {
      const all = descriptor === undefined ? stdio : stdio.with(3, descriptor)
      return spawn(node, [program], { env: environment(), cwd: dirname(file), stdio: all, windowsHide: true })
    },
    descriptor === undefined ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', 'ignore'],
  )
  return new Promise<Answer & { data?: Buffer }>((resolve, reject) => {
    const reader = new FrameReader()
    let problem = ''
    const late = setTimeout(() => over(new WorkerFailure('time', `it took longer than ${limitMs / 1000} s`)), limitMs)
    const stop = (): void => over(signal?.reason)
    const over = (error: unknown): void => {
      end()
      reject(error)
    }
    const end = (): void => {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
      child.kill('SIGKILL')
      child.stdin?.destroy()
    }
    signal?.addEventListener('abort', stop, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      const frame = reader.add(chunk)
      if (!frame) return
      const response = frame.value as HostedResponse
      if ('failed' in response) return over(new WorkerFailure(response.failed, response.message))
      end()
      resolve({ ...(response.answer as Answer), ...(frame.data && { data: frame.data as Buffer }) })
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (problem = (problem + text).slice(-MAX_ERROR_CHARS)))
    child.once('error', (error) => over(new WorkerFailure('crash', error.message)))
    child.once('close', (code, by) =>
      over(new WorkerFailure('crash', lastLine(problem) ?? `it ended with ${by ?? code}`)),
    )
    // The worker may exit before it has read everything.
    child.stdin?.on('error', () => {})
    const request: HostedRequest = { file, question, heapMegabytes, mostGrowthBytes }
    for (const part of encodeFrame({ value: request, ...(data && { data }) })) child.stdin?.write(part)
  })
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.includes(name.toUpperCase())))
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined
}
