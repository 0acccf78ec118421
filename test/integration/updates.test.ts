import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signFeeds } from '../../scripts/sign-feed'
import { verifyFeed } from '../../src/main/host/electron/update/verify-feed'
import { hasSmallDisks } from '../support/small-disk'
import { standIn, UpdateLab, UpdateServer } from '../support/update-lab'

vi.setConfig({ testTimeout: 300_000 })

async function setUp(installed = '1.0.0') {
  const before = process.env['APPIMAGE']
  const folder = mkdtempSync(join(tmpdir(), 'trestle-updates-'))
  const server = await UpdateServer.start()
  const lab = new UpdateLab(folder, server)
  lab.install(installed)
  const updater = lab.start(installed)
  onTestFinished(() => {
    updater.close()
    server.close()
    rmSync(folder, { recursive: true })
    if (before === undefined) delete process.env['APPIMAGE']
    else process.env['APPIMAGE'] = before
  })
  const program = (): string => readFileSync(lab.appImage, 'utf8')
  return { folder, server, lab, updater, program }
}

test('a new release is downloaded in the background, shown with its notes, and installed when the app is closed', async () => {
  const { server, updater, program, lab } = await setUp()
  server.publish('1.1.0')
  await updater.check()
  expect(updater.view()).toMatchObject({
    installed: '1.0.0',
    state: { kind: 'ready', release: { version: '1.1.0', notes: 'What is new in 1.1.0' }, whenIdle: false },
  })
  // Downloading alone changes nothing.
  expect(program()).toBe(standIn('1.0.0'))
  expect(lab.quits).toEqual([])
  await updater.installOnQuit()
  expect(program()).toBe(standIn('1.1.0'))
})

test('offers nothing while the latest release is installed', async () => {
  const { server, updater } = await setUp('1.1.0')
  server.publish('1.1.0')
  await updater.check()
  expect(updater.view().state).toMatchObject({ kind: 'current', checkedAt: expect.any(Number) })
  expect(updater.view().state).not.toHaveProperty('problem')
})

test('200 updates with running turns and tasks interrupt nothing', async () => {
  const { server, lab } = await setUp()
  // A task that runs from the app's own file during all updates.
  const task = spawn(lab.appImage, { stdio: ['pipe', 'pipe', 'inherit'] })
  const said: Buffer[] = []
  task.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  for (let round = 1; round <= 200; round += 1) {
    const [installed, next] = [`1.0.${round - 1}`, `1.0.${round}`]
    server.publish(next)
    lab.setWork('1 turn is running')
    const updater = lab.start(installed)
    await updater.check()
    await updater.whenIdle(true)
    expect(updater.view().state).toMatchObject({ kind: 'ready', whenIdle: true, waitsFor: '1 turn is running' })
    expect(lab.quits).toHaveLength(round - 1)
    expect(readFileSync(lab.appImage, 'utf8')).toBe(standIn(installed))
    lab.setWork(null)
    await updater.whenIdle(true)
    expect(lab.quits).toHaveLength(round)
    expect(readFileSync(lab.appImage, 'utf8')).toBe(standIn(next))
    updater.close()
  }
  expect(lab.quits.every(({ relaunch }) => relaunch)).toBe(true)
  expect(task.exitCode).toBeNull()
  task.stdin.end('continue\n')
  await once(task, 'close')
  expect(Buffer.concat(said).toString()).toBe('1.0.0\n1.0.0 ended\n')
})

test('work that starts during the installation of the update stops it', async () => {
  const { server, lab, updater, program } = await setUp()
  server.publish('1.1.0')
  await updater.check()
  // Nothing is running when the installation starts, but a turn is when the new file is ready to replace the old one.
  const asked: (string | null)[] = []
  Object.defineProperty(lab, 'work', {
    get: () => asked[asked.push(asked.length === 0 ? null : '1 turn is running') - 1],
    set: () => {},
    configurable: true,
  })
  await updater.whenIdle(true)
  expect(asked.length).toBeGreaterThan(1)
  expect(lab.quits).toEqual([])
  expect(program()).toBe(standIn('1.0.0'))
  Object.defineProperty(lab, 'work', { value: null, writable: true })
  await updater.whenIdle(true)
  expect(lab.quits).toEqual([{ relaunch: true }])
  expect(program()).toBe(standIn('1.1.0'))
})

