import { expect, it, onTestFinished, vi } from 'vitest'
import type { FileDiagnostic } from './file-diagnostic'
import type { LanguageServer } from './language-server'
import type { ServerPool } from './server-pool'
import { SessionDiagnostics } from './session-diagnostics'

const NEVER = new AbortController().signal
const ERROR: FileDiagnostic = { line: 2, column: 3, message: 'wrong', source: 'ts 1' }
const file = (path: string, write: boolean) => ({ accesses: [{ kind: 'file' as const, path, write }], failed: false })
const state = { kind: 'file' as const, hash: 'h', size: 1, mode: 0o644 }

/** A pool whose server answers when the test tells it to. */
function slowPool(): {
  pool: ServerPool
  asked: string[]
  answers: ((errors: FileDiagnostic[]) => void)[]
  onDisk: unknown[]
  opened: string[]
} {
  const asked: string[] = []
  const opened: string[] = []
  const onDisk: unknown[] = []
  const answers: ((errors: FileDiagnostic[]) => void)[] = []
  const server: Pick<LanguageServer, 'errorsOf' | 'open' | 'changedOnDisk'> = {
    errorsOf(path) {
      asked.push(path)
      return new Promise((resolve) => answers.push(resolve))
    },
    open: (path) => void opened.push(path),
    changedOnDisk: (changes) => void onDisk.push(...changes),
  }
  const pool: ServerPool = {
    serverFor: async () => server as LanguageServer,
    running: () => [server as LanguageServer],
    close: async () => {},
  }
  return { pool, asked, answers, onDisk, opened }
}

const answered = async (answers: unknown[], count: number): Promise<void> => {
  while (answers.length < count) await Promise.resolve()
}

it('reports late errors after a later step, which does not wait again', async () => {
  const { pool, answers } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 1)
  session.ran(file('/p/a.ts', true))
  expect(await session.report(NEVER)).toBeUndefined()
  const began = performance.now()
  const patient = new SessionDiagnostics('/p', pool, 60_000)
  expect(await patient.report(NEVER)).toBeUndefined()
  expect(await session.report(NEVER)).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(30_000)
  await answered(answers, 1)
  answers[0]!([ERROR])
  await Promise.resolve()
  await Promise.resolve()
  expect(await session.report(NEVER)).toBe('Errors in files you just changed:\na.ts:2:3 wrong (ts 1)')
  expect(await session.report(NEVER)).toBeUndefined()
})

it('waits once for a server that does not answer, and still waits for servers of other languages', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const [answering, silent] = [slowPool(), slowPool()]
  const serverFor: ServerPool['serverFor'] = (root, path) =>
    (path.endsWith('.ts') ? silent : answering).pool.serverFor(root, path)
  const session = new SessionDiagnostics('/p', { ...answering.pool, serverFor }, 2_000)
  session.ran(file('/p/a.ts', true))
  const first = session.report(NEVER)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await first).toBeUndefined()
  // Time stands still from here on: a report that waits for that server would never arrive.
  session.ran(file('/p/a.ts', true))
  expect(await session.report(NEVER)).toBeUndefined()
  session.ran(file('/p/b.py', true))
  const second = session.report(NEVER)
  await answered(answering.answers, 1)
  answering.answers[0]!([ERROR])
  expect(await second).toContain('b.py:2:3 wrong')
})

it('reports nothing about a file that was deleted before its errors arrived', async () => {
  const { pool, answers } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 60_000)
  session.ran(file('/p/a.ts', true))
  await answered(answers, 1)
  answers[0]!([ERROR])
  const changes = [{ path: '/p/a.ts', before: state, after: { kind: 'absent' as const } }]
  session.ran({ accesses: [{ kind: 'command', command: 'rm a.ts', cwd: '/p' }], changes, failed: false })
  expect(await session.report(NEVER)).toBeUndefined()
})

it('reports a file that changed twice once, in its final state', async () => {
  const { pool, answers } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 60_000)
  session.ran(file('/p/a.ts', true))
  session.ran(file('/p/a.ts', true))
  await answered(answers, 2)
  answers[1]!([])
  answers[0]!([ERROR])
  expect(await session.report(NEVER)).toBeUndefined()
})

it('checks only files of a known language in the session’s folder, and opens files that are read', async () => {
  const { pool, asked, opened, answers } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 60_000)
  for (const path of ['/other/a.ts', '/p/notes.md', '/p/b.py']) session.ran(file(path, true))
  session.ran(file('/p/c.go', false))
  await answered(answers, 1)
  expect(asked).toEqual(['/p/b.py'])
  await expect.poll(() => opened).toEqual(['/p/c.go'])
})

it('notifies servers of files changed by a command without checking them, and ignores failed edits', async () => {
  const { pool, asked, onDisk } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 60_000)
  const changes = [
    { path: '/p/a.ts', before: state, after: { ...state, hash: 'i' } },
    { path: '/p/b.ts', before: state, after: { kind: 'absent' as const } },
    { path: '/p/c.ts', before: { kind: 'absent' as const }, after: state },
  ]
  session.ran({ accesses: [{ kind: 'command', command: 'make', cwd: '/p' }], changes, failed: false })
  session.ran({ ...file('/p/a.ts', true), failed: true })
  expect(await session.report(NEVER)).toBeUndefined()
  expect(asked).toEqual([])
  expect(onDisk).toEqual([
    { path: '/p/a.ts', kind: 'changed' },
    { path: '/p/b.ts', kind: 'deleted' },
    { path: '/p/c.ts', kind: 'created' },
  ])
})

it('checks every file of a call that changes several, like apply_patch', async () => {
  const { pool, answers, asked } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 60_000)
  const paths = ['/p/a.ts', '/p/b.ts', '/p/gone.ts']
  session.ran({
    accesses: paths.map((path) => ({ kind: 'file' as const, path, write: true })),
    changes: [
      { path: paths[0]!, before: { kind: 'absent' }, after: state },
      { path: paths[1]!, before: state, after: { ...state, hash: 'i' } },
      { path: paths[2]!, before: state, after: { kind: 'absent' } },
    ],
    failed: false,
  })
  await answered(answers, 2)
  for (const answer of answers) answer([ERROR])
  expect(asked).toEqual(paths.slice(0, 2))
  expect(await session.report(NEVER)).toContain('a.ts:2:3 wrong (ts 1)\nb.ts:2:3 wrong (ts 1)')
})

it('does not wait for a server in a stopped turn', async () => {
  const { pool } = slowPool()
  const session = new SessionDiagnostics('/p', pool, 600_000)
  session.ran(file('/p/a.ts', true))
  const stop = new AbortController()
  const report = session.report(stop.signal)
  stop.abort()
  expect(await report).toBeUndefined()
})
