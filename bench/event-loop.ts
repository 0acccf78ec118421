import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { progress, runAlone, type Measurement } from './support/measurement.ts'
import { startServer, type Answer } from './support/model-server.ts'
import { configure, makeScratch } from './support/scratch.ts'
import { cycle } from './support/script.ts'

const STEPS = 50
const CHUNKS = 20_000
const CHUNKS_PER_S = 2000
/** Windows, menus and typing depend on the engine's process in the desktop app: a frame at 60 Hz has 16.7 ms. */
const LIMIT_MS = 50

/**
 * How long the event loop of a process with an engine is blocked: by a turn of 50 steps with tools (after a first turn
 * that loads the code), and by an answer of 20,000 chunks in ten seconds.
 */
export default async function eventLoop(): Promise<Measurement[]> {
  const scratch = makeScratch()
  const steps = cycle(STEPS)
  const server = await startServer((n): Answer | undefined => {
    // Each turn of steps ends with a text answer.
    if (n < 2 * (STEPS + 1)) return steps(n % (STEPS + 1))
    return { text: 'word '.repeat(CHUNKS), chunks: CHUNKS, perSecond: CHUNKS_PER_S }
  })
  try {
    configure(scratch.home, server.baseUrl)
    const program = join(import.meta.dirname, 'support', 'engine-process.ts')
    const child = spawn(process.execPath, [program, scratch.home, scratch.project, '3'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`The engine ended with ${code}.`)
    const [, turn, stream] = JSON.parse(Buffer.concat(output).toString()) as {
      p50: number
      p99: number
      max: number
      events: number
    }[]
    progress(`  turn: ${JSON.stringify(turn)}, stream: ${JSON.stringify(stream)}`)
    return [
      {
        name: `event loop of the engine, ${STEPS} steps: p99`,
        value: turn!.p99,
        unit: 'ms',
        limit: LIMIT_MS,
        note: `median ${turn!.p50} ms, longest ${turn!.max} ms`,
      },
      {
        name: `event loop of the engine, ${CHUNKS} chunks in 10 s: p99`,
        value: stream!.p99,
        unit: 'ms',
        limit: LIMIT_MS,
        note: `median ${stream!.p50} ms, longest ${stream!.max} ms`,
      },
    ]
  } finally {
    await server.close()
    scratch.remove()
  }
}

await runAlone(import.meta.main, eventLoop)
