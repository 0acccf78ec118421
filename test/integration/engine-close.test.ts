import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { createScratch, configFor, writeConfig } from '../support/scratch'
import { startModelServer } from '../support/model-server'

it('an engine that is closed immediately starts no schedules and writes nothing to its log', async () => {
  const server = await startModelServer({ script: [{ text: 'done' }] })
  onTestFinished(() => server.close())
  for (let n = 0; n < 5; n += 1) {
    const scratch = createScratch({ 'a.txt': 'a' })
    onTestFinished(() => scratch.remove())
    writeConfig(scratch.home, `${configFor(server.baseUrl)}[features]\nscheduling = true\n`)
    const logged: string[] = []
    const log = (message: string): void => void logged.push(message)
    const engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive: true, log })
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
    // Its notes are removed in the background.
    await engine.sessions.remove(sessionId)
    await engine.close('stop')
    // Anything still loading would have found the store closed.
    await Promise.all([
      import('../../src/main/engine/schedule/scheduler'),
      import('../../src/main/engine/review/reviews'),
    ])
    await new Promise((resolve) => setImmediate(resolve))
    expect(logged).toEqual([])
  }
})
