import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { gitPath } from '../run/git-path'
import { createKeptContent } from './kept'

const DAY = 86_400_000

async function setUp() {
  const [home, top] = [await tempFolder(), await tempFolder()]
  const clock = { at: 1_800_000_000_000 }
  const kept = createKeptContent({ home, now: () => clock.at })
  const repository = { top, gitDir: join(top, '.git'), commonDir: join(top, '.git'), bare: false }
  return { home, top, clock, kept, repository }
}

describe('what is kept before it is removed', () => {
  test.runIf(process.platform !== 'win32')('is restored with its content, its mode and its links', async () => {
    const { top, kept, repository } = await setUp()
    mkdirSync(join(top, 'sub'))
    writeFileSync(join(top, 'sub/run.sh'), Buffer.from([0, 255, 13, 10]))
    chmodSync(join(top, 'sub/run.sh'), 0o754)
    symlinkSync('nowhere/at all', join(top, 'link'))
    const id = kept.keep(repository, ['sub/run.sh', 'link', 'missing'], 'Discarded')!
    rmSync(join(top, 'sub'), { recursive: true })
    rmSync(join(top, 'link'))
    expect(kept.restore(repository, id)).toEqual({ paths: ['sub/run.sh', 'link'] })
    expect(readFileSync(join(top, 'sub/run.sh'))).toEqual(Buffer.from([0, 255, 13, 10]))
    expect(lstatSync(join(top, 'sub/run.sh')).mode & 0o777).toBe(0o754)
    expect(readlinkSync(join(top, 'link'))).toBe('nowhere/at all')
  })

  test('includes a whole folder, with or without its slash', async () => {
    const { top, kept, repository } = await setUp()
    mkdirSync(join(top, 'new/deep'), { recursive: true })
    writeFileSync(join(top, 'new/deep/a'), 'a')
    writeFileSync(join(top, 'new/b'), 'b')
    for (const path of ['new', 'new/']) {
      const id = kept.keep(repository, [path], 'Discarded')!
      const [found] = kept.list(repository).filter((one) => one.id === id)
      expect(found!.paths.toSorted()).toEqual(['new/b', 'new/deep/a'])
    }
  })

  test('is nothing if the path does not exist', async () => {
    const { home, kept, repository } = await setUp()
    expect(kept.keep(repository, ['missing'], 'Discarded')).toBeUndefined()
    expect(readdirSync(home)).toEqual([])
  })

  test('what a restore replaces is kept too, so that it can be undone', async () => {
    const { top, kept, repository } = await setUp()
    writeFileSync(join(top, 'a'), 'first')
    const first = kept.keep(repository, ['a'], 'Discarded')!
    writeFileSync(join(top, 'a'), 'second')
    const { kept: second } = kept.restore(repository, first)
    expect(readFileSync(join(top, 'a'), 'utf8')).toBe('first')
    kept.restore(repository, second!)
    expect(readFileSync(join(top, 'a'), 'utf8')).toBe('second')
  })

  test('a folder that replaced a file stays, and nothing is restored', async () => {
    const { top, kept, repository } = await setUp()
    writeFileSync(join(top, 'a'), 'a')
    writeFileSync(join(top, 'b'), 'b')
    const id = kept.keep(repository, ['a', 'b'], 'Discarded')!
    rmSync(join(top, 'a'))
    rmSync(join(top, 'b'))
    mkdirSync(join(top, 'b'))
    expect(() => kept.restore(repository, id)).toThrow('A folder has taken the place of b.')
    expect(existsSync(join(top, 'a'))).toBe(false)
  })

  test('a folder with its own repository is refused', async () => {
    const { home, top, kept, repository } = await setUp()
    mkdirSync(join(top, 'new/inner/.GIT'), { recursive: true })
    expect(() => kept.keep(repository, ['new'], 'Discarded')).toThrow(
      expect.objectContaining({ code: 'git.nested', message: 'new/inner holds a repository of its own.' }),
    )
    expect(existsSync(join(home, 'git'))).toBe(false)
  })

  test('nothing is restored through a link that was put in its way', async () => {
    const { top, kept, repository } = await setUp()
    const outside = await tempFolder()
    mkdirSync(join(top, 'sub'))
    writeFileSync(join(top, 'sub/a'), 'a')
    const id = kept.keep(repository, ['sub/a'], 'Discarded')!
    rmSync(join(top, 'sub'), { recursive: true })
    symlinkSync(outside, join(top, 'sub'))
    expect(() => kept.restore(repository, id)).toThrow('is not a path in the repository')
    expect(readdirSync(outside)).toEqual([])
  })

  test.runIf(process.platform === 'linux')('a name and a link that are not text keep their bytes', async () => {
    const { top, kept, repository } = await setUp()
    const file = Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0x61])])
    symlinkSync(Buffer.from([0xfe, 0x62]), file)
    const id = kept.keep(repository, [gitPath('\xffa')], 'Discarded')!
    rmSync(file)
    kept.restore(repository, id)
    expect(readlinkSync(file, 'buffer')).toEqual(Buffer.from([0xfe, 0x62]))
  })
})

describe('the list of what is kept', () => {
  test('has only this repository’s copies, latest first, and none older than 30 days', async () => {
    const { top, clock, kept, repository } = await setUp()
    writeFileSync(join(top, 'a'), 'a')
    const old = kept.keep(repository, ['a'], 'old')!
    clock.at += 20 * DAY
    kept.keep(repository, ['a'], 'newer')
    const other = { ...repository, top: await tempFolder() }
    expect(kept.list(repository).map(({ reason }) => reason)).toEqual(['newer', 'old'])
    expect(kept.list(other)).toEqual([])
    clock.at += 11 * DAY
    kept.keep(repository, ['a'], 'newest')
    expect(kept.list(repository).map(({ reason }) => reason)).toEqual(['newest', 'newer'])
    expect(() => kept.restore(repository, old)).toThrow('no longer kept')
  })

  test('leaves out damaged entries, and rejects ids that are paths', async () => {
    const { home, top, kept, repository } = await setUp()
    writeFileSync(join(top, 'a'), 'a')
    const id = kept.keep(repository, ['a'], 'Discarded')!
    const [folder] = readdirSync(join(home, 'git/kept'))
    expect(() => kept.restore(repository, `../${folder}/${id}`)).toThrow('no longer kept')
    writeFileSync(join(home, 'git/kept', folder!, id, 'meta.json'), '{')
    expect(kept.list(repository)).toEqual([])
  })
})
