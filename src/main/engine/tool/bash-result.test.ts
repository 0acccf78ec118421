import { describe, expect, test } from 'vitest'
import type { Task } from '../../../shared/model/task/task'
import type { TaskEnd } from '../task/task-supervisor'
import { backgroundResult, foregroundResult } from './bash-result'
import type { ToolResult } from './tool'

const task = (more: Partial<Task> = {}): Task => ({
  taskId: 'bash-00000001',
  command: 'npm test',
  cwd: '/p',
  status: 'completed',
  background: false,
  startedAt: 1,
  outputPath: '/h/tasks/bash-00000001.log',
  outputBytes: 0,
  ...more,
})
const ended = (more: Partial<Task>, end: Partial<TaskEnd> = {}): TaskEnd => ({
  task: task(more),
  text: '',
  totalChars: 0,
  truncated: false,
  durationMs: 500,
  leftRunning: [],
  notes: [],
  ...end,
})
const textOf = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join()
const told = (end: TaskEnd, more: { timeoutMs?: number; interactive?: boolean; canAnswer?: boolean } = {}): string =>
  textOf(foregroundResult(end, { timeoutMs: 60_000, interactive: true, canAnswer: true, ...more }))

describe('what the model reads about a command', () => {
  test.each([
    [{ status: 'completed', exitCode: 0 }, 'ok\n\n', 500, 'ok'],
    [{ status: 'completed', exitCode: 0 }, '  \n', 500, 'The command succeeded and printed no output.'],
    [{ status: 'completed', exitCode: 0 }, 'ok', 65_000, 'ok\n[Took 65 s]'],
    [{ status: 'failed', exitCode: 1 }, '', 500, 'It printed no output.\nExit code 1'],
    [{ status: 'failed', exitCode: 127 }, 'x', 500, 'x\nExit code 127 (command not found)'],
    [{ status: 'failed', exitCode: 126 }, 'x', 500, 'x\nExit code 126 (found but cannot be executed)'],
    [{ status: 'failed', exitCode: 137 }, 'x', 20_000, 'x\nExit code 137 (ended by SIGKILL) (after 20 s)'],
    [{ status: 'failed', exitCode: 128 }, 'x', 500, 'x\nExit code 128'],
    [{ status: 'failed', exitCode: 255 }, 'x', 500, 'x\nExit code 255'],
    [{ status: 'failed', signal: 'SIGSEGV' }, 'x', 500, 'x\nEnded by SIGSEGV.'],
    [{ status: 'stopped' }, 'x', 500, 'x\nStopped by the user after 0.5 s.'],
    [{ status: 'lost' }, 'x', 500, 'x\nLost after 0.5 s. Check what it did before you run it again.'],
  ] as const)('that ended with %j after it printed %j', (more, text, durationMs, expected) => {
    expect(told(ended(more, { text, durationMs }))).toBe(expected)
  })

  test('that was too slow says how to give it more time, unless it had the maximum', () => {
    const end = ended({ status: 'timed_out' }, { text: 'x' })
    expect(told(end)).toContain(
      'stopped after 60 s, with everything it had started. If it needs more time, give a longer',
    )
    expect(told(end, { timeoutMs: 300_000 })).toContain('If it needs more time, do less in one command.')
  })

  test('that asked at its terminal says how to keep it from asking, and never what was typed', () => {
    const waited = { text: 'Password:\u001b[0m ', typed: true }
    expect(told(ended({ waited }, { text: 'x' }))).toContain(
      'the user typed an answer there, which is not shown to you',
    )
    const unanswered = ended({ status: 'timed_out', waited: { text: 'Go?', typed: false } }, { text: 'x' })
    const text = told(unanswered, { canAnswer: false })
    expect(text).toContain('"Go?". No user is available to type, so it waited until it timed out: run it so that')
    expect(text).not.toContain('give a longer timeout')
  })

  test('that left processes running names some of them', () => {
    const leftRunning = Array.from({ length: 7 }, (_, at) => ({
      pid: at + 1,
      command: `server ${at}`,
    })) as TaskEnd['leftRunning']
    const text = told(ended({}, { leftRunning, notes: ['No terminal.'] }))
    expect(text).toBe(
      'It printed no output.\n[No terminal.]\n' +
        '[Still running in the background: 1 (server 0), 2 (server 1), 3 (server 2), ' +
        '4 (server 3), 5 (server 4), 2 more]',
    )
  })

  test('that keeps running in the background says where, and how its end is reported', () => {
    const end = ended({ status: 'running', pid: 7 }, { moved: 'at_time_limit', text: 'so far' })
    expect(told(end)).toMatch(
      /^so far\nIt had not ended after 60 s and keeps running in the background\.\ntask_id: bash/,
    )
    expect(told(end)).toContain('pid: 7')
    expect(told(end, { interactive: false })).toContain('It is stopped when the turn ends.')
    expect(told({ ...end, moved: 'by_user' })).toContain('The user moved this command')
  })

  test('is an error only when the command did not succeed', () => {
    const isError = (status: Task['status']): boolean =>
      foregroundResult(ended({ status }), { timeoutMs: 1, interactive: true, canAnswer: true }).isError === true
    expect((['completed', 'running', 'failed', 'stopped', 'timed_out', 'lost'] as const).map(isError)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ])
  })
})

test('a command in the background says whether it has a time limit', () => {
  expect(textOf(backgroundResult(task({ status: 'running' }), true))).toContain('It runs without a time limit.')
  const limited = textOf(backgroundResult(task({ status: 'running', timeoutMs: 600_000 }), true, 'A note.'))
  expect(limited).toContain('\nA note.\nIt is stopped after 10 min if it still runs.')
})
