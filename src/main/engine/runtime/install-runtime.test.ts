import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fakeResources } from '../../../../test/support/packaged-app'
import { runTs } from '../../../../test/support/run-ts'
import { BWRAP, hasSmallDisks } from '../../../../test/support/small-disk'
import { tempFolder } from '../../../../test/support/temp-folder'
import { identityOf } from '../process/process-identity'
import { installRuntime, removeOldRuntimes } from './install-runtime'

const AN_HOUR_MS = 60 * 60_000

/** The entries of the runtimes folder, without `users`. */
const kept = (home: string): string[] =>
  readdirSync(join(home, 'runtime')).filter((name) => name !== 'users' && name !== 'current')
const age = (path: string, ms: number): void => utimesSync(path, new Date(Date.now() - ms), new Date(Date.now() - ms))

describe('the copy of the runtime', () => {
  test('is complete and executable, and is created only once', async () => {
    const home = await tempFolder()
    const packaged = fakeResources(home)
    const installed = await installRuntime({ home, version: '1.2.3', packaged })
    expect(installed.node).toMatch(/runtime[\\/]1\.2\.3-[0-9a-f]{12}[\\/]bin[\\/]trestle-node$/)
    expect(execFileSync(installed.node, { encoding: 'utf8' })).toBe('node\n')
    expect(readFileSync(join(installed.app, 'out/main/chunks/a.js'), 'utf8')).toBe('chunk')
    const { ino } = statSync(installed.node)
    expect(await installRuntime({ home, version: '1.2.3', packaged })).toEqual(installed)
    expect(statSync(installed.node).ino).toBe(ino)
  })

  test('of another build of the same version is stored next to it', async () => {
    const home = await tempFolder()
    const one = await installRuntime({ home, version: '1.0.0', packaged: fakeResources(home) })
    const two = await installRuntime({
      home,
      version: '1.0.0',
      packaged: fakeResources(home, { 'out/main/chunks/b.js': 'new' }),
    })
    expect(two.app).not.toBe(one.app)
    expect(existsSync(one.node)).toBe(true)
  })

  test('is replaced if it is damaged or incomplete', async () => {
    const home = await tempFolder()
    const packaged = fakeResources(home)
    const { app, node } = await installRuntime({ home, version: '1.0.0', packaged })
    truncateSync(node, 0)
    rmSync(join(app, 'out/main/chunks'), { recursive: true })
    await installRuntime({ home, version: '1.0.0', packaged })
    expect(execFileSync(node, { encoding: 'utf8' })).toBe('node\n')
    expect(existsSync(join(app, 'out/main/chunks/a.js'))).toBe(true)
  })

  test('is created once by concurrent processes', async () => {
    const home = await tempFolder()
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`node_modules/p/${at}.js`, 'x'.repeat(at * 50)]),
    )
    const { resources } = fakeResources(home, files)
    const runs = Array.from({ length: 6 }, () => runTs('install-runtime-cli.ts', [home, '1.0.0', resources]))
    const ends = await Promise.all(runs.map(({ done }) => done))
    expect(ends.map(({ stderr }) => stderr).join('')).toBe('')
    const output = runs.map(({ lines }) => JSON.parse(lines[0]!) as { app: string; error?: string })
    expect(output.map(({ error }) => error).filter(Boolean)).toEqual([])
    expect(new Set(output.map(({ app }) => app)).size).toBe(1)
    expect(kept(home)).toHaveLength(1)
    expect(readdirSync(join(output[0]!.app, 'node_modules/p'))).toHaveLength(200)
  })

  test('is ignored if the copying process was killed, and removed later', async () => {
    const home = await tempFolder()
    const packaged = fakeResources(home)
    const half = join(home, 'runtime', '.part-0123')
    mkdirSync(join(half, 'bin'), { recursive: true })
    const { app } = await installRuntime({ home, version: '1.0.0', packaged })
    expect(app).not.toContain('.part')
    await removeOldRuntimes(home, { node: '', app })
    expect(kept(home)).toContain('.part-0123')
    age(half, 2 * AN_HOUR_MS)
    await removeOldRuntimes(home, { node: '', app })
    expect(kept(home)).toHaveLength(1)
  })

  test.runIf(hasSmallDisks)('fails on a full disk with the size it needs, and leaves nothing behind', async () => {
    const folder = await tempFolder()
    const { resources } = fakeResources(folder, { 'node_modules/large.bin': 'x'.repeat(3_000_000) })
    const home = join(folder, 'home')
    mkdirSync(home)
    const cli = new URL('../../../../test/support/install-runtime-cli.ts', import.meta.url).pathname
    const hooks = new URL('../../../../test/support/ts-hooks.mjs', import.meta.url).href
    const { stdout } = spawnSync(
      BWRAP,
      [
        '--dev-bind',
        '/',
        '/',
        '--size',
        '1000000',
        '--tmpfs',
        home,
        'sh',
        '-c',
        '"$0" "$@"; ls -A "$HOME_HERE/runtime"',
      ].concat([process.execPath, '--import', hooks, cli, home, '1.0.0', resources]),
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '', HOME_HERE: home } },
    )
    const [output = '', ...left] = stdout.trim().split('\n')
    expect(JSON.parse(output)).toEqual({
      error: expect.stringMatching(/^The disk is full\. .*runtime, which takes 4 MB\. Free some space/),
    })
    expect(left).toEqual([])
  })

  test('fails without its source, and reports a damaged installation', async () => {
    const home = await tempFolder()
    const packaged = fakeResources(home)
    rmSync(packaged.node)
    await expect(installRuntime({ home, version: '1.0.0', packaged })).rejects.toMatchObject({
      code: 'task.host_unavailable',
      message: expect.stringContaining('install it again'),
    })
  })
})

describe('runtimes of older versions', () => {
  test('are removed once no live process runs from them', async () => {
    const home = await tempFolder()
    const old = await installRuntime({ home, version: '1.0.0', packaged: fakeResources(home) })
    const now = await installRuntime({ home, version: '2.0.0', packaged: fakeResources(home) })
    const folder = join(old.app, '..')
    const users = join(home, 'runtime', 'users')
    mkdirSync(users)
    const host = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])
    const note = join(users, `${folder.split('/').at(-1)}~here.${host.pid}`)
    try {
      writeFileSync(note, JSON.stringify(identityOf(host.pid!)))
      age(folder, AN_HOUR_MS)
      await removeOldRuntimes(home, now)
      expect(existsSync(old.node)).toBe(true)
    } finally {
      host.kill('SIGKILL')
      await new Promise((resolve) => host.once('close', resolve))
    }
    await removeOldRuntimes(home, now)
    expect(existsSync(folder)).toBe(false)
    expect(existsSync(note)).toBe(false)
    expect(existsSync(now.node)).toBe(true)
  })

  test('are kept while they are young, because a process may be about to start from them', async () => {
    const home = await tempFolder()
    const old = await installRuntime({ home, version: '1.0.0', packaged: fakeResources(home) })
    const now = await installRuntime({ home, version: '2.0.0', packaged: fakeResources(home) })
    await removeOldRuntimes(home, now)
    expect(existsSync(old.node)).toBe(true)
  })
})
