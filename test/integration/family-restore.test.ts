import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { agentCall, call, familyScript, type Part } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { treeOf } from '../support/scratch-tree'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string

async function start(parts: Record<string, Part>): Promise<void> {
  scratch = createScratch({ 'a.txt': 'one\n' })
  server = await startModelServer({ script: familyScript(parts) })
  writeConfig(
    scratch.home,
    configFor(server.baseUrl, { more: '[sandbox]\nmode = "off"\n[checkpoints]\nd_mail = true\n' }),
  )
  engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive: true })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' }))
}
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

const option = (label: string) => ({ label, description: '' })
const tree = (): Record<string, string> => treeOf(scratch.project)
const say = (text: string): Promise<unknown> => engine.sessions.prompt(sessionId, [{ type: 'text', text }])
const idle = (): Promise<void> =>
  until(() => engine.sessions.header(sessionId).turnId === undefined, 'the end of the turn')
const edit = (from: string, to: string) => ({
  toolCalls: [call('Bash', { command: `test "$(cat a.txt)" = ${from} && echo ${to} > a.txt && echo x > ${to}.txt` })],
})
async function before(message: number): Promise<number> {
  return (await engine.checkpoints.points(sessionId))[message - 1]!.seq - 1
}

it("a restore reverts what subagents wrote, and knows it as the session's own changes", async () => {
  await start({
    go: [
      { toolCalls: [agentCall('first', { description: 'Go first' })] },
      edit('two', 'three'),
      { text: 'done' },
      { toolCalls: [agentCall('second')] },
      { text: 'done' },
    ],
    first: [edit('one', 'two'), { text: 'done' }],
    second: [edit('three', 'four'), edit('four', 'five'), { text: 'done' }],
  })
  const empty = tree()
  await say('go')
  await idle()
  const first = tree()
  await say('and on')
  await idle()
  const second = tree()
  expect(Object.keys(second)).toEqual(expect.arrayContaining(['two.txt', 'three.txt', 'four.txt', 'five.txt']))
  const files = await engine.checkpoints.files(sessionId)
  expect(files.map(({ path, standing }) => `${path.slice(scratch.project.length + 1)} ${standing}`).toSorted()).toEqual(
    ['a.txt', 'five.txt', 'four.txt', 'three.txt', 'two.txt'].map((name) => `${name} ours`),
  )
  const back = async (to: number): Promise<number> => {
    const { kept, seq } = await engine.checkpoints.restore(sessionId, { to, files: true, conversation: false })
    expect(kept).toEqual([])
    return seq!
  }
  const restored = await back(await before(2))
  expect(tree()).toEqual(first)
  await back(await before(1))
  expect(tree()).toEqual(empty)
  await back(restored - 1)
  expect(tree()).toEqual(second)
})

it('a restore reports a subagent that is still working, and a D-Mail leaves its work alone', async () => {
  await start({
    go: [
      { toolCalls: [agentCall('worker', { description: 'Work on', run_in_background: true })] },
      {
        toolCalls: [
          call('AskUserQuestion', { questions: [{ question: 'Ready?', options: ['Yes', 'No'].map(option) }] }),
        ],
      },
      { toolCalls: [call('Write', { path: 'ours.txt', content: 'x' })] },
      { toolCalls: [call('SendDMail', { checkpoint_id: 1, message: 'the other way', files: true })] },
      { text: 'done' },
    ],
    worker: [
      { toolCalls: [call('Write', { path: 'theirs.txt', content: 'x' })] },
      { text: 'x', faults: { stallAfterBytes: 0 } },
    ],
  })
  await say('go')
  await until(() => engine.inbox.list().length > 0 && 'theirs.txt' in tree(), 'the work of the subagent')
  const { approvalId } = engine.sessions.header(sessionId).approvals[0]!
  await engine.sessions.reply(sessionId, { approvalId, optionId: 'answer', answers: [{ labels: ['Yes'] }] })
  await idle()
  expect(Object.keys(tree())).toContain('theirs.txt')
  expect(Object.keys(tree())).not.toContain('ours.txt')
  const preview = await engine.checkpoints.preview(sessionId, { to: await before(1), files: true, conversation: true })
  expect(preview.notCovered).toEqual([expect.stringContaining('The subagent “Work on” is still running')])
  expect(preview.steps.map(({ path, action }) => `${path.slice(scratch.project.length + 1)} ${action}`)).toEqual([
    'theirs.txt delete',
  ])
})
