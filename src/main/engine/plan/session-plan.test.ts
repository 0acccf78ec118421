import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { required } from '../../../../test/support/required'
import { tempFolder } from '../../../../test/support/temp-folder'
import { openStore } from '../store/open/open-store'
import { createSessionPlan } from './session-plan'

const sessionId = 'session-1'

async function lab() {
  const home = await tempFolder()
  const { store } = openStore({ home })
  onTestFinished(() => store.close())
  store.create({ sessionId, folder: home, title: '', mode: 'ask', addedFolders: [] })
  const header = () => required(store.header(sessionId), 'the header')
  const plan = createSessionPlan({
    home,
    sessionId,
    header,
    record: (...events) => void store.append(sessionId, events),
  })
  /** Goes back to the state right after an event, with the plan at that time, like a restore of the conversation. */
  const goBack = (to: number, state: ReturnType<typeof header>['plan']): void =>
    void store.append(sessionId, [
      {
        type: 'checkpoint.restored',
        restoreId: `restore-${to}`,
        to,
        kept: [],
        changes: [],
        count: 0,
        conversation: { to, todos: [], ...(state && { plan: state }) },
      },
    ])
  return { home, plan, header, goBack }
}

test('a revision keeps its text when its number is reused after going back, and when going forward again', async () => {
  const { plan, header, goBack } = await lab()
  plan.enter('user')
  const before = { seq: header().seq, plan: header().plan }
  await plan.submit('the first plan')
  const later = { seq: header().seq, plan: header().plan }
  goBack(before.seq, before.plan)
  expect(plan.latest()).toBeUndefined()
  const again = await plan.submit('another plan')
  expect(again).toMatchObject({ plan: 1, revision: 1 })
  expect(await plan.revisionText(again)).toBe('another plan')
  goBack(later.seq, later.plan)
  expect(await plan.revisionText({ plan: 1, revision: 1 })).toBe('the first plan')
})

test('revisions are numbered within a plan, and after an approved plan a new one starts', async () => {
  const { plan } = await lab()
  plan.enter('user')
  await plan.submit('one')
  plan.resolve(1, 'revise')
  expect(await plan.submit('two')).toMatchObject({ plan: 1, revision: 2 })
  plan.resolve(2, 'approve')
  expect(plan.active).toBe(false)
  plan.enter('agent')
  expect(await plan.submit('three')).toMatchObject({ plan: 2, revision: 1 })
  const texts = [1, 2].map((revision) => plan.revisionText({ plan: 1, revision }))
  expect(await Promise.all(texts)).toEqual(['one', 'two'])
  await expect(plan.revisionText({ plan: 3, revision: 1 })).rejects.toMatchObject({ code: 'plan.not_found' })
})

test('a revision written by an earlier version can be read', async () => {
  const { home, plan } = await lab()
  const folder = join(home, 'sessions', sessionId, 'plans', 'plan-1')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'revision-1.md'), 'from before')
  expect(await plan.revisionText({ plan: 1, revision: 1 })).toBe('from before')
})
