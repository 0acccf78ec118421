import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { isAlive } from '../support/marked-pids'
import { stdioServer } from '../support/mcp-lab'
import { startModelServer, type ModelServer } from '../support/model-server'
import { startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let left: number[] = []
afterEach(async () => {
  for (const pid of left.filter(isAlive)) process.kill(pid, 'SIGKILL')
  left = []
  await server.close()
  scratch.remove()
})

it(
  'killing the program ends its servers although they ignore every request to; detached children end at the next start',
  { timeout: 180_000 },
  async () => {
    scratch = createScratch()
    const starts = join(scratch.home, '..', 'starts')
    const said = join(scratch.home, '..', 'grandchild')
    server = await startModelServer({
      script: [
        { text: '', toolCalls: [{ name: 'mcp__bad__grandchild', input: { text: said } }] },
        { text: '', toolCalls: [{ name: 'mcp__bad__hang', input: {} }] },
      ],
    })
    writeConfig(scratch.home, configFor(server.baseUrl))
    const bad = stdioServer([`starts=${starts}`, 'ignore-term', 'ignore-end'])
    writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: { bad } }))
    const app = startCli(['print', 'work', '--cwd', scratch.project, '--permission-mode', 'auto'], {
      home: scratch.home,
    })
    app.stdin.end()
    const gone = once(app, 'close')
    await server.arrived(2)
    const pids = [
      Number(readFileSync(starts, 'utf8')),
      Number(existsSync(said) ? readFileSync(said, 'utf8') : Number.NaN),
    ]
    left = pids
    expect(pids.map(isAlive)).toEqual([true, true])
    app.kill('SIGKILL')
    await gone
    await until(() => !isAlive(pids[0]!), 'the server to end')
    const engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
    try {
      await until(() => !isAlive(pids[1]!), 'what left it to end')
    } finally {
      await engine.close('stop')
    }
  },
)
