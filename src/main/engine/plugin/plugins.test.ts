import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { labPlugin, pluginsOf, writeFiles } from '../../../../test/support/plugin-lab'
import type { PluginPlace } from '../../../shared/model/app/plugin'
import { createPluginsOf } from './active-plugins'

const DAY = 24 * 60 * 60 * 1000
let top: string
let home: string
let project: string
let clock: number
let warnings: string[]

beforeEach(() => {
  top = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-plugins-'))
  home = join(top, 'home')
  project = join(top, 'project')
  for (const folder of [home, project]) mkdirSync(folder)
  clock = Date.UTC(2026, 10, 25)
  warnings = []
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const plugins = () => pluginsOf(home, warnings, () => clock)
const active = async (): Promise<string[]> =>
  (await plugins().active(project)).map(({ manifest, content }) => `${manifest.name} ${content.hash}`)

async function accepted(scope: 'user' | 'project', files = labPlugin()): Promise<PluginPlace & { hash: string }> {
  const { actions } = plugins()
  const from = writeFiles(join(top, 'source'), files)
  const { hash, name, folder } = await actions.add({ from, ...(scope === 'project' && { folder: project }) })
  const place = { name, ...(folder !== undefined && { folder }) }
  await actions.accept(place, hash)
  return { ...place, hash }
}

describe.each(['user', 'project'] as const)('a plugin of the %s', (scope) => {
  it('is active only while it is accepted and enabled', async () => {
    const { actions } = plugins()
    const from = writeFiles(join(top, 'source'), labPlugin())
    const { hash, state, ...more } = await actions.add({ from, ...(scope === 'project' && { folder: project }) })
    const place = { name: 'lab', ...(scope === 'project' && { folder: project }) }
    expect([state, more.scope, await active()]).toEqual(['asked', scope, []])
    await expect(actions.setEnabled(place, true)).rejects.toMatchObject({ code: 'plugin.changed' })
    await expect(actions.accept(place, hash.replace(/^./, '-'))).rejects.toMatchObject({ code: 'plugin.changed' })
    expect(await active()).toEqual([])
    await actions.accept(place, hash)
    expect(await active()).toEqual([`lab ${hash}`])
    await actions.setEnabled(place, false)
    expect(await active()).toEqual([])
    await actions.setEnabled(place, true)
    expect(await active()).toEqual([`lab ${hash}`])
  })

  it('is turned off as soon as anything differs on disk, with a warning', async () => {
    const { hash } = await accepted(scope)
    const root = scope === 'user' ? join(home, 'plugins', 'content', hash) : join(project, '.trestle', 'plugins', 'lab')
    const data = join(root, 'data.txt')
    const text = readFileSync(data, 'utf8')
    const { atime, mtime } = statSync(data)
    const changes: [() => void, () => void][] = [
      // The same length and modification time.
      [
        () => (writeFileSync(data, text.toUpperCase()), utimesSync(data, atime, mtime)),
        () => writeFileSync(data, text),
      ],
      [() => writeFileSync(join(root, 'new.txt'), ''), () => rmSync(join(root, 'new.txt'))],
      [() => chmodSync(data, 0o755), () => chmodSync(data, 0o644)],
      [() => rmSync(data), () => writeFileSync(data, text)],
      [() => (rmSync(data), symlinkSync('/etc/hostname', data)), () => (rmSync(data), writeFileSync(data, text))],
    ]
    const { active: one } = plugins()
    for (const [change, back] of changes) {
      expect((await one(project)).map(({ content }) => content.hash)).toEqual([hash])
      change()
      expect(await one(project)).toEqual([])
      expect(await active()).toEqual([])
      back()
    }
    expect(warnings[0]).toContain('The plugin lab has changed since you accepted it, so it is off.')
  })

  it('is restored unchanged, but not after 30 days', async () => {
    const { hash, ...place } = await accepted(scope)
    const { trashId } = await plugins().actions.remove(place)
    expect(await active()).toEqual([])
    expect((await plugins().actions.list(project)).removed).toMatchObject([{ trashId, name: 'lab' }])
    clock += 29 * DAY
    expect((await plugins().actions.restore(trashId)).state).toBe('enabled')
    expect(await active()).toEqual([`lab ${hash}`])
    const again = await plugins().actions.remove(place)
    clock += 31 * DAY
    expect(await plugins().actions.list(project)).toEqual({ plugins: [], removed: [] })
    await expect(plugins().actions.restore(again.trashId)).rejects.toMatchObject({ code: 'plugin.not_found' })
    expect(readdirSync(join(home, 'plugins', 'content'))).toEqual([])
  })

  it('is reviewed with a diff after it has changed', async () => {
    const { hash, ...place } = await accepted(scope)
    writeFiles(join(top, 'source'), { 'data.txt': 'other\u202edata', 'new.bin': '\0' })
    await plugins().actions.update(place)
    const review = await plugins().actions.review(place)
    expect(review.state).toBe('changed')
    expect(review.changes).toMatchObject([
      { file: 'data.txt', change: 'changed', diff: expect.stringContaining('+other\\u{202e}data') },
      { file: 'new.bin', change: 'added', diff: '' },
    ])
    expect(review.hash).not.toBe(hash)
    await plugins().actions.accept(place, review.hash)
    expect(await active()).toEqual([`lab ${review.hash}`])
  })
})

it("shows every hook, server, agent, skill, command and other file, and runs the accepted content from the home's copy", async () => {
  await accepted('project')
  const { parts, counts } = await plugins().actions.review({ name: 'lab', folder: project })
  expect(counts).toEqual({ hook: 13, server: 1, agent: 1, skill: 1, command: 1 })
  expect(new Set(parts.map(({ kind, name }) => (kind === 'hook' ? 'hooks' : `${kind} ${name}`)))).toEqual(
    new Set([
      'hooks',
      'server mcp.json',
      'agent helper.yaml',
      'command /lab:ship',
      'skill lab:trap',
      'file data.txt',
      'file scripts/shout.js',
      'file server.js',
    ]),
  )
  const [plugin] = await plugins().active(project)
  expect(plugin!.root.startsWith(join(home, 'plugins', 'content'))).toBe(true)
  expect(plugin!.hooks.every(({ sandbox }) => sandbox === 'project')).toBe(true)
})

it('refuses folders with links, special, forbidden or reserved names, and incomplete manifests', async () => {
  const refused = async (change: (folder: string) => void, why: string | RegExp): Promise<void> => {
    const folder = writeFiles(mkdtempSync(join(top, 'bad-')), labPlugin())
    change(folder)
    await expect(plugins().actions.add({ from: folder })).rejects.toMatchObject({
      code: 'plugin.refused',
      message: expect.stringMatching(why),
    })
  }
  await refused((folder) => symlinkSync('/etc', join(folder, 'skills', 'out')), /out is a symbolic link/)
  await refused((folder) => symlinkSync('data.txt', join(folder, 'inside')), /inside is a symbolic link/)
  await refused((folder) => writeFileSync(join(folder, 'a\\..\\b'), ''), /not allowed/)
  await refused((folder) => writeFileSync(join(folder, 'a\u202eb'), ''), /not allowed/)
  await refused((folder) => {
    for (let n = 0; n <= 4000; n += 1) mkdirSync(join(folder, `empty-${n}`))
  }, /more than 4000 folders/)
  await refused(
    (folder) =>
      mkdirSync(join(folder, 'skills', '.git')) ?? writeFileSync(join(folder, 'skills', '.git', 'config'), ''),
    /not allowed/,
  )
  for (const name of ['../evil', 'a/b', 'UPPER', 'skills', 'mcp', '', 'a:b', 'x'.repeat(41)])
    await refused(
      (folder) =>
        writeFileSync(
          join(folder, 'plugin.toml'),
          `name = ${JSON.stringify(name)}\nversion = "1"\ndescription = "d"\nauthor = "a"\n`,
        ),
      /name/,
    )
  await refused(
    (folder) => writeFileSync(join(folder, 'plugin.toml'), 'name = "a"\nversion = "1"\ndescription = "d"\n'),
    /author/,
  )
  await refused((folder) => writeFileSync(join(folder, 'plugin.toml'), 'name = '), /plugin\.toml:1/)
  await refused((folder) => rmSync(join(folder, 'plugin.toml')), /no plugin\.toml/)
  expect(await plugins().actions.list(project)).toEqual({ plugins: [], removed: [] })
})

it("lists a project's broken plugin with the reason, and one whose folder has a different name", async () => {
  const at = join(project, '.trestle', 'plugins')
  writeFiles(join(at, 'linked'), labPlugin('linked'))
  symlinkSync('/etc/passwd', join(at, 'linked', 'x'))
  writeFiles(join(at, 'other'), labPlugin('lab'))
  writeFiles(join(top, 'outside'), labPlugin('outside'))
  symlinkSync(join(top, 'outside'), join(at, 'outside'))
  const { plugins: all } = await plugins().actions.list(project)
  expect(all.map(({ name, state, problems }) => [name, state, problems[0]])).toEqual([
    ['linked', 'broken', expect.stringContaining('x is a symbolic link')],
    ['other', 'broken', expect.stringContaining('calls itself lab')],
    ['outside', 'broken', expect.stringContaining('symbolic link')],
  ])
})

it("accepts nothing from a record that is damaged or under another record's name", async () => {
  await accepted('user')
  const folder = join(home, 'plugins', 'records')
  const [file] = readdirSync(folder)
  linkSync(join(folder, file!), join(folder, `${'0'.repeat(40)}.json`))
  rmSync(join(folder, file!))
  expect(await active()).toEqual([])
  writeFileSync(join(folder, file!), '{')
  expect(await active()).toEqual([])
})

it("refuses all changes by an agent's command", async () => {
  const place = { name: 'lab' }
  const { hash } = await accepted('user')
  const { actions } = createPluginsOf({
    home,
    now: () => clock,
    env: () => process.env,
    describeServers: async () => [],
    changed: () => {},
    warn: () => {},
    agentTrace: async () => 'process 7 (bash) is a command of an agent',
  })
  for (const attempt of [
    actions.add({ from: join(top, 'source'), folder: project }),
    actions.update(place),
    actions.accept(place, hash),
    actions.setEnabled(place, true),
    actions.setEnabled(place, false),
    actions.remove(place),
    actions.restore('x'),
  ])
    await expect(attempt).rejects.toMatchObject({ code: 'plugin.not_user' })
  expect((await actions.review(place)).state).toBe('enabled')
})

it('checks only one folder as long as there are no plugins', async () => {
  expect(await plugins().active(project)).toEqual([])
  expect(readdirSync(home)).toEqual([])
})

describe('the files of plugins', () => {
  const contents = (): string[] => readdirSync(join(home, 'plugins', 'content')).toSorted()
  const records = (): string => join(home, 'plugins', 'records')

  it('are kept as long as any record cannot be read, however old they are', async () => {
    const { hash } = await accepted('user')
    const old = clock / 1000 - 10 * 24 * 60 * 60
    utimesSync(join(home, 'plugins', 'content', hash), old, old)
    const [name] = readdirSync(records())
    const record = readFileSync(join(records(), name!), 'utf8')
    writeFileSync(join(records(), name!), record.slice(0, 20))
    await plugins().actions.list()
    expect(contents()).toEqual([hash])
    writeFileSync(join(records(), name!), record)
    expect(await active()).toEqual([`lab ${hash}`])
    // The records cannot be listed.
    renameSync(records(), `${records()}.away`)
    writeFileSync(records(), '')
    await plugins().actions.list()
    expect(contents()).toEqual([hash])
  })

  it('are removed after they have been unused for a day', async () => {
    const { hash, name } = await accepted('user')
    const { trashId } = await plugins().actions.remove({ name })
    const old = clock / 1000 - 10 * 24 * 60 * 60
    utimesSync(join(home, 'plugins', 'content', hash), old, old)
    await plugins().actions.list()
    expect(contents()).toEqual([hash])
    clock += 31 * DAY
    await plugins().actions.list()
    expect(trashId).not.toBe('')
    expect(contents()).toEqual([])
  })

  it('are not overwritten by a plugin with the same name, however many plugins a project has', async () => {
    const folder = join(project, '.trestle', 'plugins')
    for (let n = 0; n < 60; n += 1) mkdirSync(join(folder, `a-${n}`), { recursive: true })
    mkdirSync(join(folder, 'lab'))
    writeFileSync(join(folder, 'lab', 'mine.txt'), 'mine')
    const from = writeFiles(join(top, 'source'), labPlugin())
    await expect(plugins().actions.add({ from, folder: project })).rejects.toMatchObject({ code: 'plugin.taken' })
    expect(readFileSync(join(folder, 'lab', 'mine.txt'), 'utf8')).toBe('mine')
  })

  it('that changed in the project while the new ones were fetched are kept', async () => {
    await accepted('project')
    const mine = join(project, '.trestle', 'plugins', 'lab', 'data.txt')
    // Fetching requests the environment first.
    const env = (): NodeJS.ProcessEnv => {
      writeFileSync(mine, 'mine')
      return process.env
    }
    const { actions } = pluginsOf(home, warnings, () => clock, env)
    await expect(actions.update({ name: 'lab', folder: project })).rejects.toMatchObject({ code: 'plugin.source' })
    expect(readFileSync(mine, 'utf8')).toBe('mine')
  })
})
