import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppWithAgent, hostsOf, memoryOf } from '../support/app-with-agent'
import { markedPids } from '../support/marked-pids'
import { RUNS_ALL } from '../support/sampled'
import { until } from '../support/until'
import { limitNow } from '../support/machine-pace'

/** Full size: TRESTLE_LOAD_TASKS=500 TRESTLE_LOAD_AT_ONCE=100 TRESTLE_FLOOD_MB=1024. */
const TASKS = Number(process.env['TRESTLE_LOAD_TASKS'] ?? (RUNS_ALL ? 30 : 5))
const AT_ONCE = Number(process.env['TRESTLE_LOAD_AT_ONCE'] ?? 15)
const FLOOD_MB = Number(process.env['TRESTLE_FLOOD_MB'] ?? (RUNS_ALL ? 96 : 16))
const LIMIT_MS = 60_000 + TASKS * 500 + FLOOD_MB * 100

let app: AppWithAgent
beforeEach(async () => {
  app = await AppWithAgent.start()
})
afterEach(() => app.end(), 60_000)

const report = (text: string): void => void process.stderr.write(`${text}\n`)
const marked = (taskIds: readonly string[]): number => markedPids(taskIds).length
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
const memory = (): { app: number; host: number; text: string } => {
  const [own, host] = [memoryOf(app.pid), memoryOf(hostsOf(app.scratch.home)[0] ?? 0)]
  return {
    app: own.peak,
    host: host.peak,
    text: `app ${Math.round(own.peak)} MB, host ${Math.round(host.peak)} MB at most`,
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

test(
  'of many tasks that resist ending, none is left 7 s after they are stopped, and no output is lost',
  { timeout: LIMIT_MS },
  async () => {
    const data = join(app.scratch.project, 'data')
    writeFileSync(data, randomBytes(760_000).toString('base64').replaceAll(/.{76}/g, '$&\n'))
    writeFileSync(join(app.scratch.project, 'flee'), `sleep 0.05; setsid bash ./flee & exit`)
    const commands = [
      `trap '' TERM; cat data; while :; do sleep 100; done`,
      `cat data; setsid nohup sh -c 'setsid sleep 1000 & sleep 1000' >/dev/null 2>&1 & sleep 1000`,
      `cat data; (trap '' TERM; setsid sleep 1000) & sleep 1000`,
      `trap '' TERM; cat data; (while :; do setsid sleep 7 >/dev/null 2>&1 & sleep 5; done) & wait`,
      `cat data; sleep 1000 & wait`,
    ]
    // Few of these: each keeps a tenth of a processor busy.
    await app.inBackground(
      Array.from({ length: 3 }, () => `cat data; (trap '' TERM; exec bash ./flee >/dev/null 2>&1) & sleep 1000`),
    )
    for (let first = 0; first < TASKS; first += AT_ONCE) {
      const before = performance.now()
      await app.inBackground(
        Array.from({ length: Math.min(AT_ONCE, TASKS - first) }, (_, index) => commands[(first + index) % 5]!),
      )
      report(`${AT_ONCE} tasks started in ${Math.round(performance.now() - before)} ms`)
    }
    const hasPrinted = async (): Promise<void> =>
      expect((await app.tasks(true)).filter(({ outputBytes }) => outputBytes >= 1_000_000).length).toBe(TASKS + 3)
    await vi.waitFor(hasPrinted, { timeout: LIMIT_MS / 2, interval: 500 })
    const taskIds = (await app.tasks(true)).map(({ taskId }) => taskId)
    report(`${marked(taskIds)} processes; ${memory().text}`)
    const before = performance.now()
    const stopped = app.client.task.stopAll({})
    await vi.waitFor(() => expect(marked(taskIds)).toBe(0), { timeout: 60_000, interval: 200 })
    const tookMs = performance.now() - before
    expect(await stopped).toEqual({ stopped: TASKS + 3 })
    report(`stopped after ${Math.round(tookMs)} ms; ${memory().text}`)
    expect(marked(taskIds)).toBe(0)
    expect(tookMs).toBeLessThan(limitNow(7_000))
    expect(memory().app).toBeLessThan(300)
    expect(memory().host).toBeLessThan(200)
    const ended = await app.tasks(false)
    expect(ended.filter(({ status }) => status === 'stopped').length).toBe(TASKS + 3)
    const whole = await sha256(data)
    for (const { outputPath } of ended) expect(await sha256(outputPath)).toBe(whole)
  },
)

test('an app killed with 20 running tasks finds all of them with complete output at its next start, and can stop them', async () => {
  await app.inBackground(Array.from({ length: 20 }, () => 'n=0; while :; do echo $((n++)); sleep 0.1; done'))
  const before = await app.tasks(true)
  expect(before.length).toBe(20)
  await app.kill()
  const sizes = before.map(({ outputPath }) => sizeOf(outputPath))
  // They keep running without it.
  await until(() => before.every(({ outputPath }, index) => sizeOf(outputPath) > sizes[index]! + 20), 'more output')
  await app.open()
  const after = await app.tasks(true)
  expect(after.map(({ taskId }) => taskId).toSorted()).toEqual(before.map(({ taskId }) => taskId).toSorted())
  let live = ''
  for await (const push of await app.client.push.task({ taskId: after[0]!.taskId })) {
    if (push.type !== 'task') live += push.text
    if (live.length > 100) break
  }
  const beforeStop = performance.now()
  expect(await app.client.task.stopAll({})).toEqual({ stopped: 20 })
  expect(performance.now() - beforeStop).toBeLessThan(limitNow(7_000))
  for (const { outputPath } of after) {
    const lines = readFileSync(outputPath, 'utf8').trimEnd().split('\n')
    expect(lines.filter((line, index) => Number(line) !== index)).toEqual([])
  }
  expect(marked(after.map(({ taskId }) => taskId))).toBe(0)
})

test('a killed task host is reported within 2 s, its output is kept, and the next command gets a new host', async () => {
  await app.inBackground(['echo before; sleep 1000', 'echo before; setsid sleep 1000 & wait'])
  const before = await app.tasks(true)
  // On disk, where it survives.
  const hasWritten = (): void =>
    expect(before.map(({ outputPath }) => (existsSync(outputPath) ? readFileSync(outputPath, 'utf8') : ''))).toEqual([
      'before\n',
      'before\n',
    ])
  await vi.waitFor(hasWritten, { timeout: 60_000 })
  const lost = before.map(({ taskId }) => taskId)
  process.kill(hostsOf(app.scratch.home)[0]!, 'SIGKILL')
  const killedAt = performance.now()
  await until(() => app.pushes.some((push) => push.type === 'notice'), 'the news that the host died')
  expect(performance.now() - killedAt).toBeLessThan(limitNow(2_000))
  expect((await app.tasks(false)).map(({ status }) => status)).toEqual(['lost', 'lost'])
  for (const taskId of lost) expect((await app.client.task.output({ taskId })).text).toBe('before\n')
  await app.inBackground(['echo after; sleep 1000'])
  expect(await app.tasks(true)).toMatchObject([{ status: 'running' }])
  expect(hostsOf(app.scratch.home)).toHaveLength(1)
  // A process that left its terminal outlived the host.
  const orphans = await app.client.task.orphans()
  expect(orphans.length).toBeGreaterThan(0)
  expect(orphans.filter(({ taskId }) => !lost.includes(taskId))).toEqual([])
  await app.client.task.killOrphans({})
  expect(marked(lost)).toBe(0)
})

test('a flood of background output keeps memory flat, and can be paged', { timeout: LIMIT_MS }, async () => {
  await app.inBackground(['echo warm; sleep 1000'])
  await vi.waitFor(async () => expect((await app.tasks(true))[0]!.outputBytes).toBe(5), { timeout: 60_000 })
  const before = memory()
  const numbered = (line: number): string => String(1_000_000_000 + line)
  const lines = Math.ceil((FLOOD_MB * 1024 * 1024) / 11)
  const beganAt = performance.now()
  await app.inBackground([`seq ${numbered(1)} ${numbered(lines)}`])
  const hasEnded = async (): Promise<void> =>
    expect((await app.tasks(false)).some(({ status }) => status === 'completed')).toBe(true)
  await vi.waitFor(hasEnded, { timeout: LIMIT_MS, interval: 100 })
  const after = memory()
  report(
    `${FLOOD_MB} MB in ${Math.round(performance.now() - beganAt)} ms; before: ${before.text}; after: ${after.text}`,
  )
  expect(after.app - before.app).toBeLessThan(60)
  expect(after.host - before.host).toBeLessThan(60)
  const flood = (await app.tasks(false)).find(({ status }) => status === 'completed')!
  expect(flood.outputBytes).toBe(lines * 11)
  const head = await app.call([{ name: 'Read', input: { path: flood.outputPath, line_offset: 301, n_lines: 300 } }])
  expect([301, 600].filter((number) => !head.includes(`${number}\\t${numbered(number)}`))).toEqual([])
  const tail = await app.call([
    { name: 'Read', input: { path: flood.newestPath ?? flood.outputPath, line_offset: -300 } },
  ])
  expect([lines - 299, lines].filter((number) => !tail.includes(numbered(number)))).toEqual([])
})