const rejections: [what: string, publish: (server: UpdateServer) => unknown, message: RegExp][] = [
  [
    'whose package was changed after it was signed',
    (server) => {
      server.publish('1.1.0')
      server.file = Buffer.from(server.file.toString().replace('read line', 'evil lines'))
    },
    /does not match its published checksum/,
  ],
  [
    'whose feed was changed after it was signed',
    (server) => {
      server.publish('1.1.0')
      server.feed = server.feed.replaceAll('1.1.0', '1.2.0')
    },
    /not signed by Trestle's publisher/,
  ],
  [
    'signed with another key',
    async (server) => {
      const other = await UpdateServer.start()
      other.close()
      other.publish('1.1.0')
      Object.assign(server, { feed: other.feed, signature: other.signature, file: other.file })
    },
    /not signed by Trestle's publisher/,
  ],
  [
    'without a signature',
    (server) => {
      server.publish('1.1.0')
      server.signature = ''
    },
    /not signed by Trestle's publisher/,
  ],
  ['that is older than the installed version', (server) => server.publish('0.9.0'), /older than the installed 1\.0\.0/],
  [
    'that breaks off',
    (server) => {
      server.publish('1.1.0', { file: Buffer.alloc(4_000_000, 'x') })
      server.breakAfter = 1_000_000
    },
    /was interrupted/,
  ],
  [
    'that is complete but shorter than published',
    (server) => {
      server.publish('1.1.0', { file: Buffer.alloc(100_000, 'x') })
      server.file = server.file.subarray(0, 50_000)
    },
    /checksum/,
  ],
  [
    'that leads to another place',
    (server) =>
      server.sign(server.feed || 'version: 1.1.0\nfiles:\n  - url: ../../evil.AppImage\n    sha512: x\n    size: 1\n'),
    /cannot be read/,
  ],
]

test.each(rejections)(
  'an update %s is rejected, reported, and leaves the installed version',
  async (_what, publish, message) => {
    const { folder, server, updater, program, lab } = await setUp()
    await publish(server)
    await updater.check()
    const { state } = updater.view()
    expect(state).toMatchObject({
      kind: 'current',
      problem: { message: expect.stringMatching(message), advice: expect.stringMatching(/\w/) },
    })
    await updater.installOnQuit()
    await updater.whenIdle(true)
    expect(program()).toBe(standIn('1.0.0'))
    expect(lab.quits).toEqual([])
    expect(
      readdirSync(join(folder, 'cache'), { recursive: true }).filter((name) => String(name).endsWith('.AppImage')),
    ).toEqual([])
    // The next valid one is accepted.
    server.breakAfter = undefined
    server.publish('1.3.0')
    await updater.check()
    expect(updater.view().state).toMatchObject({ kind: 'ready', release: { version: '1.3.0' } })
  },
)

test('a feed older than one already seen is rejected as out of date', async () => {
  const { server, updater } = await setUp()
  server.publish('1.5.0')
  const old = { feed: server.feed, signature: server.signature, file: server.file }
  updater.setAutomatic(false)
  server.publish('1.6.0')
  await updater.check()
  expect(updater.view().state).toMatchObject({ kind: 'available', release: { version: '1.6.0' } })
  Object.assign(server, old)
  await updater.check()
  expect(updater.view().state).toMatchObject({
    kind: 'current',
    problem: { message: expect.stringContaining('1.6.0 was published before') },
  })
})

