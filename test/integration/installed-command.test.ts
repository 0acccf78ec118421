import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../package.json'
import { installRuntime } from '../../src/main/engine/runtime/install-runtime'
import { installedResources } from '../support/packaged-app'

let folder: string
let resources: string
beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle installed '))
  ;({ resources } = installedResources(folder))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { PATH = '' } = process.env
  return spawnSync(program, args, {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH, HOME: folder, TRESTLE_HOME: join(folder, 'home') },
  })
}

describe.skipIf(process.platform === 'win32')('the command of an installed app', () => {
  test('runs the command line with its arguments, also through symbolic links', () => {
    expect(run(join(resources, 'bin', 'trestle'), '--version')).toMatchObject({
      status: 0,
      stdout: `trestle ${version}\n`,
      stderr: '',
    })
    mkdirSync(join(folder, 'links'))
    symlinkSync(join(resources, 'bin', 'trestle'), join(folder, 'links', 'first'))
    symlinkSync('first', join(folder, 'links', 'second'))
    expect(run(join(folder, 'links', 'second'), 'models', '--help').stdout).toContain('trestle models')
    expect(run(join(folder, 'links', 'second'), 'task', 'list').status).toBe(0)
    expect(run(join(folder, 'links', 'second'), 'nonsense here').status).toBe(2)
  })

  test('reports a damaged installation', () => {
    const out = join(resources, 'app.asar.unpacked', 'out')
    renameSync(out, `${out}-gone`)
    expect(run(join(resources, 'bin', 'trestle'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('damaged'),
    })
    renameSync(`${out}-gone`, out)
  })

  test('of an AppImage runs from the copy in the home, keeps one name across versions, and locks the copy while it runs', async () => {
    const home = join(folder, 'home')
    mkdirSync(home, { recursive: true })
    const packaged = { node: join(resources, 'bin', 'trestle-node'), app: join(resources, 'app.asar.unpacked') }
    await installRuntime({ home, version: '1.0.0', packaged })
    const old = readlinkSync(join(home, 'runtime', 'current'))
    await installRuntime({ home, version, packaged })
    const now = readlinkSync(join(home, 'runtime', 'current'))
    expect([old, now]).toEqual([expect.stringMatching(/^1\.0\.0-/), expect.stringMatching(new RegExp(`^${version}-`))])
    const command = join(home, 'runtime', 'current', 'bin', 'trestle')
    expect(run(command, '--version').stdout).toBe(`trestle ${version}\n`)
    const users = (): string[] => readdirSync(join(home, 'runtime', 'users'))
    const { PATH = '' } = process.env
    const served = spawn(command, ['serve'], {
      env: { PATH, HOME: folder, TRESTLE_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(served, 'exit')
    await once(served.stdout, 'data')
    expect(users()).toEqual([expect.stringMatching(new RegExp(`^${now}~.*\\.${served.pid}$`))])
    served.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(users()).toEqual([])
  })
})
