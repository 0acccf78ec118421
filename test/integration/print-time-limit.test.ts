import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive } from '../support/marked-pids'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let steps: ((request: RecordedRequest) => ScriptStep | Promise<ScriptStep>)[] = []

beforeEach(async () => {
  scratch = createScratch({ 'a.txt': 'one\n' })
  server = await startModelServer({ script: (request) => steps.shift()?.(request) ?? { text: 'Done.' } })
  writeConfig(scratch.home, configFor(server.baseUrl, { more: UNCONFINED }))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

/** Ensures that a command sees the same process ids as the test. */
const UNCONFINED = '[sandbox]\nmode = "off"\n'
/** Prints its process id and then works until the file `go` is there. */
const SLOW = 'echo $$ > pid; echo started; until [ -e go ]; do sleep 0.1; done; echo over'
const bash = (input: Record<string, unknown>): ScriptStep => ({ toolCalls: [{ name: 'Bash', input }] })
const told = (request: RecordedRequest): string => JSON.stringify(request.body)
const taskOf = (request: RecordedRequest): string => /task_id: (bash-[0-9a-z]{8})/.exec(told(request))![1]!
const print = (...args: string[]): Promise<CliRun> =>
  runCli(['print', 'Do it.', '--cwd', scratch.project, '--permission-mode', 'auto', ...args], { home: scratch.home })

describe('a command that has not ended at its time limit, in print mode', () => {
  it('continues in the background, and the agent can wait for its end', async () => {
    let task = ''
    steps = [
      () => bash({ command: SLOW, timeout: 500 }),
      (request) => {
        task = taskOf(request)
        expect(told(request)).toContain('keeps running in the background')
        return bash({ command: 'touch go' })
      },
      () => ({ toolCalls: [{ name: 'TaskOutput', input: { task_id: task, block: true, timeout: 60 } }] }),
    ]
    const { code, stderr } = await print()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(told(server.requests[3]!)).toMatch(/status: completed.*started.*over/)
  })

  it('is stopped with the program, which says so; the agent is told when the session continues', async () => {
    steps = [
      () => bash({ command: SLOW, timeout: 500 }),
      async () => {
        await until(() => existsSync(join(scratch.project, 'pid')), 'the command to start')
        return { text: 'Done.' }
      },
    ]
    const { code, stderr } = await print()
    expect(code).toBe(0)
    expect(stderr).toMatch(/took longer than its time limit is stopped with this program: bash-[0-9a-z]{8} \(echo \$\$/)
    const pid = Number(readFileSync(join(scratch.project, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(join(scratch.project, 'go'))).toBe(false)
    expect((await print('--continue')).code).toBe(0)
    expect(told(server.requests.at(-1)!)).toMatch(/status: stopped.*The program that ran it has ended/)
  })

  it('is stopped when the settings say so', async () => {
    writeConfig(scratch.home, configFor(server.baseUrl, { more: `${UNCONFINED}[tasks]\nat_time_limit = "stop"\n` }))
    steps = [() => bash({ command: SLOW, timeout: 500 })]
    expect((await print()).code).toBe(0)
    expect(told(server.requests.at(-1)!)).toContain('Timed out: stopped after 0.5 s')
  })
})
