import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { homeKey, heartbeatFile } from '../process/process-tag'
import { agentTrace, type ProcessFacts } from './agent-trace'
import type { ProcessEntry } from '../process/proc-files'

const PROGRAM = join(import.meta.dirname, '../../../../out/main/cli.js')

let home: string
let processes: Map<number, ProcessEntry>
let known: Map<number, ProcessFacts>

beforeEach(async () => {
  home = await tempFolder()
  mkdirSync(join(home, 'run'))
  ;[processes, known] = [new Map(), new Map()]
  put(1, 0, { name: 'init', user: 0 })
})

/** A process that started at the time of its pid, unless specified. */
function put(
  pid: number,
  parent: number,
  {
    name = 'bash',
    environment = [],
    words = [],
    user = 1000,
    session = pid,
    started = pid,
  }: Partial<ProcessFacts & Pick<ProcessEntry, 'name' | 'session' | 'started'>> = {},
): void {
  const rest = { group: pid, foreground: -1, program: 0, state: 'S', cpuMs: 0, memoryBytes: 0 }
  processes.set(pid, { pid, parent, name, session, started, ...rest })
  known.set(pid, { environment, words, user })
}

const trace = (pid: number, orphans = true): Promise<string | undefined> =>
  agentTrace({ home, pid, orphans, table: processes, facts: ({ pid: each }) => known.get(each)! })
const trestle = () => ({ name: 'node', words: [PROGRAM], environment: [`TRESTLE_HOME=${home}`] })
const supervisor = (of: string) => [`TRESTLE_CUSTODY=${homeKey(of)}:10:10`]

describe('a process is the user’s', () => {
  it('in a terminal opened before Trestle, and in the shell that started Trestle', async () => {
    put(10, 1, { name: 'gnome-terminal-' })
    put(20, 10)
    put(30, 20, trestle())
    put(40, 20, trestle())
    put(50, 10)
    put(60, 50, trestle())
    expect(await Promise.all([trace(40), trace(60)])).toEqual([undefined, undefined])
  })

  it('after a system login, at any time', async () => {
    put(10, 1, trestle())
    put(20, 1, { name: 'sshd', user: 0 })
    put(30, 20)
    put(40, 30, trestle())
    expect(await trace(40)).toBeUndefined()
  })

  it('in a new terminal while no Trestle of this home is running', async () => {
    put(10, 1, { ...trestle(), environment: ['TRESTLE_HOME=/elsewhere'] })
    put(20, 1, { name: 'xterm' })
    put(30, 20, trestle())
    expect(await trace(30)).toBeUndefined()
  })

  it.each(['timeout', 'env', 'sudo', 'bash', 'strace'])(
    'when %s started it, even though its arguments name Trestle',
    async (launcher) => {
      put(10, 1, { name: 'sshd', user: 0 })
      put(20, 10)
      put(30, 20, { ...trestle(), name: launcher, words: [`/usr/bin/${launcher}`, launcher, '60', PROGRAM] })
      put(40, 30, trestle())
      expect(await trace(40)).toBeUndefined()
      put(20, 10, { environment: supervisor(home) })
      expect(await trace(40)).toContain('process 20')
    },
  )

  it("in a command of an agent that uses another home, as when Trestle's own tests run", async () => {
    put(10, 1, { environment: ['TRESTLE_TASK=bash-1', ...supervisor('/elsewhere')] })
    put(20, 10, trestle())
    expect(await trace(20)).toBeUndefined()
  })
})

describe('a process belongs to an agent', () => {
  it('when any ancestor has the tag, whatever its own environment says', async () => {
    put(10, 1, { environment: supervisor(home) })
    put(20, 10)
    put(30, 20, { environment: ['TRESTLE_TASK=', ...supervisor('/elsewhere')] })
    expect(await trace(30)).toContain('process 10')
  })

  it('when it has a malformed tag', async () => {
    put(10, 1, { environment: ['TRESTLE_TASK=x'] })
    put(20, 1, { environment: ['TRESTLE_CUSTODY=nonsense'] })
    expect([await trace(10), await trace(20)]).toEqual([expect.any(String), expect.any(String)])
  })

  it.skipIf(process.platform === 'win32')('when the processes could not be listed', async () => {
    expect(await agentTrace({ home, table: new Map() })).toContain('could not be determined')
  })

  it('when its session leader belongs to one', async () => {
    put(10, 1, { environment: supervisor(home) })
    put(20, 1, { session: 10 })
    expect(await trace(20)).toContain('process 10')
  })

  it('when Trestle, or its task host, started it', async () => {
    put(10, 1, trestle())
    put(20, 10)
    put(30, 1, { name: 'node' })
    writeFileSync(heartbeatFile(home, { host: hostname(), pid: 30 }), '')
    put(40, 30)
    expect([await trace(20), await trace(40)]).toEqual([
      expect.stringContaining('process 10'),
      expect.stringContaining('process 30'),
    ])
  })

  it('when a task host that runs from the copy in the home started it', async () => {
    const copy = join(home, 'runtime', '1.0.0-0123')
    put(10, 1, {
      name: 'trestle-node',
      words: [join(copy, 'bin', 'trestle-node'), join(copy, 'app', 'out', 'main', 'task-host.js'), home],
    })
    put(20, 10)
    expect(await trace(20)).toContain('started it')
  })

  it('when the system adopted it while an older Trestle was running, unless orphans are excluded', async () => {
    put(5, 1, { name: 'systemd' })
    put(10, 5, trestle())
    for (const adopter of [1, 5]) {
      put(20, adopter, { name: 'tmux: server' })
      put(30, 20)
      put(40, 30, trestle())
      expect(await trace(40)).toContain('process 20 (tmux: server)')
      expect(await trace(40, false)).toBeUndefined()
    }
  })
})
