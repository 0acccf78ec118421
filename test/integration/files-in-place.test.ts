import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { hasSmallDisks } from '../support/small-disk'

let scratch: Scratch
let server: ModelServer
let steps: ScriptStep[]

beforeEach(async () => {
  scratch = createScratch({ 'bound.txt': 'one\ntwo\n', 'patched.txt': 'three\n', 'other.txt': 'x\n' })
  server = await startModelServer({ script: () => steps.shift() ?? { text: 'done' } })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const print = (within: (command: readonly string[]) => readonly string[]) =>
  runCli(['print', '--permission-mode', 'auto', '--cwd', scratch.project, 'go'], { home: scratch.home, within })

/** The results of tools in the last request. */
const told = (): string => JSON.stringify(server.requests.at(-1)?.body)

describe.skipIf(!hasSmallDisks)('a file that can be written but not replaced', () => {
  const bound = (folderOption: '--bind' | '--ro-bind') => (command: readonly string[]) => [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    folderOption,
    scratch.project,
    scratch.project,
    ...['bound.txt', 'patched.txt'].flatMap((name) => [
      '--bind',
      join(scratch.project, name),
      join(scratch.project, name),
    ]),
    ...command,
  ]

  it.each(['--bind', '--ro-bind'] as const)(
    'is changed by Edit, Write and apply_patch when the file alone is bind-mounted, in a folder mounted with %s',
    async (folder) => {
      steps = [
        { toolCalls: [{ name: 'Read', input: { path: 'bound.txt' } }] },
        { toolCalls: [{ name: 'Edit', input: { path: 'bound.txt', old_string: 'two', new_string: 'zwei' } }] },
        {
          toolCalls: [{ name: 'Patch', input: { path: 'patched.txt', patches: [{ find: 'three', replace: 'drei' }] } }],
        },
        { toolCalls: [{ name: 'Write', input: { path: 'bound.txt', content: 'short\n' } }] },
        { toolCalls: [{ name: 'Write', input: { path: 'bound.txt', content: 'more\n', mode: 'append' } }] },
      ]
      const inode = statSync(join(scratch.project, 'bound.txt')).ino
      expect(await print(bound(folder))).toMatchObject({ code: 0 })
      expect(told()).not.toMatch(/in use|read-only file system/)
      expect(readFileSync(join(scratch.project, 'bound.txt'), 'utf8')).toBe('short\nmore\n')
      expect(readFileSync(join(scratch.project, 'patched.txt'), 'utf8')).toBe('drei\n')
      expect(statSync(join(scratch.project, 'bound.txt')).ino).toBe(inode)
    },
  )

  it('on a read-only disk is reported as not writable, and nothing changes', async () => {
    steps = [
      { toolCalls: [{ name: 'Read', input: { path: 'other.txt' } }] },
      { toolCalls: [{ name: 'Write', input: { path: 'other.txt', content: 'y\n' } }] },
    ]
    await print(bound('--ro-bind'))
    expect(told()).toContain('other.txt is on a read-only file system')
    expect(readFileSync(join(scratch.project, 'other.txt'), 'utf8')).toBe('x\n')
  })

  it('keeps its old content when the disk is too full for the new one', async () => {
    const disk = join(scratch.project, 'disk')
    const file = join(disk, 'linked.txt')
    steps = [
      { toolCalls: [{ name: 'Read', input: { path: file } }] },
      { toolCalls: [{ name: 'Write', input: { path: file, content: 'new\n'.repeat(40_000) } }] },
    ]
    writeFileSync(join(scratch.home, 'seed.txt'), 'old\n'.repeat(100))
    const script = (command: readonly string[]): string =>
      `cp ${scratch.home}/seed.txt ${file} && ln ${file} ${disk}/second.txt\n` +
      `${command.map((word) => `'${word}'`).join(' ')}\ncat ${disk}/second.txt`
    const run = await print((command) => {
      writeFileSync(join(scratch.home, 'within.sh'), script(command))
      return [
        'bwrap',
        '--dev-bind',
        '/',
        '/',
        '--size',
        '65536',
        '--tmpfs',
        disk,
        'sh',
        join(scratch.home, 'within.sh'),
      ]
    })
    expect(told()).toContain('no space left on the disk')
    expect(run.stdout).toContain('old\n'.repeat(100))
    expect(run.stdout).not.toContain('new')
  })

  it('can be the config file of a container: settings are still saved', async () => {
    const config = join(scratch.home, 'config.toml')
    const run = await runCli(['settings', 'toolSearch.enabled', 'true'], {
      home: scratch.home,
      within: (command) => ['bwrap', '--dev-bind', '/', '/', '--bind', config, config, ...command],
    })
    expect(run).toMatchObject({ code: 0, stdout: 'true\n' })
    expect(readFileSync(config, 'utf8')).toContain('enabled = true')
  })
})
