import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let root: string
let record: string
beforeEach(() => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'moved-guards-')))
  root = join(scratch, 'project')
  record = join(scratch, 'guards.json')
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'sub/.env'), 'KEY=1')
})
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }))

/** The modules as in a new process, with no remembered guards. */
async function newProcess() {
  vi.resetModules()
  const [{ scanProject }, guards] = await Promise.all([import('./project-state'), import('./moved-guards')])
  return { scanProject, ...guards }
}

const openFilesIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

describe.skipIf(process.platform !== 'linux')('guards that were moved', () => {
  it('finds a secret that was moved with its folder to where a scan does not look', async () => {
    const { scanProject } = await newProcess()
    expect(scanProject(root).secrets).toEqual([join(root, 'sub/.env')])
    renameSync(join(root, 'sub'), join(root, 'node_modules/sub'))
    expect(scanProject(root).secrets).toEqual([join(root, 'node_modules/sub/.env')])
    // Another secret at the old path makes no difference.
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'sub/.env'), '')
    expect(scanProject(root).secrets.toSorted()).toEqual(
      [join(root, 'node_modules/sub/.env'), join(root, 'sub/.env')].toSorted(),
    )
  })

  it('finds a moved repository’s settings, and reserves the missing ones', async () => {
    const { scanProject } = await newProcess()
    mkdirSync(join(root, 'lib/.git/hooks'), { recursive: true })
    writeFileSync(join(root, 'lib/.git/config'), '')
    const before = scanProject(root)
    renameSync(join(root, 'lib'), join(root, 'node_modules/lib'))
    const after = scanProject(root)
    const moved = (paths: readonly string[]): string[] =>
      paths.map((path) => path.replace(`${root}/lib/`, `${root}/node_modules/lib/`)).toSorted()
    expect([...new Set(after.protectedPaths)].toSorted()).toEqual(moved(before.protectedPaths))
    expect([...new Set(after.pinned)].toSorted()).toEqual(moved(before.pinned))
    expect(after.reservedFiles.map(({ path }) => path).toSorted()).toEqual(
      moved(before.reservedFiles.map(({ path }) => path)),
    )
  })

  it('lets another process find it through the record', async () => {
    const first = await newProcess()
    first.loadGuards(root, record)
    first.scanProject(root)
    first.saveGuards(root, record)
    renameSync(join(root, 'sub'), join(root, 'node_modules/sub'))
    const second = await newProcess()
    expect(second.scanProject(root).secrets).toEqual([])
    second.loadGuards(root, record)
    expect(second.scanProject(root).secrets).toEqual([join(root, 'node_modules/sub/.env')])
    second.saveGuards(root, record)
    renameSync(join(root, 'node_modules/sub'), join(root, 'node_modules/other'))
    const third = await newProcess()
    third.loadGuards(root, record)
    expect(third.scanProject(root).secrets).toEqual([join(root, 'node_modules/other/.env')])
  })

  it.each(['', 'null', '[{"kind":"x"}]', '[{"kind":"secrets","path":"/etc/passwd","device":1,"inode":1}]', '[1'])(
    'takes nothing from the damaged record %j',
    async (text) => {
      writeFileSync(record, text)
      const { loadGuards, scanProject } = await newProcess()
      loadGuards(root, record)
      expect(scanProject(root).secrets).toEqual([join(root, 'sub/.env')])
    },
  )

  it('works without a record that cannot be read or written', async () => {
    const { loadGuards, saveGuards, scanProject } = await newProcess()
    mkdirSync(record)
    loadGuards(root, record)
    expect(scanProject(root).secrets).toEqual([join(root, 'sub/.env')])
    saveGuards(root, record)
    expect(readdirSync(join(root, '..')).toSorted()).toEqual(['guards.json', 'project'])
  })

  it('keeps the target of a link hidden after the link was removed', async () => {
    const { scanProject } = await newProcess()
    writeFileSync(join(root, 'values'), 'KEY=2')
    symlinkSync('../values', join(root, 'sub/.env.local'))
    scanProject(root)
    rmSync(join(root, 'sub/.env.local'))
    expect(scanProject(root).secrets).toContain(join(root, 'values'))
  })

  it.each<[string, () => void]>([
    ['deleted', () => rmSync(join(root, 'sub/.env'))],
    ['renamed by the user', () => renameSync(join(root, 'sub/.env'), join(root, 'sub/example.txt'))],
    ['moved out of the project', () => renameSync(join(root, 'sub'), join(root, '../sub'))],
    [
      'replaced by an editor',
      () => {
        writeFileSync(join(root, 'sub/new'), 'KEY=2')
        renameSync(join(root, 'sub/new'), join(root, 'sub/.env'))
      },
    ],
  ])('closes what was %s', async (_how, change) => {
    const { scanProject } = await newProcess()
    scanProject(root)
    expect(openFilesIn(root)).toEqual([join(root, 'sub/.env')])
    change()
    const { secrets } = scanProject(root)
    expect(openFilesIn(join(root, '..'))).toEqual(secrets)
  })

  it('keeps files open for a limited number of projects', async () => {
    const { scanProject } = await newProcess()
    const above = join(root, '..')
    for (let index = 0; index < 40; index += 1) {
      const project = join(above, `project-${index}`)
      mkdirSync(join(project, 'sub'), { recursive: true })
      writeFileSync(join(project, 'sub/.env'), '')
      scanProject(project)
    }
    expect(openFilesIn(above).length).toBeLessThanOrEqual(16)
  })

  it('keeps a limited number of files open, including those found first', async () => {
    const { scanProject } = await newProcess()
    scanProject(root)
    for (let index = 0; index < 1_100; index += 1) {
      mkdirSync(join(root, `more-${index}`))
      writeFileSync(join(root, `more-${index}/.env`), '')
    }
    // Each scan has a time limit, and gets further than the one before.
    while (scanProject(root).incomplete);
    expect(scanProject(root).secrets).toHaveLength(1_101)
    expect(openFilesIn(root)).toHaveLength(1_000)
    renameSync(join(root, 'sub'), join(root, 'node_modules/sub'))
    expect(scanProject(root).secrets).toContain(join(root, 'node_modules/sub/.env'))
  })

  it('keeps nothing open that commands cannot move', async () => {
    const { scanProject } = await newProcess()
    rmSync(join(root, 'sub'), { recursive: true })
    mkdirSync(join(root, '.git/hooks'), { recursive: true })
    for (const name of ['.env', '.git/config', '.git/HEAD']) writeFileSync(join(root, name), '')
    expect(scanProject(root).protectedPaths).toContain(join(root, '.git/hooks'))
    expect(openFilesIn(root)).toEqual([])
  })
})
