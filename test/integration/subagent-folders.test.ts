import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { agentCall, call, familyScript, said } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

it('a folder that is removed from a session is removed from its subagents too, while they run', async () => {
  scratch = createScratch()
  const other = join(dirname(scratch.project), 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'notes.txt'), 'of the other folder')
  writeFileSync(join(other, 'AGENTS.md'), 'Instructions of the other folder.')
  const read = () => ({ toolCalls: [call('Read', { path: join(other, 'notes.txt') })] })
  let sessionId = ''
  let afterRemoval = ''
  server = await startModelServer({
    script: familyScript({
      go: [{ toolCalls: [agentCall('look')] }, { text: 'done' }],
      look: [
        read,
        async () => {
          await engine.sessions.change(sessionId, { addedFolders: [] })
          return read()
        },
        (request) => {
          afterRemoval = said(request)
          return { text: 'looked' }
        },
      ],
    }),
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto', addedFolders: [other] }))
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => engine.inbox.list().length > 0, 'the second read to ask')
  const [entry] = engine.inbox.list()
  const agentId = entry!.sessionId
  expect(agentId).not.toBe(sessionId)
  await expect(engine.files.lines(agentId, join(other, 'notes.txt'), 1, 1)).rejects.toThrow('not in the folders')
  await engine.sessions.reply(agentId, { approvalId: entry!.approvalId, optionId: 'reject' })
  await until(() => engine.sessions.header(sessionId).turnId === undefined, 'the turn to end')
  expect(afterRemoval).toContain('You may no longer use folders beside the project.')
})
