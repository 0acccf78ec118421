/**
 * An engine in a process like the desktop app's main process, without Electron: runs the prompts of `--prompts` one by
 * one and prints, as JSON, how long its event loop was blocked. Arguments: HOME PROJECT PROMPTS.
 */
import '../../test/support/ts-hooks.mjs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const [home = '', folder = '', prompts = '1'] = process.argv.slice(2)
const { createEngine } = await import('../../src/main/engine/engine.ts')
const engine = await createEngine({ version: '0.0.0-bench', home, interactive: true, watch: false })
const { sessionId } = await engine.sessions.create({ folder, mode: 'auto' })
let ended = Promise.withResolvers<void>()
let events = 0
engine.sessions.listen(sessionId, (event) => {
  events += 1
  // As a host does for its page.
  JSON.stringify(event)
  if (event.type === 'turn.finished') ended.resolve()
})
const NS_PER_MS = 1e6
const results: { p50: number; p99: number; max: number; events: number }[] = []
for (let prompt = 0; prompt < Number(prompts); prompt++) {
  ended = Promise.withResolvers<void>()
  events = 0
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'Do what the script says.' }])
  await ended.promise
  delay.disable()
  const ms = (ns: number): number => Math.round((ns / NS_PER_MS) * 100) / 100
  results.push({ p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max), events })
}
await engine.close()
process.stdout.write(`${JSON.stringify(results)}\n`)
