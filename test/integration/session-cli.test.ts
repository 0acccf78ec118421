import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RestorePoint, RestorePreview } from '../../src/shared/model/session/checkpoint'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { SessionHeader, SessionSummary } from '../../src/shared/model/session/session'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer
beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'one\r\ntwo\r\n', 'keep.txt': 'mine\n' })
  server = await startModelServer({
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] },
      { toolCalls: [{ name: 'Edit', input: { path: 'notes.md', old_string: 'two', new_string: 'zwei' } }] },
      { text: 'first done' },
      {
        toolCalls: [
          {
            name: 'Bash',
            input: { command: 'rm keep.txt && mkdir -p new/deep && printf made > new/deep/x && chmod 755 notes.md' },
          },
        ],
      },
      { text: 'second done' },
      { text: 'third done' },
    ],
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const file = (name: string): string => join(scratch.project, name)
const read = (name: string): string => readFileSync(file(name), 'utf8')
const session = (...args: string[]) => runCli(['session', ...args], { home: scratch.home })
const json = async <Shape>(...args: string[]): Promise<Shape> => {
  const { stdout, stderr } = await session(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Shape
}
const print = async (...args: string[]): Promise<void> => {
  expect(
    await runCli(['print', ...args, '--permission-mode', 'auto', '--cwd', scratch.project], { home: scratch.home }),
  ).toMatchObject({
    code: 0,
    stderr: '',
  })
}

async function twoTurns(): Promise<string> {
  await print('first')
  await print('second', '--continue')
  expect([read('notes.md'), existsSync(file('keep.txt')), read('new/deep/x')]).toEqual([
    'one\r\nzwei\r\n',
    false,
    'made',
  ])
  const [{ sessionId }] = (await json<SessionSummary[]>('list')) as [SessionSummary]
  return sessionId
}

test('restores to before any message, changes by tools and by commands, with a preview, and undoes it', async () => {
  const id = await twoTurns()
  const { messages } = await json<{ messages: RestorePoint[] }>('show', id)
  expect(messages.map(({ n, text }) => [n, text])).toEqual([
    [1, 'first'],
    [2, 'second'],
  ])
  const dry = await json<RestorePreview & { dryRun: boolean }>('restore', id, '--to', '2', '--files', '--dry-run')
  expect(dry.steps.map(({ action, path }) => `${action} ${path}`).toSorted()).toEqual([
    `change ${file('notes.md')}`,
    `create ${file('keep.txt')}`,
    `delete ${file('new')}`,
    `delete ${file('new/deep')}`,
    `delete ${file('new/deep/x')}`,
  ])
  expect(existsSync(file('keep.txt'))).toBe(false)
  expect(await session('restore', id, '--to', '2', '--files')).toMatchObject({ code: 0, stderr: '' })
  expect([read('notes.md'), read('keep.txt'), existsSync(file('new'))]).toEqual(['one\r\nzwei\r\n', 'mine\n', false])
  expect(await session('restore', id, '--redo')).toMatchObject({ code: 0 })
  expect([existsSync(file('keep.txt')), read('new/deep/x')]).toEqual([false, 'made'])
  expect(await session('restore', id, '--to', '1', '--files')).toMatchObject({ code: 0 })
  expect([read('notes.md'), read('keep.txt'), existsSync(file('new'))]).toEqual(['one\r\ntwo\r\n', 'mine\n', false])
})

test('keeps later changes by other programs, says so, and overwrites them only on request', async () => {
  const id = await twoTurns()
  writeFileSync(file('notes.md'), 'theirs')
  writeFileSync(file('new/deep/theirs'), 'theirs too')
  const first = await session('restore', id, '--to', '1', '--files')
  expect(first.code).toBe(1)
  expect(first.stdout).toContain(`! ${file('notes.md')}: It was changed outside this session.`)
  expect([read('notes.md'), read('new/deep/theirs'), read('keep.txt'), existsSync(file('new/deep/x'))]).toEqual([
    'theirs',
    'theirs too',
    'mine\n',
    false,
  ])
  expect((await session('restore', id, '--to', '1', '--files', '--overwrite')).code).toBe(1)
  expect([read('notes.md'), read('new/deep/theirs')]).toEqual(['one\r\ntwo\r\n', 'theirs too'])
  expect((await session('restore', id, '--redo')).code).toBe(0)
  expect(read('notes.md')).toBe('theirs')
})

test('restores the conversation for the model and in the export, and undoes it', async () => {
  const id = await twoTurns()
  const exported = async (): Promise<RecordedEvent[]> =>
    (await session('export', id, '--json')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedEvent)
  const before = await exported()
  expect(await session('restore', id, '--to', '2', '--conversation')).toMatchObject({ code: 0 })
  expect(read('new/deep/x')).toBe('made')
  const after = await exported()
  expect(after.filter(({ type }) => type === 'turn.started')).toHaveLength(1)
  expect(after.at(-1)).toMatchObject({ type: 'checkpoint.restored' })
  expect((await session('export', id)).stdout).not.toContain('second')
  await print('third', '--session', id)
  const asked = JSON.stringify(server.requests.at(-1)!.body)
  expect([asked.includes('first done'), asked.includes('second done'), asked.includes('third')]).toEqual([
    true,
    false,
    true,
  ])
  await session('restore', id, '--redo')
  expect((await exported()).slice(0, before.length)).toEqual(before)
})

test('a fork has only the conversation before the message, and leaves the files alone', async () => {
  const id = await twoTurns()
  const fork = await json<SessionHeader>('fork', id, '--to', '2')
  expect(fork).toMatchObject({ folder: scratch.project, title: 'first (fork)' })
  expect((await json<{ messages: RestorePoint[] }>('show', fork.sessionId)).messages.map(({ text }) => text)).toEqual([
    'first',
  ])
  await print('third', '--session', fork.sessionId)
  const asked = JSON.stringify(server.requests.at(-1)!.body)
  expect([asked.includes('first done'), asked.includes('second done')]).toEqual([true, false])
  expect((await json<{ messages: RestorePoint[] }>('show', id)).messages).toHaveLength(2)
})

test('reports a wrong command line, and changes nothing', async () => {
  const id = await twoTurns()
  for (const [args, words] of [
    [['restore', id, '--to', '9', '--files'], 'the session has 2 messages'],
    [['restore', id, '--files'], 'needs --to N'],
    [['restore', id, '--to', '1'], 'needs one of --files'],
    [['restore', id, '--redo'], 'nothing was restored'],
    [['restore', 'session-none', '--to', '1', '--files'], 'There is no session session-none'],
    [['show', id.slice(0, -4)], `Did you mean ${id}?`],
    [['export', `${id}0`], `Did you mean ${id}?`],
    [['fork', id.replace('session-', '')], `Did you mean ${id}?`],
    [['show', id, '--to', '1'], '--to cannot be used with show'],
    [['undo'], 'Unknown "undo"'],
  ] as const) {
    const run = await session(...args)
    expect([run.code === 0, run.stderr.includes(words)]).toEqual([false, true])
  }
  expect(read('notes.md')).toBe('one\r\nzwei\r\n')
})
