import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import type { TaskHostProgram } from '../../src/main/engine/task/client/host-connector'
import { createTaskSupervisor, type HomeTaskSupervisor } from '../../src/main/engine/task/client/create-task-supervisor'
import { SUPERVISOR_VARIABLE } from '../../src/main/engine/process/process-tag'
import type { TaskEnd } from '../../src/main/engine/task/task-supervisor'
import { createScratch, type Scratch } from '../support/scratch'
import { endHosts, openSupervisor, sourceTaskHost } from '../support/source-task-host'
import { withoutWatches } from '../support/system-limits'

let scratch: Scratch
let supervisor: HomeTaskSupervisor | undefined
beforeEach(() => {
  scratch = createScratch()
})
afterEach(async () => {
  await supervisor?.close()
  await endHosts(scratch.home)
  scratch.remove()
})

/** A program that is not a task host, and records each start. */
function noHost(ending: string): { program: string[]; starts: () => number } {
  const [path, note] = [join(scratch.home, 'no-host'), join(scratch.home, 'starts')]
  writeFileSync(path, `#!/bin/sh\necho start >>'${note}'\n${ending}\n`)
  chmodSync(path, 0o755)
  return { program: [path], starts: () => (existsSync(note) ? readFileSync(note, 'utf8').split('\n').length - 1 : 0) }
}

function open(program: TaskHostProgram): {
  notices: string[]
  logged: string[]
  run(command: string): Promise<TaskEnd>
} {
  const env = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: scratch.home })
  const [notices, logged]: [string[], string[]] = [[], []]
  const opened = createTaskSupervisor({
    home: scratch.home,
    program,
    interactive: true,
    env,
    settings: () => DEFAULT_SETTINGS.tasks,
    local: createTerminalTasks({ outputDir: join(scratch.home, 'tasks'), env }),
    log: (message) => logged.push(message),
  })
  opened.onNotice((text) => notices.push(text))
  supervisor = opened
  const signal = new AbortController().signal
  return {
    notices,
    logged,
    run: (command) => opened.terminals.run({ command, cwd: scratch.project, timeoutMs: null, signal }, 1000),
  }
}

const background = (command: string): Promise<unknown> =>
  supervisor!.start({ command, cwd: scratch.project, timeoutMs: null })

describe('when the task host cannot start', () => {
  test('commands still run, the user is told why once, and it is logged', async () => {
    const { program, starts } = noHost('echo "this is not a host" >&2; exit 3')
    const { notices, logged, run } = open({ program })
    supervisor!.terminals.warm()
    const ends = await Promise.all(Array.from({ length: 5 }, (_, at) => run(`echo ${at}`)))
    expect(ends.map(({ text }) => text.trim())).toEqual(['0', '1', '2', '3', '4'])
    expect((await run('echo more')).text).toContain('more')
    expect(notices).toEqual([
      expect.stringMatching(/cannot go to the background.*could not be started: this is not a host\.$/),
    ])
    expect(logged).toEqual([expect.stringContaining('this is not a host')])
    expect(starts()).toBe(1)
  })

  test('a background command tries again, and reports why it cannot run', async () => {
    const { program, starts } = noHost('exit 0')
    const { run } = open({ program })
    await run('true')
    await expect(background('true')).rejects.toMatchObject({
      code: 'task.host_unavailable',
      message: expect.stringContaining('ended with 0'),
    })
    expect(starts()).toBe(2)
  })

  test('a program that lacks permission to run is named, with the likely cause', async () => {
    const { program } = noHost('exit 0')
    chmodSync(program[0]!, 0o644)
    const { notices, run } = open({ program })
    expect((await run('echo works')).text).toContain('works')
    expect(notices).toEqual([expect.stringContaining('no-host cannot be run (is its disk mounted noexec?)')])
  })

  test('the user is told the reason when a prerequisite is missing', async () => {
    const { notices, run } = open({
      program: async () => {
        throw new CodedError('task.host_unavailable', 'The disk is full.')
      },
    })
    expect((await run('echo works')).text).toContain('works')
    expect(notices).toEqual([expect.stringContaining('The disk is full.')])
  })

  test('commands run in it again once it can start', async () => {
    let isBroken = true
    const { notices, run } = open({
      program: async () => (isBroken ? noHost('exit 1').program : (sourceTaskHost.program as string[])),
    })
    const inHost = `[ -n "$${SUPERVISOR_VARIABLE}" ] && echo in the host || echo here`
    expect((await run(inHost)).text.trim()).toBe('here')
    isBroken = false
    await background('true')
    expect((await run(inHost)).text.trim()).toBe('in the host')
    expect(notices).toHaveLength(1)
  })
})

test('a host that another process starts is found, even if the system has no watches left', async () => {
  await withoutWatches(async () => {
    const found: string[] = []
    supervisor = openSupervisor(scratch.home)
    supervisor.onChange(({ command }) => found.push(command))
    await supervisor.begin()
    const other = openSupervisor(scratch.home)
    try {
      await other.start({ command: 'sleep 1000', cwd: scratch.project, timeoutMs: null })
      await expect.poll(() => found, { timeout: 60_000 }).toContain('sleep 1000')
    } finally {
      await other.close()
    }
  })
})
