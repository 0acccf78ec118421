import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { Placeholders, placeholdersIn } from './placeholders'

const hooks = new URL('../../../../../test/support/ts-hooks.mjs', import.meta.url).href
const source = new URL('./placeholders.ts', import.meta.url).href

async function world(): Promise<{
  records: string
  project: string
  folder: string
  file: { path: string; content: string }
}> {
  const base = await tempFolder()
  const [records, project] = [join(base, 'records'), join(base, 'project')]
  for (const each of [records, project]) mkdirSync(each)
  return {
    records,
    project,
    folder: join(project, '.mcp.json'),
    file: { path: join(project, 'commondir'), content: '.\n' },
  }
}

test('removes its placeholders, except those in use', async () => {
  const { records, project, folder, file } = await world()
  const used = join(project, '.vscode')
  const placeholders = new Placeholders(records)
  placeholders.make([folder, used], [file])
  writeFileSync(join(used, 'settings.json'), '{}')
  placeholders.remove()
  expect(readdirSync(project)).toEqual(['.vscode'])
  placeholders.make([folder], [file])
  writeFileSync(file.path, 'mine')
  placeholders.remove()
  expect(readdirSync(project).toSorted()).toEqual(['.vscode', 'commondir'])
  expect(readdirSync(records)).toEqual([])
})

test('placeholders are distinguished from the project’s own files, even by another process, until they are used', async () => {
  const { records, project, folder, file } = await world()
  new Placeholders(records).make([folder], [file])
  const isPlaceholder = placeholdersIn(records)
  expect([folder, file.path, project, join(project, 'src')].map(isPlaceholder)).toEqual([true, true, false, false])
  writeFileSync(join(folder, 'mine.json'), '{}')
  writeFileSync(file.path, 'mine')
  expect([folder, file.path].map(isPlaceholder)).toEqual([false, false])
  expect(placeholdersIn(join(records, 'missing'))(folder)).toBe(false)
})

test('leaves existing files and folders unchanged', async () => {
  const { records, project, folder, file } = await world()
  writeFileSync(file.path, 'mine')
  const placeholders = new Placeholders(records)
  placeholders.make([folder], [file])
  placeholders.remove()
  expect(readdirSync(project)).toEqual(['commondir'])
})

test.skipIf(process.platform !== 'linux')(
  'what a killed process left is removed when the next one starts',
  async () => {
    const { records, project, folder, file } = await world()
    const program = `import { Placeholders } from ${JSON.stringify(source)}
    new Placeholders(${JSON.stringify(records)}).make(${JSON.stringify([folder])}, ${JSON.stringify([file])})
    process.kill(process.pid, 'SIGKILL')`
    const { signal } = spawnSync(process.execPath, ['--import', hooks, '--input-type=module', '-e', program], {
      timeout: 60_000,
    })
    expect(signal).toBe('SIGKILL')
    expect(readdirSync(project).toSorted()).toEqual(['.mcp.json', 'commondir'])
    expect(new Placeholders(records)).toBeDefined()
    expect(readdirSync(project)).toEqual([])
    expect(readdirSync(records)).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('creates nothing through a folder that was turned into a link', async () => {
  const { records, project } = await world()
  const elsewhere = join(records, '..', 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(project, 'turned'))
  expect(() =>
    new Placeholders(records).make([], [{ path: join(project, 'turned', 'commondir'), content: '' }]),
  ).toThrow('changed')
  expect(readdirSync(elsewhere)).toEqual([])
})

test.skipIf(process.platform !== 'linux')('removes nothing through a folder that was turned into a link', async () => {
  const { records, project } = await world()
  const elsewhere = join(records, '..', 'elsewhere')
  mkdirSync(join(elsewhere, 'hooks'), { recursive: true })
  mkdirSync(join(project, '.git'))
  const placeholders = new Placeholders(records)
  placeholders.make([join(project, '.git', 'hooks')], [])
  renameSync(join(project, '.git'), join(project, 'old'))
  symlinkSync(elsewhere, join(project, '.git'))
  placeholders.remove()
  expect(existsSync(join(elsewhere, 'hooks'))).toBe(true)
})
