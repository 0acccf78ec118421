import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { EngineLab, Followed, lives } from '../support/engine-lab'
import { RUNS_ALL } from '../support/sampled'
import { until } from '../support/until'

vi.setConfig({ testTimeout: RUNS_ALL ? 1_800_000 : 180_000 })

/** All with TRESTLE_TESTS=all. */
const UPGRADES = RUNS_ALL ? 200 : 3
/** A busy machine starts a program slowly. */
const LIMIT_MS = 90_000
const ROOT = join(import.meta.dirname, '..', '..')

let lab: EngineLab
let app: string | undefined
afterEach(async () => {
  await lab.end()
  if (app !== undefined) rmSync(app, { recursive: true })
  app = undefined
})

/** An installed app with two builds, of which one is at its place. */
class Installed {
  readonly folder = mkdtempSync(join(tmpdir(), 'trestle-app-'))
  #current = 0
  readonly #versions = ['1.0.0', '1.0.1']

  constructor() {
    for (const name of ['node_modules', 'resources', 'package.json']) symlinkSync(join(ROOT, name), this.#path(name))
    for (const version of this.#versions) {
      const build = this.#path(`build-${version}`)
      mkdirSync(build)
      cpSync(join(ROOT, 'out', 'main'), join(build, 'main'), { recursive: true })
      symlinkSync(join(ROOT, 'out', 'renderer'), join(build, 'renderer'))
      const chunks = join(build, 'main', 'chunks')
      for (const name of readdirSync(chunks).filter((one) => one.startsWith('cli-engine-')))
        writeFileSync(
          join(chunks, name),
          readFileSync(join(chunks, name), 'utf8').replace('"0.1.0"', JSON.stringify(version)),
        )
    }
    renameSync(this.#path(`build-${this.version}`), this.#path('out'))
  }

  get version(): string {
    return this.#versions[this.#current]!
  }

  get program(): string {
    return join(this.folder, 'out', 'main', 'cli.js')
  }

  /** Replaces the files by those of the other build, as an installer does. */
  upgrade(): void {
    renameSync(this.#path('out'), this.#path(`build-${this.version}`))
    this.#current = 1 - this.#current
    renameSync(this.#path(`build-${this.version}`), this.#path('out'))
  }

  #path(name: string): string {
    return join(this.folder, name)
  }
}

test(`${UPGRADES} upgrades while a turn and a task run stop neither, and repeat no step`, async () => {
  let gate = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }) => {
    const messages = body['messages'] as { role: string; content: unknown }[]
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const isTask = JSON.stringify(messages[last]).includes('task')
    if (messages.slice(last).some(({ role }) => role === 'tool')) {
      if (!isTask) await gate.promise
      return { text: 'done' }
    }
    return isTask
      ? {
          toolCalls: [
            { name: 'Bash', input: { command: 'exec sleep 3600', description: 'wait', run_in_background: true } },
          ],
        }
      : { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
  })
  const installed = new Installed()
  app = installed.folder
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TRESTLE_HOME: lab.home, TRESTLE_KEY_STORE: 'file' }
  const engine = spawn(process.execPath, [installed.program, 'engine'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(engine.stdout, 'data')
  const link = lab.link('never starts one')
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
  const followed = new Followed(link, sessionId)
  const say = (text: string): Promise<unknown> =>
    link.client.session.prompt({ sessionId, parts: [{ type: 'text', text }] })
  await say('start the task')
  await followed.has('turn.finished', 1, LIMIT_MS)
  const [task] = await link.client.task.list({ activeOnly: true })
  for (let round = 1; round <= UPGRADES; round += 1) {
    const requests = lab.server.requests.length
    await say(`round ${round}`)
    await lab.server.arrived(requests + 2)
    const { pid } = (await lab.status())!
    installed.upgrade()
    const restart = promisify(execFile)(process.execPath, [installed.program, 'engine', 'restart'], { env })
    await expect.poll(async () => (await lab.status())?.pid ?? pid, { timeout: LIMIT_MS }).not.toBe(pid)
    gate.resolve()
    expect((await restart).stdout).toContain('1 running turn continues at the next step')
    await followed.has('turn.finished', round + 1, LIMIT_MS)
    await until(() => !lives(pid), 'the end of the engine before', LIMIT_MS)
    expect(await lab.status()).toMatchObject({ version: installed.version })
    expect(lab.server.requests).toHaveLength(requests + 2)
    expect(await link.client.task.list({ activeOnly: true })).toMatchObject([
      { taskId: task!.taskId, pid: task!.pid, status: 'running' },
    ])
    gate = Promise.withResolvers()
  }
  const ends = followed.events.flatMap((event) => (event.type === 'turn.finished' ? [event.stop] : []))
  expect(ends).toEqual(Array.from({ length: UPGRADES + 1 }, () => 'end_turn'))
  expect(followed.events.map(({ seq }) => seq)).toEqual(followed.events.map((_, index) => index + 1))
  expect(lives(task!.pid!)).toBe(true)
})
