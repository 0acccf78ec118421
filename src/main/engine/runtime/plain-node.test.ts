import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { STARTED_AS_NODE_EXIT_CODE, isStartedAsNode } from '../task/client/task-host-program'
import { outsideArchive, packagedRuntime, plainNode, programRoot } from './plain-node'

const here = import.meta.url
const electron = { electron: '45.4.1' }
const installed = pathToFileURL('/opt/Trestle/resources/app.asar/out/main/chunks/engine-x.js').href

test('under plain Node, programs are started with the same Node', () => {
  expect(plainNode({ execPath: '/usr/bin/node', versions: {}, platform: 'linux', here: installed })).toBe(
    '/usr/bin/node',
  )
})

test('the packaged app starts programs with the Node that comes with it, never with its own binary', () => {
  const app = { execPath: '/opt/Trestle/trestle', versions: electron, platform: 'linux' as const, here: installed }
  expect(plainNode(app)).toBe('/opt/Trestle/resources/bin/trestle-node')
  expect(plainNode({ ...app, platform: 'win32' })).toMatch(/bin[\\/]trestle-node\.exe$/)
})

test('from the repository, Electron starts programs with the Node of the dependencies', () => {
  const found = plainNode({ execPath: '/x/electron', versions: electron, platform: process.platform, here })
  expect(found).toMatch(/node_modules[\\/]node[\\/]bin[\\/]node/)
  expect(existsSync(found)).toBe(true)
})

test('without a Node next to Electron, the error has the reason and the remedy', () => {
  const alone = pathToFileURL('/nowhere/out/main/index.js').href
  expect(() => plainNode({ execPath: '/x/electron', versions: electron, platform: 'linux', here: alone })).toThrow(
    /npm install/,
  )
})

test('files for plain Node are read from outside the archive', () => {
  const app = join('/opt/Trestle/resources', 'app.asar.unpacked')
  expect(packagedRuntime(installed, 'linux')?.app).toBe(app)
  expect(packagedRuntime(pathToFileURL(join(app, 'out/main/cli.js')).href, 'linux')?.app).toBe(app)
  expect(packagedRuntime(here)).toBeUndefined()
  expect(outsideArchive('/r/app.asar/out/main/worker-host.js')).toBe('/r/app.asar.unpacked/out/main/worker-host.js')
  expect(outsideArchive('/r/app.asar.unpacked/out/main/worker-host.js')).toBe(
    '/r/app.asar.unpacked/out/main/worker-host.js',
  )
})

test('an app that is started like Node detects that from its arguments', () => {
  const app = '/opt/Trestle/trestle'
  for (const program of ['task-host.js', 'worker-host.js', 'cli.js'])
    expect(
      isStartedAsNode([app, `/opt/Trestle/resources/app.asar.unpacked/out/main/${program}`, '/home/me/.trestle']),
    ).toBe(true)
  expect(isStartedAsNode([app, 'C:\\Trestle\\resources\\app.asar\\out\\main\\task-host.js'])).toBe(
    process.platform === 'win32',
  )
  for (const usual of [
    [app],
    [app, '/work/project'],
    [app, '/work/project/cli.js'],
    ['electron', '/repo/out/main/index.js', '/work/out/main'],
  ])
    expect(isStartedAsNode(usual)).toBe(false)
  expect(STARTED_AS_NODE_EXIT_CODE).toBe(70)
})

test('the program is found from its built files and from its sources, regardless of any package.json in between', () => {
  const root = mkdtempSync(join(tmpdir(), 'program-root-'))
  try {
    for (const folder of ['out/main/chunks', 'src/main/engine']) mkdirSync(join(root, folder), { recursive: true })
    for (const file of ['package.json', 'out/main/package.json']) writeFileSync(join(root, file), '{}')
    expect(programRoot(join(root, 'out/main/chunks'))).toBe(root)
    expect(programRoot(join(root, 'src/main/engine'))).toBe(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
