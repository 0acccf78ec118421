import { Worker } from 'node:worker_threads'

export interface BackupInput {
  /** The store file. */
  source: string
  /** A file that is not there yet. */
  target: string
}

export type BackupOutcome =
  | { kind: 'made' }
  /** The store is: a copy of it is worth nothing. */
  | { kind: 'damaged'; reason: string }
  | { kind: 'full' | 'failed'; reason: string }

/** Copies the store in a thread of its own, which ends early when `signal` aborts. */
export async function copyInThread(input: BackupInput, signal: AbortSignal): Promise<BackupOutcome> {
  const worker = new Worker(workerFile(import.meta.url), { workerData: input, env: {}, stdout: true, stderr: true })
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Promise<BackupOutcome>((resolve) => {
      const failed = (reason: string): void => resolve({ kind: 'failed', reason })
      worker.once('message', resolve)
      worker.once('error', (error) => failed(error instanceof Error ? error.message : String(error)))
      worker.once('exit', () => failed('It was stopped.'))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** From sources it is beside this file; in the built program, beside the entries, with this code in one of them or in a chunk. */
function workerFile(here: string): URL {
  if (here.endsWith('.ts')) return new URL('./backup-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../backup-worker.js' : './backup-worker.js', here)
}
