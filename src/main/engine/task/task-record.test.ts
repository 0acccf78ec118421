import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { Task } from '../../../shared/model/task/task'
import { identityOf } from '../process/process-identity'
import {
  foregroundLog,
  markLost,
  readRecord,
  removeOld,
  taskFolder,
  taskIds,
  writeRecord,
  type TaskRecord,
} from './task-record'

const DAY = 86_400_000
const NOW = 1_800_000_000_000
const KEEP = { keepDays: 7, keepTasks: 100 }

async function setUp() {
  const home = await tempFolder()
  const record = (taskId: string, more: Partial<Task> = {}): TaskRecord => ({
    version: 1,
    host: identityOf(process.pid),
    task: {
      taskId,
      command: 'sleep 1',
      cwd: '/',
      status: 'completed',
      background: true,
      startedAt: 1,
      outputPath: join(taskFolder(home, taskId), 'output.log'),
      outputBytes: 0,
      ...more,
    },
  })
  return { home, record }
}

describe('the record of a task', () => {
  test('is read as last written, and leaves no other file behind', async () => {
    const { home, record } = await setUp()
    writeRecord(home, record('bash-00000001', { status: 'running' }))
    writeRecord(home, record('bash-00000001', { status: 'failed', exitCode: 3 }))
    expect((await readRecord(home, 'bash-00000001'))!.task).toMatchObject({ status: 'failed', exitCode: 3 })
    expect(readdirSync(taskFolder(home, 'bash-00000001'))).toEqual(['task.json'])
  })

  test.each([
    ['', 'bash-00000001'],
    ['{"version":1', 'bash-00000001'],
    ['null', 'bash-00000001'],
    ['{"version":2,"task":{"taskId":"bash-00000001","status":"running","startedAt":1},"host":{}}', 'bash-00000001'],
    ['{"version":1,"task":{"taskId":"bash-00000002","status":"running","startedAt":1},"host":{}}', 'bash-00000001'],
    ['{"version":1,"task":null,"host":{}}', 'bash-00000001'],
  ])('is not read if it is damaged or belongs to another task: %s', async (text, taskId) => {
    const { home } = await setUp()
    mkdirSync(taskFolder(home, taskId), { recursive: true })
    writeFileSync(join(taskFolder(home, taskId), 'task.json'), text)
    expect(await readRecord(home, taskId)).toBeUndefined()
  })

  test('is never looked for outside the folder of tasks', async () => {
    const { home, record } = await setUp()
    writeRecord(home, record('bash-00000001'))
    mkdirSync(join(home, 'tasks', 'other'))
    for (const id of ['..', '../tasks/bash-00000001', 'bash-1', 'BASH-00000001', ''])
      expect(await readRecord(home, id)).toBeUndefined()
    expect(await taskIds(home)).toEqual(['bash-00000001'])
    expect(await taskIds(join(home, 'none'))).toEqual([])
  })

  test('of a task whose host has died says so, and no longer waits for an answer', async () => {
    const { home, record } = await setUp()
    const running = record('bash-00000001', {
      status: 'running',
      prompt: { text: 'Password:', since: 1 },
    })
    writeRecord(home, running)
    writeFileSync(running.task.outputPath, 'so far')
    expect(await markLost(home, running)).toMatchObject({ status: 'lost', outputBytes: 6 })
    const { task } = (await readRecord(home, 'bash-00000001'))!
    expect(task).toMatchObject({ status: 'lost', stopReason: 'The task host that ran it has exited.' })
    expect(task).not.toHaveProperty('prompt')
  })
})

describe('old tasks', () => {
  test('are removed with their logs by age, but never while they are running', async () => {
    const { home, record } = await setUp()
    writeRecord(home, record('bash-000old01', { endedAt: NOW - 8 * DAY }))
    writeRecord(home, record('bash-000new01', { endedAt: NOW - 6 * DAY }))
    writeRecord(home, record('bash-000run01', { status: 'running' }))
    for (const id of ['bash-000old01', 'bash-000new01', 'bash-0000log1', 'bash-0000log2']) {
      writeFileSync(foregroundLog(home, id), 'x')
      const at = (NOW - (id === 'bash-0000log1' ? 8 : 1) * DAY) / 1_000
      utimesSync(foregroundLog(home, id), at, at)
    }
    expect(await removeOld(home, KEEP, NOW)).toEqual(['bash-000old01'])
    expect(readdirSync(join(home, 'tasks')).toSorted()).toEqual([
      'bash-0000log2.log',
      'bash-000new01',
      'bash-000new01.log',
      'bash-000run01',
    ])
  })

  test('beyond the limit are removed, starting with those that ended first', async () => {
    const { home, record } = await setUp()
    for (const [at, id] of ['bash-0000000b', 'bash-0000000a', 'bash-0000000c'].entries())
      writeRecord(home, record(id, { endedAt: NOW - at }))
    expect(await removeOld(home, { ...KEEP, keepTasks: 2 }, NOW)).toEqual(['bash-0000000c'])
  })

  test('without a record are removed by the time their folder was last changed', async () => {
    const { home } = await setUp()
    for (const [id, days] of [
      ['bash-0000000a', 8],
      ['bash-0000000b', 6],
    ] as const) {
      mkdirSync(taskFolder(home, id), { recursive: true })
      utimesSync(taskFolder(home, id), (NOW - days * DAY) / 1_000, (NOW - days * DAY) / 1_000)
    }
    expect(await removeOld(home, KEEP, NOW)).toEqual(['bash-0000000a'])
    expect(existsSync(taskFolder(home, 'bash-0000000b'))).toBe(true)
  })
})
