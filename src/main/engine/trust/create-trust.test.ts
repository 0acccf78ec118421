import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectSettings } from './project-settings'
import { DEFAULT_SETTINGS } from '../config/settings/settings'
import { createTrust } from './create-trust'
import { describeServerFile } from '../mcp/config/describe-server'

let base: string
let folder: string
let home: string
let told: string[]
const rule = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = "${pattern}"\n`
const config = (at = folder): string => join(at, '.trestle', 'config.toml')
const write = (text: string): void => writeFileSync(config(), text)
const trust = () =>
  createTrust({ describeServers: describeServerFile, home, now: () => 7, notify: (changed) => told.push(changed) })
const inForce = async (at = folder): Promise<string[]> =>
  (await projectSettings(at, DEFAULT_SETTINGS, home)).settings.permission.rules.map(
    ({ decision, pattern }) => `${decision} ${pattern}`,
  )
const entryFile = (): string => join(home, 'trust', readdirSync(join(home, 'trust'))[0]!)

async function accept(): Promise<void> {
  await trust().accept(folder, (await trust().view(folder)).hash)
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-trust-')))
  folder = join(base, 'project')
  home = join(base, 'home')
  told = []
  mkdirSync(join(folder, '.trestle'), { recursive: true })
  mkdirSync(home)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('asks nothing for a project without configuration files', async () => {
  expect(await trust().view(folder)).toEqual({ folder, state: 'nothing', parts: [], hash: '' })
  expect(await trust().view(join(base, 'gone'))).toMatchObject({ state: 'nothing' })
})

test('rules have no effect until the user accepts them; then all of them apply', async () => {
  write(
    `${rule('allow', 'Bash(npm *)')}${rule('deny', 'Bash(rm *)')}${rule('deny', 'Bsh')}[tools]\n` +
      'disabled = ["Write"]\n[loop]\nmax_steps = 3\n',
  )
  const view = await trust().view(folder)
  expect(view).toMatchObject({ folder, state: 'asked' })
  expect(view.parts).toEqual([
    {
      kind: 'rules',
      file: config(),
      lines: [
        'allow Bash(npm *)',
        'deny Bash(rm *)',
        'switch off the tool Write',
        'at most 3 steps a turn',
        expect.stringMatching(/^line 9: .*did you mean Bash/),
      ],
    },
  ])
  expect(await projectSettings(folder, DEFAULT_SETTINGS, home)).toMatchObject({
    settings: DEFAULT_SETTINGS,
    problems: [],
  })
  expect(await trust().accept(folder, view.hash)).toMatchObject({ state: 'trusted', hash: view.hash })
  expect(await inForce()).toEqual(['allow Bash(npm *)', 'deny Bash(rm *)', 'deny Bsh'])
  expect(told).toEqual([folder])
  expect(statSync(entryFile()).mode & 0o777).toBe(0o600)
  expect(await trust().list()).toEqual([{ folder, acceptedAt: 7 }])
})

test('does not accept a file that changed or became a link since it was shown', async () => {
  write(rule('deny', 'Bash(rm *)'))
  const { hash } = await trust().view(folder)
  write(rule('allow', 'Bash'))
  await expect(trust().accept(folder, hash)).rejects.toMatchObject({ code: 'trust.changed' })
  await expect(trust().refuse(folder, hash)).rejects.toMatchObject({ code: 'trust.changed' })
  const elsewhere = join(folder, 'elsewhere.toml')
  writeFileSync(elsewhere, rule('deny', 'Bash(rm *)'))
  rmSync(config())
  symlinkSync(elsewhere, config())
  await expect(trust().accept(folder, hash)).rejects.toMatchObject({ code: 'trust.changed' })
  expect(await inForce()).toEqual([])
  expect((await trust().view(folder)).parts[0]!.lines[0]).toBe(`It is a link to ${elsewhere}`)
  await accept()
  expect(await inForce()).toEqual(['deny Bash(rm *)'])
  writeFileSync(elsewhere, rule('allow', 'Bash'))
  expect(await inForce()).toEqual(['deny Bash(rm *)'])
})

test('asks again with a diff after a change; until then, the accepted rules still restrict, but allow nothing', async () => {
  write(rule('allow', 'Bash(npm *)') + rule('deny', 'Bash(rm *)'))
  await accept()
  write(rule('allow', 'Bash'))
  const view = await trust().view(folder)
  expect(view.state).toBe('changed')
  expect(view.parts[0]!.diff).toMatch(/--- a\/\.trestle\/config\.toml[\s\S]*-decision = "deny"/)
  expect(await inForce()).toEqual(['deny Bash(rm *)'])
  expect(await trust().refuse(folder, view.hash)).toMatchObject({ state: 'refused' })
  expect(await inForce()).toEqual(['deny Bash(rm *)'])
  write(rule('allow', 'Bash(npm *)') + rule('deny', 'Bash(rm *)'))
  expect((await trust().view(folder)).state).toBe('trusted')
})

test('a refused file has no effect, and is not asked about again until it changes', async () => {
  write(rule('deny', 'Bash'))
  await trust().refuse(folder, (await trust().view(folder)).hash)
  expect((await trust().view(folder)).state).toBe('refused')
  expect(await inForce()).toEqual([])
  write(rule('deny', 'Write'))
  expect((await trust().view(folder)).state).toBe('asked')
  await accept()
  await trust().refuse(folder, (await trust().view(folder)).hash)
  expect(await inForce()).toEqual([])
  expect(await trust().list()).toEqual([])
})

test('trust applies to one folder, not to its subfolders or a copy', async () => {
  write(rule('allow', 'Bash'))
  await accept()
  for (const other of [join(folder, 'sub'), join(base, 'copy')]) {
    mkdirSync(join(other, '.trestle'), { recursive: true })
    writeFileSync(config(other), rule('allow', 'Bash'))
    expect((await trust().view(other)).state).toBe('asked')
    expect(await inForce(other)).toEqual([])
  }
  symlinkSync(folder, join(base, 'link'))
  expect(await trust().view(join(base, 'link'))).toMatchObject({ folder, state: 'trusted' })
  await trust().forget(join(base, 'link'))
  expect((await trust().view(folder)).state).toBe('asked')
  await expect(trust().forget(join(base, 'never'))).resolves.toBeUndefined()
})

test.each(['', '{', '[]', '{"folder":"/other","accepted":{}}', '\u0000'])(
  'a damaged record trusts nothing, is reported and is kept: %j',
  async (text) => {
    write(rule('allow', 'Bash'))
    await accept()
    const file = entryFile()
    writeFileSync(file, text)
    expect(await trust().view(folder)).toMatchObject({ state: 'asked', problem: expect.stringContaining(file) })
    expect(await inForce()).toEqual([])
    expect((await projectSettings(folder, DEFAULT_SETTINGS, home)).problems).toEqual([
      expect.objectContaining({ file }),
    ])
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(await trust().list()).toEqual([])
    await accept()
    expect(await inForce()).toEqual(['allow Bash'])
    const kept = readdirSync(join(home, 'trust')).find((name) => name.includes('damaged'))
    expect(readFileSync(join(home, 'trust', kept!), 'utf8')).toBe(text)
  },
)

test("the home folder's file is the user's own, and nothing to trust; a folder inside Trestle's is treated like any other", async () => {
  const own = join(base, '.trestle')
  mkdirSync(own)
  writeFileSync(join(own, 'config.toml'), rule('allow', 'Bash'))
  expect(
    await createTrust({ describeServers: describeServerFile, home: own, now: () => 0, notify: () => undefined }).view(
      base,
    ),
  ).toMatchObject({
    state: 'nothing',
  })
  const scratch = join(home, 'scratch')
  mkdirSync(join(scratch, '.trestle'), { recursive: true })
  writeFileSync(config(scratch), rule('allow', 'Bash'))
  expect(await trust().view(scratch)).toMatchObject({ state: 'asked' })
})

test('a file that does not parse can be viewed, and makes everything ask once it is trusted', async () => {
  write('[tools\n')
  expect((await trust().view(folder)).parts[0]!.lines).toEqual([expect.stringMatching(/^line 1: /)])
  expect(await inForce()).toEqual([])
  await accept()
  expect((await projectSettings(folder, DEFAULT_SETTINGS, home)).settings.permission.rules).toEqual([
    expect.objectContaining({ decision: 'ask', mistake: expect.any(String) }),
  ])
})

test('a Trestle started by an agent can neither grant nor revoke trust', async () => {
  write(rule('allow', 'Bash'))
  const agents = createTrust({
    describeServers: describeServerFile,
    home,
    now: () => 7,
    notify: () => undefined,
    agentTrace: async () => 'process 5 started it',
  })
  const { hash } = await agents.view(folder)
  await expect(agents.accept(folder, hash)).rejects.toMatchObject({ code: 'trust.not_user' })
  await accept()
  await expect(agents.forget(folder)).rejects.toMatchObject({ code: 'trust.not_user' })
  await expect(agents.refuse(folder, hash)).rejects.toMatchObject({ code: 'trust.not_user' })
  expect(await inForce()).toEqual(['allow Bash'])
})
