import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SUPERVISOR_VARIABLE, supervisorTag, homeKey } from '../../src/main/engine/process/process-tag'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { SandboxPolicy } from '../../src/main/engine/sandbox/sandbox-policy'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { killTagged } from '../../src/main/engine/process/kill/kill-processes'
import { endOrphans, findOrphans } from '../../src/main/engine/task/client/orphans'
import { UsageMeter } from '../../src/main/engine/task/host/usage-meter'
import type { TaskUsage } from '../../src/shared/model/task/task'
import { markedPids } from '../support/marked-pids'

let home: string
let taskId: string
let count = 0
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-usage-')))
  taskId = `bash-usage${count++}-${process.pid}`
})
afterEach(async () => {
  await killTagged([taskId], 0)
  rmSync(home, { recursive: true, force: true })
})

function start(command: string, supervisor = supervisorTag(home)): void {
  const env = { ...process.env, TRESTLE_TASK: taskId, [SUPERVISOR_VARIABLE]: supervisor }
  spawn('bash', ['-c', command], { cwd: home, env, stdio: 'ignore', detached: true }).unref()
}

/** A sandbox without a network beyond its own loopback. */
function sandboxOf(folder: string): SandboxPolicy {
  const [root, ownHome, userHome] = ['project', 'user/.trestle', 'user'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [root, ownHome]) mkdirSync(each, { recursive: true })
  const nothing = { folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
  return { level: 'project', network: 'none', scope: 'usage', root, ...nothing, home: ownHome, userHome }
}

const node = JSON.stringify(process.execPath)

describe('usage', () => {
  const meter = new UsageMeter()
  const measured = (holds: (usage: TaskUsage) => void): Promise<void> =>
    vi.waitFor(
      async () => {
        const usage = (await meter.measure()).get(taskId)
        expect(usage).toBeDefined()
        holds(usage!)
      },
      { timeout: 60_000, interval: 200 },
    )

  test('counts the CPU time of the whole tree, and of a process that left it', async () => {
    start(`setsid bash -c 'while :; do :; done' & sleep 100`)
    await measured(({ cpu, processes }) => {
      expect(processes.length).toBeGreaterThanOrEqual(2)
      expect(cpu).toBeGreaterThan(10)
      expect(cpu).toBeLessThan(130)
    })
  })

  test('counts the memory of the whole tree', async () => {
    start(
      `${node} -e "global.kept=Buffer.alloc(100e6,1);setInterval(()=>{},1e6)" & ` +
        `${node} -e "global.kept=Buffer.alloc(100e6,1);setInterval(()=>{},1e6)"`,
    )
    await measured(({ memoryBytes }) => {
      expect(memoryBytes).toBeGreaterThan(200e6)
      expect(memoryBytes).toBeLessThan(450e6)
    })
  })

  test('names the ports of a server, IPv4 and IPv6, and of one started by another program', async () => {
    start(
      `${node} -e "require('net').createServer().listen(0,'127.0.0.1')" & sh -c ` +
        `'${process.execPath} -e "require(\\"net\\").createServer().listen(0,\\"::1\\")"; true'`,
    )
    await measured(({ ports, processes }) => {
      expect(ports.map(({ address }) => address).toSorted()).toEqual(['127.0.0.1', '::1'])
      expect(ports.every(({ pid }) => processes.some((process) => process.pid === pid))).toBe(true)
    })
  })

  test.skipIf(sandboxSupport().kind === 'none')(
    'names the port of a server in a sandbox once it is reachable, and not one that another program uses',
    { timeout: 180_000 },
    async () => {
      const taken = spawn(process.execPath, [
        '-e',
        `require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })`,
      ])
      const other = Number(((await once(taken.stdout, 'data')) as [Buffer])[0].toString())
      const tasks = createTerminalTasks({
        outputDir: join(home, 'tasks'),
        home,
        env: () => ({ PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }),
      })
      const stop = new AbortController()
      const listen = (port: number): string =>
        `require('net').createServer((client) => client.end('inside')).listen(${port},'127.0.0.1')`
      const command = `${node} -e "${listen(other)}" & ${node} -e "${listen(0)}"`
      const sandbox = sandboxOf(home)
      const ended = tasks.run(
        {
          command,
          cwd: join(home, 'project'),
          timeoutMs: 60_000,
          signal: stop.signal,
          sandbox,
        },
        1_000,
      )
      try {
        let ports: TaskUsage['ports'] = []
        await vi.waitFor(
          async () => {
            ports = [...(await meter.measure()).values()].flatMap((usage) => usage.ports)
            expect(ports).toHaveLength(1)
          },
          { timeout: 60_000, interval: 200 },
        )
        expect(ports[0]!.address).toBe('127.0.0.1')
        expect(ports[0]!.port).not.toBe(other)
        const client = connect(ports[0]!.port, '127.0.0.1')
        const [answer] = (await once(client, 'data')) as [Buffer]
        client.destroy()
        expect(answer.toString()).toBe('inside')
      } finally {
        stop.abort()
        await ended.catch(() => undefined)
        await tasks.close()
        taken.kill()
      }
    },
  )

  test('of an ended task covers the processes it left running', async () => {
    start('setsid sleep 100 & exit')
    await measured(({ processes }) => expect(processes.map(({ command }) => command)).toEqual(['sleep 100']))
    await killTagged([taskId], 0)
    expect((await meter.measure()).has(taskId)).toBe(false)
  })
})

describe('orphans', () => {
  const dead = (): string => `${homeKey(home)}:${process.pid}:1`
  const running = (): Promise<void> =>
    vi.waitFor(() => expect(markedPids([taskId]).length).toBe(2), { timeout: 60_000, interval: 20 })

  test('are processes whose supervisor is dead, even if its pid was reused; they can be ended one by one or all at once', async () => {
    start('sleep 1001 & sleep 1002 & wait; :', dead())
    const orphans = await vi.waitFor(
      async () => {
        const found = await findOrphans(home)
        expect(found.map(({ command }) => command)).toEqual(expect.arrayContaining(['sleep 1001', 'sleep 1002']))
        return found
      },
      { timeout: 60_000, interval: 20 },
    )
    expect(orphans.map((orphan) => orphan.taskId)).toEqual([taskId, taskId, taskId])
    const sleeper = orphans.find(({ command }) => command === 'sleep 1001')!
    expect(Math.abs(sleeper.startedAt - Date.now())).toBeLessThan(120_000)
    expect(await endOrphans(home, [sleeper.pid], 500)).toBe(1)
    expect((await findOrphans(home)).map(({ command }) => command)).not.toContain('sleep 1001')
    await endOrphans(home, undefined, 500)
    expect(markedPids([taskId])).toEqual([])
  })

  test.each([
    ['of a running supervisor', () => supervisorTag(home)],
    ['of another home', () => `${homeKey(`${home}2`)}:${process.pid}:1`],
    ['with an unreadable supervisor tag', () => 'nonsense'],
  ])('exclude processes %s', async (_name, supervisor) => {
    start('sleep 1000 & wait; :', supervisor())
    await running()
    expect(await findOrphans(home)).toEqual([])
    expect(await endOrphans(home, undefined, 100)).toBe(0)
    expect(await endOrphans(home, markedPids([taskId]), 100)).toBe(0)
    expect(markedPids([taskId]).length).toBe(2)
  })
})
