/**
 * Runs attempts to escape a sandbox, as the current user: `run-attempts.ts FOLDER [NAME]`. Prints one line of JSON for
 * each: `AttemptResult`. A separate process, so that the same suite can also run as an unprivileged user, in a process
 * list that contains only the suite.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { SandboxPolicy } from '../../../src/main/engine/sandbox/sandbox-policy'
import { createTerminalTasks } from '../../../src/main/engine/task/run/in-process-tasks'
import { attemptsOf, type AttemptResult } from './all-attempts'
import type { EscapeAttempt } from './attempt'
import { EscapeWorld } from './escape-world'

const END = 'END-OF-COMMAND'
const MAX_MS = 15_000
/** Number of concurrent attempts, which mostly wait. */
const LANES = 4

const [folder = '', only] = process.argv.slice(2)
const isRoot = process.getuid?.() === 0
const path = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
process.env['ENGINE_SECRET'] = 'SECRET-of-the-engine'

/** Counts connections. */
async function counting(
  listen: (server: Server) => void,
  says = 'REACHED',
): Promise<{ server: Server; count: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {}).end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${says}\n`)
  })
  await new Promise<void>((resolve) => {
    server.once('listening', resolve)
    listen(server)
  })
  return { server, count: () => connections }
}

async function run(attempt: EscapeAttempt, base: string): Promise<AttemptResult> {
  const victim = spawn('/bin/sleep', ['1000'], { stdio: 'ignore', detached: true })
  mkdirSync(base)
  const socketPath = join(base, 'listen.sock')
  const abstract = `trestle-escape-${randomUUID()}`
  const servers = await Promise.all([
    counting((server) => server.listen(0, '0.0.0.0')),
    counting((server) => server.listen(socketPath)),
    counting((server) => server.listen(`\0${abstract}`)),
  ])
  const allowed = await counting((server) => server.listen(0, '127.0.0.1'), 'allowed')
  const port = (server: Server): string => String((server.address() as AddressInfo).port)
  const address = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const world = new EscapeWorld(base, attempt, {
    PATH: path,
    LANG: 'C.UTF-8',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    VICTIM: String(victim.pid),
    PORT: port(servers[0].server),
    ALLOWED: port(allowed.server),
    SOCKET: socketPath,
    ABSTRACT: abstract,
    ADDRESS: address ?? '127.0.0.3',
  })
  const inProject = await counting((server) => server.listen(join(world.project, 'server.sock')))
  servers.push(inProject)

  let turn = 0
  const tasks = createTerminalTasks({
    outputDir: join(world.trestle, 'logs'),
    // A changed environment gets its own sandbox.
    env: () => ({ ...world.commandEnv, ...(attempt.isWarm ? {} : { TURN: String(turn++) }) }),
    graceMs: 200,
  })
  const { level = 'project', network = 'none' } = attempt
  const policy: SandboxPolicy = {
    level,
    network,
    scope: `escape-${base.split('-').at(-1)}`,
    root: world.project,
    folders: [],
    write: [join(world.home, '.cache'), join(world.home, '.npm')],
    read: [],
    protect: [],
    hosts: network === 'listed' ? [`localhost:${port(allowed.server)}`] : [],
    sockets: [],
    home: world.trestle,
    userHome: world.home,
  }
  const run = async (command: string): Promise<string> => {
    try {
      const { text, task } = await tasks.run(
        {
          command: `${command}\necho ${END}`,
          cwd: world.project,
          sandbox: policy,
          timeoutMs: MAX_MS,
          signal: new AbortController().signal,
        },
        200_000,
      )
      return task.status === 'timed_out' ? `${text}\nTIMED OUT` : text
    } catch (error) {
      return `NOT STARTED ${String(error)}`
    }
  }

  const failures: string[] = []
  const first = await run(attempt.command)
  if (!attempt.endsItself && !first.includes(END)) failures.push('did not run to its end')
  if (attempt.between !== undefined) world.outside(attempt.between)
  const later: string[] = []
  for (const command of attempt.next ?? []) {
    const text = await run(command)
    later.push(text)
    if (command.startsWith('echo still') && !text.includes('still works')) failures.push('later commands do not work')
  }
  const output = [first, ...later].join('\n--- next\n')
  if (world.shows(output) || output.includes('SECRET-of-the-engine') || output.includes('SECRET-other-session'))
    failures.push('shows a secret')
  if (servers.some(({ count }) => count() > 0) || output.includes('REACHED')) failures.push('connected')
  const state = /^State:\s+(\S)[^]*^TracerPid:\s+(\d+)/m.exec(readFileSync(`/proc/${victim.pid}/status`, 'utf8'))
  if (victim.exitCode !== null || victim.signalCode !== null || !/^[SR]$/.test(state?.[1] ?? '') || state?.[2] !== '0')
    failures.push('touched a process outside')
  await tasks.close()
  failures.push(...world.changedOutside().map((path) => `outside: ${path}`))
  failures.push(
    ...world
      .changedInside()
      .filter(() => attempt.between === undefined)
      .map((path) => `protected: ${path}`),
  )
  const copied = attempt.between === undefined ? world.copiedSecrets() : []
  failures.push(...copied.map((path) => `copied a secret to ${path}`))
  world.outside(attempt.after ?? '')
  if (world.wasRunOutside) failures.push('had something run outside')
  for (const { server } of [...servers, allowed]) server.close()
  victim.kill('SIGKILL')
  rmSync(base, { recursive: true, force: true })
  return { name: attempt.name, failures, output: output.slice(-4_000) }
}

const attempts = attemptsOf(isRoot).filter(({ name }) => only === undefined || name.includes(only))
let at = 0
await Promise.all(
  Array.from({ length: LANES }, async () => {
    for (let index = at++; index < attempts.length; index = at++) {
      const attempt = attempts[index]!
      const began = Date.now()
      const result = await run(attempt, join(folder, `attempt-${index}`)).catch((error: unknown) => ({
        name: attempt.name,
        failures: [String(error)],
        output: '',
      }))
      writeSync(1, `${JSON.stringify({ ...result, ms: Date.now() - began })}\n`)
    }
  }),
)
process.exit(0)
