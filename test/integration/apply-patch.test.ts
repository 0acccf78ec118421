import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { PermissionMode } from '../../src/shared/model/approval/approval'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import type { WireName } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { treeOf } from '../support/scratch-tree'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const FILES = { 'src/a.ts': 'one\ntwo\n', 'old.txt': 'gone\n', 'from.ts': 'x\nrest\n' }
const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/a.ts',
  ' one',
  '-two',
  '+zwei',
  '*** Add File: src/new/b.ts',
  '+b',
  '*** Add File: src/new/c.ts',
  '+c',
  '*** Delete File: old.txt',
  '*** Update File: from.ts',
  '*** Move to: to.ts',
  '-x',
  '+y',
  '*** End Patch',
].join('\n')
const AFTER = { 'src/a.ts': 'one\nzwei\n', 'src/new/b.ts': 'b\n', 'src/new/c.ts': 'c\n', 'to.ts': 'y\nrest\n' }

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string
const told: RecordedEvent[] = []

afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

interface Start {
  wire?: WireName
  model?: string
  rules?: string
  mode?: PermissionMode
  interactive?: boolean
  before?: () => void
}

/** A session in a project with the files, whose model applies one patch and then ends the turn. */
async function start(
  patch: string,
  { wire = 'chat', model = 'gpt-5.4', rules = '', mode = 'ask', interactive = true, before }: Start = {},
) {
  scratch = createScratch(FILES)
  before?.()
  told.length = 0
  server = await startModelServer({
    script: [
      { toolCalls: [{ name: 'apply_patch', id: 'call_1', input: { input: patch } }] },
      { text: 'done' },
      { text: 'done again' },
    ],
  })
  const config = configFor(server.baseUrl, { wire, more: '[sandbox]\nmode = "off"\n' }).replace(
    'model = "scripted"',
    `model = "${model}"`,
  )
  writeConfig(scratch.home, config + rules)
  engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode }))
  engine.sessions.listen(sessionId, (event) => {
    if ('seq' in event) told.push(event)
  })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
}

const idle = (): Promise<void> =>
  until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
const asked = (): Promise<void> => until(() => engine.sessions.header(sessionId).approvals.length > 0, 'a request')
const reply = (optionId: string): Promise<void> =>
  engine.sessions.reply(sessionId, { approvalId: engine.sessions.header(sessionId).approvals[0]!.approvalId, optionId })
const offered = (request = 0): string =>
  JSON.stringify(server.requests[request]?.body['tools'] ?? server.requests[request]?.body)
