import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { rejection } from '../../../../test/support/required'
import { isRunning } from '../../../../test/support/source-task-host'
import { until } from '../../../../test/support/until'
import { runWorker, WorkerFailure, type WorkerRequest } from './worker-process'

const folder = mkdtempSync(join(tmpdir(), 'trestle-worker-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const LONG_MS = 60_000

/** The number that a worker wrote to its file. */
async function noted(note: string): Promise<number> {
  const read = (): number => Number(readFileSync(note, { encoding: 'utf8', flag: 'a+' }))
  await until(() => read() > 0, 'the worker', LONG_MS)
  return read()
}

/** A worker with this code; `asked` is its question, `post` sends its answer. */
function worker(code: string): string {
  const file = join(folder, `worker-${(files += 1)}.mjs`)
  writeFileSync(
    file,
    `import { parentPort, workerData as ask } from 'node:worker_threads'
import { readFileSync, writeFileSync, fstatSync } from 'node:fs'
const post = (value) => parentPort.postMessage(value)
${code}`,
  )
  return file
}

const asked = (code: string, more: Partial<WorkerRequest> = {}): WorkerRequest => ({
  file: worker(code),
  question: {},
  limitMs: 60_000,
  heapMegabytes: 128,
  mostGrowthBytes: 2 * 1024 ** 3,
  ...more,
})

const failure = async (question: WorkerRequest): Promise<WorkerFailure> => {
  const error = await rejection(runWorker(question))
  expect(error).toBeInstanceOf(WorkerFailure)
  return error as WorkerFailure
}

describe('runWorker', () => {
  it('passes the question and bytes to the worker, and returns its answer and bytes', async () => {
    const data = Buffer.alloc(5_000_000, 'ab')
    const answer = await runWorker<{ name: string; size: number }>(
      asked('post({ name: ask.name, size: ask.data.length, data: ask.data.subarray(0, 4) })', {
        question: { name: 'Zoë' },
        data,
      }),
    )
    expect(answer).toEqual({ name: 'Zoë', size: data.length, data: Buffer.from('abab') })
  })

  it('survives a native crash of the worker, and reports it', async () => {
    expect(await failure(asked('process.kill(process.pid, "SIGABRT"); setInterval(() => {}, 1e6)'))).toMatchObject({
      reason: 'crash',
      message: expect.stringContaining('SIGABRT'),
    })
    expect(await runWorker(asked('post({ fine: true })'))).toEqual({ fine: true })
  })

  it('reports the error of a worker that throws', async () => {
    expect(await failure(asked('throw new Error("no such thing")'))).toMatchObject({
      reason: 'crash',
      message: 'no such thing',
    })
  })

  it('stops a worker that never ends', async () => {
    const note = join(folder, 'endless.pid')
    const code = `writeFileSync(${JSON.stringify(note)}, String(process.pid)); for (;;);`
    const stop = new AbortController()
    const reading = rejection(runWorker(asked(code, { signal: stop.signal })))
    const pid = await noted(note)
    stop.abort(new Error('enough'))
    expect(await reading).toMatchObject({ message: 'enough' })
    await until(() => !isRunning(pid), 'the end of the worker', LONG_MS)
    expect(await failure(asked('for (;;);', { limitMs: 300 }))).toMatchObject({ reason: 'time' })
  })

  it('reports when memory runs out, inside and outside the heap', async () => {
    const heap = 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))'
    expect(await failure(asked(heap, { heapMegabytes: 40 }))).toMatchObject({ reason: 'memory' })
    const outside = 'const all = []; setInterval(() => all.push(Buffer.alloc(5e6, 1)), 1)'
    expect(await failure(asked(outside, { mostGrowthBytes: 100e6 }))).toMatchObject({ reason: 'memory' })
  })

  it.runIf(process.platform === 'linux')('passes on an open file', async () => {
    const path = join(folder, 'handed-over')
    writeFileSync(path, 'by its number')
    const descriptor = openSync(path, 'r')
    const answer = await runWorker(asked('post({ text: readFileSync("/proc/self/fd/3", "utf8") })', { descriptor }))
    closeSync(descriptor)
    expect(answer).toEqual({ text: 'by its number' })
  })

  it('limits concurrency; a queued request can be cancelled, and the others follow', async () => {
    const [busy, waits] = [new AbortController(), new AbortController()]
    const endless = Array.from({ length: 3 }, () => rejection(runWorker(asked('for (;;);', { signal: busy.signal }))))
    const waiting = rejection(runWorker(asked('post({ ran: true })', { signal: waits.signal })))
    const next = runWorker(asked('post({ ran: true })'))
    waits.abort(new Error('not any longer'))
    expect(await waiting).toMatchObject({ message: 'not any longer' })
    busy.abort(new Error('enough'))
    expect(await next).toEqual({ ran: true })
    for (const each of endless) expect(await each).toMatchObject({ message: 'enough' })
  })

  it('hides keys from the worker', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'hush'
    const answer = await runWorker(
      asked('post({ names: readFileSync(`/proc/${process.pid}/environ`, "utf8").split("\\0") })'),
    )
    delete process.env['ANTHROPIC_API_KEY']
    expect(JSON.stringify(answer)).not.toContain('hush')
  })

  it('leaves no busy worker behind when the requesting program is killed', async () => {
    const note = join(folder, 'orphan.pid')
    const file = worker(`writeFileSync(${JSON.stringify(note)}, String(process.pid)); for (;;);`)
    const program = `import { runWorker } from ${JSON.stringify(new URL('./worker-process.ts', import.meta.url).href)}
await runWorker(${JSON.stringify(asked('', { file }))})`
    const hooks = new URL('../../../../test/support/ts-hooks.mjs', import.meta.url).href
    const parent = spawn(process.execPath, ['--import', hooks, '--input-type=module', '-e', program], {
      stdio: 'ignore',
    })
    const pid = await noted(note)
    parent.kill('SIGKILL')
    await expect.poll(() => isRunning(pid), { timeout: LONG_MS }).toBe(false)
  })
})
