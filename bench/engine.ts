import '../test/support/ts-hooks.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { startServer } from './support/model-server.ts'
import { configure, makeScratch, type Scratch } from './support/scratch.ts'

const CLI = join(import.meta.dirname, '..', 'out', 'main', 'cli.js')
const RUNS = 10
const IDLE_MS = 60_000
const CLIENTS = 8
/** A long answer at the speed of a fast model. */
const STREAM = { chunks: 2000, perSecond: 100, text: 'word '.repeat(2000) }

/**
 * The engine of a home: attaching, printing through it compared with printing alone, and its cost when idle and with
 * eight clients.
 */
export default async function engine(): Promise<Measurement[]> {
  const scratch = makeScratch()
  const server = await startServer(() => undefined)
  const stream = await startServer(() => STREAM)
  configure(scratch.home, server.baseUrl)
  try {
    const start = async (): Promise<number> => {
      const child = trestle(scratch, ['engine'])
      await once(child.stdout, 'data')
      return child.pid!
    }
    const [joined, alone]: [number[], number[]] = [[], []]
    const firstRequest = async (args: string[]): Promise<number> => {
      const before = server.arrivals.length
      const startedAt = performance.now()
      const child = trestle(scratch, ['print', 'go', '--cwd', scratch.project, ...args])
      child.stdin.end()
      await once(child, 'close')
      return server.arrivals[before]!.at - startedAt
    }
    let pid = await start()
    await firstRequest([])
    await firstRequest(['--own-process'])
    for (let run = 0; run < RUNS; run += 1) {
      joined.push(await firstRequest([]))
      alone.push(await firstRequest(['--own-process']))
    }
    const attach: number[] = []
    for (let run = 0; run < RUNS; run += 1) attach.push(await timed(() => call(scratch, 'engine.status')))
    process.kill(pid, 'SIGTERM')
    await gone(pid)
    progress(`  print joined: ${joined.map(Math.round).join(' ')} ms, alone: ${alone.map(Math.round).join(' ')} ms`)

    pid = await start()
    await wait(3000)
    const before = cpuMs(pid)
    await wait(IDLE_MS)
    const idle = ((cpuMs(pid) - before) / IDLE_MS) * 100
    const idleMb = rssMb(pid)
    process.kill(pid, 'SIGTERM')
    await gone(pid)

    configure(scratch.home, stream.baseUrl)
    pid = await start()
    const share = await streamToClients(scratch, pid)
    process.kill(pid, 'SIGTERM')
    await gone(pid)
    const ratio = median(joined) / median(alone)
    return [
      {
        name: 'attach until the first answer',
        value: round(median(attach), 0),
        unit: 'ms',
        limit: 500,
        note: `median of ${RUNS}`,
      },
      {
        name: 'start to first request, joined',
        value: round(median(joined), 0),
        unit: 'ms',
        note: `median of ${RUNS}`,
      },
      {
        name: 'start to first request, own process',
        value: round(median(alone), 0),
        unit: 'ms',
        note: 'in turns with it',
      },
      { name: 'joined, in parts of own process', value: round(ratio * 100, 0), unit: '%', limit: 60 },
      { name: 'idle engine (RSS)', value: round(idleMb, 1), unit: 'MB', limit: 90 },
      {
        name: 'idle engine, of a core',
        value: round(idle, 2),
        unit: '%',
        limit: 0.2,
        note: `over ${IDLE_MS / 1000} s`,
      },
      {
        name: `${CLIENTS} clients follow one answer, of a core`,
        value: round(share, 1),
        unit: '%',
        limit: 30,
        note: `${STREAM.perSecond} chunks a second`,
      },
    ]
  } finally {
    await server.close()
    await stream.close()
    scratch.remove()
  }
}

/** Processor time of the engine, in percent of a core, while it sends one streamed answer to eight clients. */
async function streamToClients(scratch: Scratch, pid: number): Promise<number> {
  const { sessionId } = (await call(scratch, 'session.create', { folder: scratch.project })) as { sessionId: string }
  const clients = Array.from({ length: CLIENTS }, () => {
    const child = trestle(scratch, ['wire', '--attach'])
    child.stdin.write(`${JSON.stringify({ id: 1, method: 'push.session', input: { sessionId, since: 0 } })}\n`)
    child.stdout.resume()
    return child
  })
  await Promise.all(clients.map((client) => once(client.stdout, 'data')))
  const [before, since] = [cpuMs(pid), performance.now()]
  await call(scratch, 'session.prompt', { sessionId, parts: [{ type: 'text', text: 'go' }] })
  await wait((STREAM.chunks / STREAM.perSecond) * 1000 * 0.9)
  const share = ((cpuMs(pid) - before) / (performance.now() - since)) * 100
  for (const client of clients) client.stdin.end()
  await Promise.all(clients.map((client) => once(client, 'close')))
  return share
}

/** One call over `trestle wire --attach`, from process start to the response. */
async function call(scratch: Scratch, method: string, input?: object): Promise<unknown> {
  const child = trestle(scratch, ['wire', '--attach'])
  child.stdin.write(`${JSON.stringify({ id: 1, method, input })}\n`)
  let out = ''
  for await (const chunk of child.stdout) {
    out += String(chunk)
    if (out.split('\n').length > 2) break
  }
  child.stdin.end()
  const { result } = JSON.parse(out.split('\n')[1]!) as { result: unknown }
  return result
}

function trestle(scratch: Scratch, args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TRESTLE_HOME: scratch.home, TRESTLE_KEY_STORE: 'file' }
  return spawn(process.execPath, [...(args[0] === 'engine' ? ['--max-semi-space-size=2'] : []), CLI, ...args], { env })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await wait(20)
  }
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

await runAlone(import.meta.main, engine)
