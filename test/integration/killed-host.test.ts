import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import type { RecordedEvent } from '../../src/shared/events/event'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, startCli } from '../support/run-cli'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

/** How often the host is killed; TRESTLE_KILLS=200 for the full count. */
const KILLS = Number(process.env['TRESTLE_KILLS'] ?? (RUNS_ALL ? 12 : 6))

let scratch: Scratch
let server: ModelServer
afterEach(async () => {
  await server.close()
  scratch.remove()
})

/** Kills a running task at a random moment; returns the recorded events it had reported. */
async function killedRun(ms: number): Promise<RecordedEvent[]> {
  const child = startCli(
    ['print', 'work', '--cwd', scratch.project, '--permission-mode', 'auto', '--output-format', 'stream-json'],
    {
      home: scratch.home,
    },
  )
  child.stdin.end()
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  const gone = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), gone])
  setTimeout(() => child.kill('SIGKILL'), ms)
  await gone
  // The last line may be incomplete; every complete one was reported after it was stored.
  const whole = out.slice(0, out.lastIndexOf('\n'))
  return whole.split('\n').flatMap((line) => {
    const event = JSON.parse(line) as RecordedEvent
    return 'seq' in event ? [event] : []
  })
}

it(
  'loses nothing it reported, damages nothing, and can continue, however it is killed',
  async () => {
    scratch = createScratch({ 'a.txt': 'one\ntwo\n' })
    let n = 0
    server = await startModelServer({
      script: (request) => {
        const prompt = JSON.stringify(request.body['messages'])
        if (prompt.includes('are you there')) return { text: 'still here' }
        n += 1
        return {
          text: `step ${n}`,
          toolCalls: [
            { name: 'Read', input: { path: 'a.txt', line_offset: (n % 2) + 1 } },
            { name: 'Bash', input: { command: `echo ${n}` } },
          ],
        }
      },
    })
    writeConfig(scratch.home, configFor(server.baseUrl))
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Spread over the first second, at the same times in every run.
      const told = await killedRun((kill * 137) % 700)
      const sessionId = told[0]!.sessionId
      const db = new Database(join(scratch.home, 'trestle.db'), { readonly: true })
      const seqs = db
        .prepare<[string], number>('SELECT seq FROM event WHERE session_id = ? ORDER BY seq')
        .pluck()
        .all(sessionId)
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      expect(seqs.length).toBeGreaterThanOrEqual(told.at(-1)!.seq)
      const next = await runCli(['print', 'are you there', '-S', sessionId, '--cwd', scratch.project], {
        home: scratch.home,
      })
      expect(next).toMatchObject({ code: 0, stdout: 'still here\n' })
    }
  },
  60_000 + KILLS * 5000,
)