test.skipIf(!hasSmallDisks)(
  'a download that fills the disk is discarded, and the report says that the disk is full',
  async () => {
    const { folder, server } = await setUp()
    server.publish('1.1.0', { file: Buffer.alloc(5_000_000, 'x') })
    const disk = join(folder, 'cache', 'disk')
    const support = join(import.meta.dirname, '..', 'support')
    const pem = server.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const node = [
      process.execPath,
      '--import',
      join(support, 'ts-hooks.mjs'),
      join(support, 'update-once-cli.ts'),
      disk,
      server.url.href,
      pem,
    ]
    spawnSync('mkdir', ['-p', disk])
    const child = spawn('bwrap', ['--dev-bind', '/', '/', '--size', '2000000', '--tmpfs', disk, ...node], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const out: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    await once(child, 'close')
    expect(JSON.parse(Buffer.concat(out).toString())).toMatchObject({
      state: {
        kind: 'current',
        problem: {
          message: expect.stringContaining('the disk is full'),
          advice: expect.stringContaining('Free some disk space'),
        },
      },
      installed: standIn('1.0.0'),
    })
  },
)

test('an unreachable server is reported, and nothing else changes', async () => {
  const { server, updater, program } = await setUp()
  server.close()
  await updater.check()
  expect(updater.view().state).toMatchObject({
    kind: 'current',
    problem: { message: 'The update server could not be reached.' },
  })
  expect(program()).toBe(standIn('1.0.0'))
})

test('a rollback to the previous version is not replaced by the same update again, and waits for running work', async () => {
  const { server, lab, updater, program } = await setUp()
  server.publish('1.1.0')
  await updater.check()
  await updater.installOnQuit()
  updater.close()
  const after = lab.start('1.1.0')
  onTestFinished(() => after.close())
  await vi.waitFor(() => expect(after.view().previous).toBe('1.0.0'), { timeout: 60_000 })
  lab.setWork('2 turns are running')
  await after.rollBack()
  expect(after.view().state).toMatchObject({ problem: { message: expect.stringContaining('2 turns are running') } })
  expect(program()).toBe(standIn('1.1.0'))
  lab.setWork(null)
  await after.rollBack()
  expect(program()).toBe(standIn('1.0.0'))
  expect(lab.quits).toEqual([{ relaunch: true }])
  const back = lab.start('1.0.0')
  onTestFinished(() => back.close())
  await back.check()
  expect(back.view().state).toMatchObject({ kind: 'available', release: { version: '1.1.0' } })
  await back.download()
  expect(back.view().state).toMatchObject({ kind: 'ready' })
})

test('another channel has its own feed, and both settings survive a restart', async () => {
  const { server, lab, updater } = await setUp()
  server.publish('2.0.0-beta.1')
  await updater.setChannel('beta')
  expect(server.requests.some((path) => path.startsWith('/beta'))).toBe(true)
  expect(updater.view().state).toMatchObject({ kind: 'ready', release: { version: '2.0.0-beta.1' } })
  updater.setAutomatic(false)
  const again = lab.start('1.0.0')
  onTestFinished(() => again.close())
  expect(again.view()).toMatchObject({ channel: 'beta', automatic: false })
})

test('a damaged update record falls back to defaults', async () => {
  const { folder, lab } = await setUp()
  writeFileSync(join(folder, 'updates.json'), '{"channel":"nightly","automatic":')
  const updater = lab.start('1.0.0')
  onTestFinished(() => updater.close())
  expect(updater.view()).toMatchObject({ channel: 'stable', automatic: true })
})

test('a feed signed by the release script is accepted, and a modified one is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trestle-feeds-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const server = await UpdateServer.start()
  server.close()
  server.publish('1.1.0')
  writeFileSync(join(folder, 'latest-linux.yml'), server.feed)
  writeFileSync(join(folder, 'builder-debug.yml'), 'x64: {}\n')
  expect(signFeeds(folder, privateKey)).toEqual(['latest-linux.yml'])
  const signature = readFileSync(join(folder, 'latest-linux.yml.sig'), 'utf8')
  const trust = { keys: [publicKey], installed: '1.0.0', newestSeen: undefined }
  expect(verifyFeed(server.feed, signature, trust)).toMatchObject({ version: '1.1.0' })
  expect(() => verifyFeed(`${server.feed}\n`, signature, trust)).toThrow(/not signed/)
})

test('closing the app does not wait for a running download', async () => {
  const { server, updater, program } = await setUp()
  server.publish('1.1.0', { file: Buffer.alloc(1_000_000, 'x') })
  server.holdPackage = true
  const checking = updater.check()
  await vi.waitFor(() => expect(updater.view().state.kind).toBe('downloading'), { timeout: 60_000 })
  await updater.installOnQuit()
  expect(updater.view().state.kind).toBe('downloading')
  expect(program()).toBe(standIn('1.0.0'))
  server.close()
  await checking
})
