import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppWithAgent, hostsOf } from '../support/app-with-agent'
import { installedResources, pretendElectron } from '../support/packaged-app'
import { endHosts } from '../support/source-task-host'
import { until } from '../support/until'
import { serveWeb } from '../support/web-server'

const [COMMANDS, AT_ONCE, TASKS, IMAGES] = [200, 20, 20, 10]
const LONG_MS = 120_000

let folder: string
let resources: string
let starts: () => number
let app: AppWithAgent

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-installed-'))
  const installed = installedResources(folder)
  const pretended = pretendElectron(folder)
  ;({ resources } = installed)
  ;({ starts } = pretended)
  const node = join(resources, 'bin', 'trestle-node')
  app = await AppWithAgent.start(
    '[web]\nallowed_hosts = ["127.0.0.1"]\n[[permission.rules]]\ndecision = "allow"\npattern = "FetchURL"\n',
    [node, '--import', pretended.imported, installed.cli],
  )
}, LONG_MS)

afterAll(async () => {
  try {
    await app?.end()
  } finally {
    if (app) await endHosts(app.scratch.home)
    rmSync(folder, { recursive: true, force: true })
  }
}, LONG_MS)

describe.skipIf(process.platform !== 'linux')('an app whose binary ignores ELECTRON_RUN_AS_NODE', () => {
  test(`runs ${COMMANDS} commands`, { timeout: 10 * LONG_MS }, async () => {
    for (let at = 0; at < COMMANDS; at += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => at + index)
      const told = await app.call(
        numbers.map((number) => ({
          name: 'Bash',
          input: { command: `echo ran-$((${number} + 1000))`, description: `command ${number}` },
        })),
      )
      for (const number of numbers) expect(told).toContain(`ran-${number + 1000}`)
    }
    expect(hostsOf(app.scratch.home)).toHaveLength(1)
    expect(starts()).toBe(0)
  })

  test('starts its task host from the copy in the home, which is complete and the only one', () => {
    const { home } = app.scratch
    const [host] = hostsOf(home)
    const runtimes = readdirSync(join(home, 'runtime')).filter((name) => name !== 'users' && name !== 'current')
    expect(runtimes).toHaveLength(1)
    expect(readlinkSync(`/proc/${host}/exe`)).toBe(join(home, 'runtime', runtimes[0]!, 'bin', 'trestle-node'))
    expect(readdirSync(join(home, 'runtime', 'users'))).toHaveLength(1)
  })

  test(`shows ${IMAGES} images, and a page`, { timeout: LONG_MS }, async () => {
    const { project } = app.scratch
    const names = Array.from({ length: IMAGES }, (_, at) => `image-${at}.png`)
    for (const [at, name] of names.entries())
      await sharp({ create: { width: 2500 + at, height: 60, channels: 3, background: '#123456' } }).toFile(
        join(project, name),
      )
    const told = await app.call(names.map((path) => ({ name: 'ReadMediaFile', input: { path } })))
    for (const name of names) expect(told).toContain(`${name}: PNG`)
    expect(told.match(/scaled to 2000 x/g)).toHaveLength(IMAGES)
    const { origin } = await serveWeb((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>T</title><article>${'<p>A trestle carries a railway over a valley.</p>'.repeat(30)}</article>`),
    )
    const page = await app.call([{ name: 'FetchURL', input: { url: `${origin}/` } }])
    expect(page).toContain('over a valley')
    expect(page).not.toContain('No article was found')
    expect(starts()).toBe(0)
  })

  test(
    `keeps ${TASKS} background tasks beyond its end and its removal, and finds them again`,
    { timeout: 4 * LONG_MS },
    async () => {
      await app.inBackground(Array.from({ length: TASKS }, () => 'while :; do echo tick; sleep 0.2; done'))
      const started = await app.tasks(true)
      expect(started).toHaveLength(TASKS)
      const [host] = hostsOf(app.scratch.home)
      await app.kill()
      const aside = join(folder, 'removed')
      renameSync(resources, aside)
      const sizes = (): number[] =>
        started.map(({ outputPath }) => statSync(outputPath, { throwIfNoEntry: false })?.size ?? 0)
      const before = sizes()
      await until(() => sizes().every((size, at) => size > before[at]!), 'output of all tasks without the app', LONG_MS)
      renameSync(aside, resources)
      await app.open()
      expect((await app.tasks(true)).map(({ taskId }) => taskId).toSorted()).toEqual(
        started.map(({ taskId }) => taskId).toSorted(),
      )
      expect(hostsOf(app.scratch.home)).toEqual([host])
      expect(
        await app.call([{ name: 'Bash', input: { command: 'echo after the restart', description: 'again' } }]),
      ).toContain('after the restart')
      expect(await app.client.task.stopAll({})).toEqual({ stopped: TASKS })
      expect(starts()).toBe(0)
    },
  )

  test('exits with 70 and opens nothing when given one of our programs', () => {
    const opened = join(folder, 'opened')
    const stub = join(folder, 'electron-stub.cjs')
    writeFileSync(
      stub,
      `const seen = new Proxy(function () {}, {
  get: () => seen,
  apply: () => (require('node:fs').writeFileSync(${JSON.stringify(opened)}, ''), seen),
})
module.exports = seen`,
    )
    const hooks = join(folder, 'electron-stub.mjs')
    writeFileSync(
      hooks,
      `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) =>
  name === 'electron' ? { url: ${JSON.stringify(pathToFileURL(stub).href)}, shortCircuit: true } : next(name, context) })`,
    )
    const run = spawnSync(
      process.execPath,
      [
        '--import',
        hooks,
        join(resources, 'app.asar.unpacked/out/main/index.js'),
        join(resources, 'app.asar/out/main/task-host.js'),
        folder,
      ],
      { encoding: 'utf8', env: { HOME: folder, TRESTLE_HOME: join(folder, 'unused') } },
    )
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 70, stderr: '' })
    expect(existsSync(opened)).toBe(false)
  })

  test('is detected by the stand-in when a program mistakes it for Node', () => {
    const note = join(folder, 'probe.mjs')
    writeFileSync(
      note,
      "import { spawnSync } from 'node:child_process'\n" +
        "spawnSync(process.execPath, ['x'], { env: { ELECTRON_RUN_AS_NODE: '1' } })",
    )
    execFileSync(process.execPath, ['--import', join(folder, 'pretend.mjs'), note])
    expect(starts()).toBe(1)
  })
})