const rule = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = "${pattern}"\n`

function result(): { text: string; isError: boolean } {
  const finished = told.find((event) => event.type === 'tool.finished')
  return finished?.type === 'tool.finished'
    ? { text: textOf(finished.content), isError: finished.isError }
    : { text: '', isError: false }
}

it('asks with the diff of every file, writes nothing before approval, and one restore reverts everything', async () => {
  await start(PATCH)
  await asked()
  const requested = told.find((event) => event.type === 'approval.requested')
  expect(requested).toMatchObject({
    approval: {
      tool: 'apply_patch',
      summary: 'src/a.ts, src/new/b.ts, src/new/c.ts and 2 more',
      preview: {
        kind: 'diffs',
        files: [
          { diff: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n' },
          { diff: expect.stringContaining('+b') },
          { diff: expect.stringContaining('+c') },
          { deleted: true, diff: expect.stringContaining('-gone') },
          {
            from: join(scratch.project, 'from.ts'),
            diff: '--- a/from.ts\n+++ b/to.ts\n@@ -1,2 +1,2 @@\n-x\n+y\n rest\n',
          },
        ],
      },
    },
  })
  const before = treeOf(scratch.project)
  await reply('allow_once')
  await idle()
  expect(result()).toEqual({
    text: expect.stringMatching(/^Success\. Updated the following files:\nM src\/a\.ts\nA src\/new\/b\.ts\n/),
    isError: false,
  })
  for (const [path, text] of Object.entries(AFTER)) expect(readFileSync(join(scratch.project, path), 'utf8')).toBe(text)
  expect([existsSync(join(scratch.project, 'old.txt')), existsSync(join(scratch.project, 'from.ts'))]).toEqual([
    false,
    false,
  ])
  const after = treeOf(scratch.project)
  const [point] = await engine.checkpoints.points(sessionId)
  const { kept, seq } = await engine.checkpoints.restore(sessionId, {
    to: point!.seq - 1,
    files: true,
    conversation: false,
  })
  expect(kept).toEqual([])
  expect(treeOf(scratch.project)).toEqual(before)
  expect(
    (await engine.checkpoints.restore(sessionId, { to: seq! - 1, files: true, conversation: false })).kept,
  ).toEqual([])
  expect(treeOf(scratch.project)).toEqual(after)
})

it('changes nothing when the user rejects it', async () => {
  await start(PATCH)
  const before = treeOf(scratch.project)
  await asked()
  await reply('reject')
  await idle()
  expect(result().isError).toBe(true)
  expect(treeOf(scratch.project)).toEqual(before)
})

it('does not ask about a patch that cannot be applied, and tells the model why', async () => {
  await start(PATCH.replace('-two', '-two and a half'))
  await idle()
  expect(told.some((event) => event.type === 'approval.requested')).toBe(false)
  expect(result()).toEqual({
    text: expect.stringMatching(/src\/a\.ts was not found in it\. Nothing was written\. Lines 1-2 are the closest/),
    isError: true,
  })
})

it('asks again if a file has changed between the request and the answer', async () => {
  await start(PATCH)
  await asked()
  writeFileSync(join(scratch.project, 'src/a.ts'), 'one\ntwo\nthree\n')
  const [first] = engine.sessions.header(sessionId).approvals
  await expect(reply('allow_once')).rejects.toThrow('What it would do has changed')
  await until(() => {
    const [now] = engine.sessions.header(sessionId).approvals
    return now !== undefined && now.approvalId !== first!.approvalId
  }, 'another request')
  await reply('allow_once')
  await idle()
  expect(readFileSync(join(scratch.project, 'src/a.ts'), 'utf8')).toBe('one\nzwei\nthree\n')
})

it.each<WireName>(['chat', 'responses', 'anthropic', 'gemini'])('works on the wire %s', async (wire) => {
  await start(PATCH, { wire, mode: 'auto' })
  await idle()
  expect(result().isError).toBe(false)
  expect(readFileSync(join(scratch.project, 'to.ts'), 'utf8')).toBe('y\nrest\n')
})

it('is offered to GPT models instead of Edit and Patch, and to no other models', async () => {
  await start(PATCH, { mode: 'auto' })
  await idle()
  expect(offered()).toContain('"name":"apply_patch"')
  expect(offered()).toContain('"name":"Write"')
  expect(offered()).not.toMatch(/"name":"(?:Edit|Patch)"/)
  await engine.close('stop')
  await server.close()
  scratch.remove()
  await start(PATCH, { mode: 'auto', model: 'scripted' })
  await idle()
  expect(offered()).not.toContain('"name":"apply_patch"')
  expect(offered()).toMatch(/"name":"Edit"[^]*"name":"Patch"/)
  expect(result()).toMatchObject({ text: expect.stringContaining('There is no tool "apply_patch"'), isError: true })
})

it('is denied by a rule against editing one of its files, with nothing written', async () => {
  await start(PATCH, { mode: 'auto', rules: rule('deny', 'Edit(src/new/**)') })
  const before = treeOf(scratch.project)
  await idle()
  expect(result()).toEqual({ text: expect.stringMatching(/^Denied: .*Edit\(src\/new\/\*\*\)/), isError: true })
  expect(treeOf(scratch.project)).toEqual(before)
})

it('needs no approval when rules allow editing each of its files', async () => {
  await start(PATCH, { rules: rule('allow', 'Edit(src/**)') + rule('allow', 'Write(*)') })
  await idle()
  expect(told.some((event) => event.type === 'approval.requested')).toBe(false)
  expect(readFileSync(join(scratch.project, 'to.ts'), 'utf8')).toBe('y\nrest\n')
})

it('asks before it follows a link out of the project, even in Accept edits', async () => {
  const outside = (): string => join(dirname(scratch.project), 'outside')
  await start(
    '*** Begin Patch\n*** Update File: src/a.ts\n-two\n+zwei\n*** Add File: link/made.txt\n+x\n*** End Patch',
    {
      mode: 'accept-edits',
      interactive: false,
      before() {
        mkdirSync(outside())
        symlinkSync(outside(), join(scratch.project, 'link'))
      },
    },
  )
  await idle()
  expect(result()).toEqual({ text: expect.stringMatching(/^Denied: .*outside/), isError: true })
  expect(existsSync(join(outside(), 'made.txt'))).toBe(false)
  expect(readFileSync(join(scratch.project, 'src/a.ts'), 'utf8')).toBe(FILES['src/a.ts'])
})
