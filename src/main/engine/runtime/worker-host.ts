import { Worker } from 'node:worker_threads'
// With the extension, because this file also runs from source, where none is added.
import { encodeFrame, FrameReader, type WorkerFrame } from './worker-frame.ts'
import type { HostedRequest, HostedResponse } from './worker-process'

/**
 * The process behind `runWorker`: passes one question to a worker file, in a thread, and prints its answer. It exits
 * when its parent does, even while the thread is busy, because its input closes.
 */
const WATCH_MS = 50
const reader = new FrameReader()

process.stdin.on('data', function read(chunk: Buffer) {
  const frame = reader.add(chunk)
  if (!frame) return
  process.stdin.off('data', read).resume()
  run(frame)
})
process.stdin.on('close', () => process.exit(1))
process.stdin.on('error', () => process.exit(1))
process.stdout.on('error', () => process.exit(1))

function run({ value, data }: WorkerFrame): void {
  const { file, question, heapMegabytes, mostGrowthBytes } = value as HostedRequest
  const worker = new Worker(file, {
    workerData: data === undefined ? question : { ...question, data },
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  const before = process.memoryUsage.rss()
  // Unpacked data is outside the thread's heap, and the thread's limit covers only the heap.
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - before > mostGrowthBytes)
      answer({ failed: 'memory', message: 'it needs too much memory' })
  }, WATCH_MS)
  let hasAnswered = false
  const answer = (response: HostedResponse, bytes?: Uint8Array): void => {
    if (hasAnswered) return
    hasAnswered = true
    clearInterval(watch)
    const parts = encodeFrame({ value: response, ...(bytes && { data: bytes }) })
    parts.forEach((part, at) => process.stdout.write(part, at === parts.length - 1 ? () => process.exit(0) : undefined))
  }
  worker.once('message', (message: { data?: Uint8Array }) => {
    const { data: bytes, ...rest } = message
    answer({ answer: rest }, bytes)
  })
  worker.once('error', (error) => {
    const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    answer({ failed: isMemory ? 'memory' : 'crash', message: error instanceof Error ? error.message : String(error) })
  })
  worker.once('exit', () => answer({ failed: 'crash', message: 'it ended before its end' }))
}
