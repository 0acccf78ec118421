import { createHash } from 'node:crypto'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Launcher } from '../../src/main/engine/place/launcher/launcher'
import { launcherOf } from '../../src/main/engine/place/launchers'
import { createSshShell } from '../../src/main/engine/place/ssh/ssh-launcher'
import { runScript } from '../../src/main/engine/place/launcher/shell-run'
import type { BundlePart } from '../../src/main/engine/place/prepare/bundle'
import { installPart, tidyScript } from '../../src/main/engine/place/prepare/install-bundle'
import { hasSshd, PASSPHRASE, startSshLab, type SshLab } from '../support/place/ssh-lab'
import { rejection } from '../support/required'
import { createScratch, type Scratch } from '../support/scratch'

/** Larger than a pipe buffer, so that a copy can break off in the middle. */
const BYTES = 3 << 20

describe.skipIf(!hasSshd)('a machine behind ssh', () => {
  let lab: SshLab
  let scratch: Scratch
  let part: BundlePart
  let archive: string
  let launcher: Launcher
  const name = 'app-0123456789abcdef'
  const target = () => join(lab.home, '.trestle-server', name)
  const partFile = () => {
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
    return join(lab.home, '.trestle-server', `.part-${name}-${sha256.slice(0, 12)}-abc`)
  }
  const place = (host: string) => ({
    placeId: host,
    launch: { kind: 'ssh' as const, host, configFile: lab.configFile },
    addedAt: 0,
  })
  const reach = (host: string) =>
    launcherOf(place(host), {
      home: scratch.home,
      version: '0.1.0',
      clientId: 'abc',
      bundle: async () => ({ app: part, node: part }),
    })
  const shell = () => createSshShell({ home: scratch.home, launch: place('lab').launch })
  const install = (freeBytes?: number) => installPart(shell(), part, { clientId: 'abc', freeBytes })

  beforeAll(async () => {
    lab = await startSshLab()
    scratch = createScratch({})
    const files = join(scratch.project, 'files')
    mkdirSync(files)
    // Data that does not compress.
    writeFileSync(join(files, 'data'), createHash('shake256', { outputLength: BYTES }).update('x').digest())
    archive = join(scratch.project, 'part.tgz')
    execFileSync('tar', ['-czf', archive, '-C', files, 'data'])
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
    part = {
      name,
      version: '0.1.0',
      bytes: BYTES,
      archive: async () => ({ path: archive, bytes: statSync(archive).size, sha256 }),
    }
    launcher = reach('lab')
  })
  beforeEach(() => {
    lab.configure()
    rmSync(join(lab.home, '.trestle-server'), { recursive: true, force: true })
  })
  afterAll(async () => {
    await launcher.stop()
    await lab.close()
    scratch.remove()
  })

  it('gets a copy that is whole, and only for its user', async () => {
    await install()
    expect(statSync(join(target(), 'data')).size).toBe(BYTES)
    expect(readFileSync(join(target(), '.complete'), 'utf8')).toBe('0.1.0\n')
    expect(statSync(join(lab.home, '.trestle-server')).mode & 0o077).toBe(0)
    expect(readdirSync(join(lab.home, '.trestle-server'))).toEqual([name])
    expect((await launcher.status()).installed).toEqual([
      expect.objectContaining({ hash: name, version: '0.1.0', isCurrent: true }),
    ])
  })

  it('continues a copy that broke off', async () => {
    mkdirSync(join(lab.home, '.trestle-server'), { mode: 0o700 })
    const half = readFileSync(archive).subarray(0, BYTES / 2)
    writeFileSync(partFile(), half)
    const told: string[] = []
    await installPart(shell(), part, { clientId: 'abc', progress: (text) => told.push(text) })
    expect(told[0]).toMatch(/: (?:50|55)%$/)
    expect(statSync(join(target(), 'data')).size).toBe(BYTES)
  })

  it('copies again after a damaged or partly unpacked copy', async () => {
    mkdirSync(join(lab.home, '.trestle-server'), { mode: 0o700 })
    writeFileSync(partFile(), Buffer.alloc(BYTES / 2, 'wrong'))
    mkdirSync(target())
    writeFileSync(join(target(), 'data'), 'half')
    await install()
    expect(statSync(join(target(), 'data')).size).toBe(BYTES)
  })

  it('is told that there is no space before anything is copied', async () => {
    expect(await rejection(install(1000))).toMatchObject({
      code: 'place.no_space',
      message: expect.stringMatching(/^Trestle needs \d+ MB in the home folder there, and 1 MB are free\.$/),
    })
    expect(existsSync(target())).toBe(false)
  })

  it.skipIf(process.getuid?.() !== 0)('says that the disk is full when it gets full during the copy', async () => {
    const small = join(lab.home, '.trestle-server')
    mkdirSync(small, { mode: 0o700 })
    // A file size limit simulates a full disk, because it needs no mount.
    const limited = {
      ...shell(),
      start: (script: string, options?: object) => shell().start(`ulimit -f 1000; trap '' XFSZ; ${script}`, options),
    }
    expect(await rejection(installPart(limited, part, { clientId: 'abc' }))).toMatchObject({ code: 'place.no_space' })
    expect(existsSync(target())).toBe(false)
    // The copied part is kept for the next attempt.
    expect(statSync(partFile()).size).toBeGreaterThan(0)
    await install()
    expect(statSync(join(target(), 'data')).size).toBe(BYTES)
  })

  it('loses versions that are not in use, and keeps the others', async () => {
    await install()
    const old = join(lab.home, '.trestle-server', 'app-ffffffffffffffff')
    mkdirSync(old)
    const { stdout } = await runScript(shell(), tidyScript([name]))
    expect(stdout.trim()).toBe('1')
    expect([existsSync(old), existsSync(target())]).toEqual([false, true])
  })

  it('distinguishes failures of the name, the port, the login, an unknown host key and a changed one', async () => {
    const reason = async (host: string) => (await rejection(reach(host).status())) as { code: string; message: string }
    expect(await reason('nowhere')).toMatchObject({
      code: 'place.unreachable',
      message: expect.stringContaining('There is no host named nowhere'),
    })
    expect(await reason('closed')).toMatchObject({
      code: 'place.unreachable',
      message: expect.stringContaining('no ssh server listens'),
    })
    await launcher.stop()
    lab.configure({ key: 'wrong' })
    expect(await reason('lab')).toMatchObject({
      code: 'place.refused',
      message: expect.stringContaining('it offers publickey'),
    })
    lab.configure({ hostKey: 'unknown' })
    expect(await reason('lab')).toMatchObject({
      code: 'place.host_key',
      message: expect.stringContaining('never connected to lab'),
    })
    lab.configure()
    await lab.changeHostKey()
    expect(await reason('lab')).toMatchObject({
      code: 'place.host_key',
      message: expect.stringContaining('is not the one it had before'),
    })
  })

  it('asks for the passphrase and the host key through the user, once per connection, and stores no answer', async () => {
    await launcher.stop()
    lab.configure({ key: 'with-passphrase', hostKey: 'unknown' })
    const asked: string[] = []
    const answer = async ({ text, kind }: { text: string; kind: string }): Promise<string> => {
      asked.push(`${kind} ${text}`)
      return kind === 'confirm' ? 'yes' : PASSPHRASE
    }
    expect((await launcher.status({ ask: { way: 'user', answer } })).system).toBe('Linux')
    expect(asked).toEqual([
      expect.stringMatching(/^confirm The authenticity of host[^]*fingerprint is SHA256:/),
      expect.stringMatching(/^secret Enter passphrase for key/),
    ])
    // The shared connection asks nothing more.
    expect((await launcher.status()).user).not.toBe('')
    expect(spawnSync('grep', ['-r', PASSPHRASE, scratch.home]).status).toBe(1)
    await launcher.stop()
  })

  it('is not reached when the user cancels what ssh asks', async () => {
    lab.configure({ key: 'with-passphrase' })
    expect(await rejection(launcher.status({ ask: { way: 'user', answer: async () => null } }))).toMatchObject({
      code: 'place.refused',
    })
  })

  it('says that a named program is missing, or that the home folder cannot be written', async () => {
    expect((await runScript(shell(), 'node --version')).exitCode).toBe(127)
    await launcher.stop()
    expect(
      await rejection(
        launcherOf(
          { ...place('lab'), program: '/opt/trestle' },
          { home: scratch.home, version: '0', clientId: 'abc' },
        ).prepare(),
      ),
    ).toMatchObject({
      code: 'place.start_failed',
      message: expect.stringContaining('/opt/trestle'),
    })
    writeFileSync(join(lab.home, '.trestle-server'), 'a file')
    expect(await rejection(install())).toMatchObject({ code: 'place.copy_failed' })
    rmSync(join(lab.home, '.trestle-server'))
  })
})
