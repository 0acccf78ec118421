import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { familyPrefix, type AgentStart } from '../../../shared/model/session/agent'
import { openStore } from '../store/open/open-store'
import { changesAfter } from './family-changes'

const root = 'session-1'
const child = `${familyPrefix(root)}1`
const grandchild = `${familyPrefix(root)}2`

/** A family of sessions whose events have the times passed by the tests. */
async function family() {
  let now = 10_000
  const { store } = openStore({ home: await tempFolder(), now: () => now })
  onTestFinished(() => store.close())
  const made = { folder: '/', title: '', mode: 'ask' as const, addedFolders: [] }
  for (const sessionId of [root, child, grandchild]) store.create({ ...made, sessionId })
  const turnId = 't'
  const at = <Result>(time: number, record: () => Result): Result => {
    now = time
    return record()
  }
  const given = (agentId: string, parentId: string, callId: string, background: boolean): AgentStart => ({
    parentId,
    rootId: root,
    depth: agentId === child ? 1 : 2,
    callId,
    agentType: 'coder',
    description: '',
    background,
    readOnly: false,
  })
  return {
    store,
    /** Starts a turn; returns the `seq` right before it. */
    turn(time: number): number {
      const [event] = at(time, () =>
        store.append(root, [{ type: 'turn.started', turnId, model: 'm', parts: [{ type: 'text', text: '' }] }]),
      )
      return event!.seq - 1
    },
    endTurn: (time: number) =>
      at(time, () =>
        store.append(root, [{ type: 'turn.finished', turnId, stop: 'end_turn', steps: 1, durationMs: 1 }]),
      ),
    step: (time: number, sessionId = root) =>
      at(time, () => store.append(sessionId, [{ type: 'step.started', turnId, stepId: 's', n: 1, model: 'm' }])),
    give(time: number, callId: string, { agentId = child, parentId = root, background = false, isCut = false } = {}) {
      at(time, () =>
        store.append(agentId, [{ type: 'agent.started', ...given(agentId, parentId, callId, background) }]),
      )
      const start = { callId, agentId, agentType: 'coder', description: '', background, isResumed: false }
      if (!isCut) store.append(parentId, [{ type: 'subagent.started', ...start }])
    },
    end: (time: number, agentId = child) =>
      at(time, () => store.append(agentId, [{ type: 'agent.ended', status: 'completed', answerBytes: 0 }])),
    change: (time: number, callId: string, sessionId = root) =>
      at(time, () => store.append(sessionId, [{ type: 'checkpoint.changed', turnId, callId, changes: [], count: 0 }])),
    after: (to: number, options?: { endedOnly: boolean }) =>
      changesAfter(store, root, to, options).map((event) => event.type === 'checkpoint.changed' && event.callId),
  }
}

test('the changes of a family stay in the order of each member, even if a clock was set back', async () => {
  const { give, change, after } = await family()
  give(10_000, 'c', { isCut: true })
  change(20_000, 'first')
  change(21_000, 'second', child)
  change(5_000, 'third')
  change(6_000, 'fourth')
  expect(after(0)).toEqual(['first', 'third', 'fourth', 'second'])
})

test('what a subagent changed for a call belongs to that call, whatever the clock says', async () => {
  const { turn, endTurn, step, give, end, change, after } = await family()
  const first = turn(20_000)
  change(20_001, 'before')
  give(20_002, 'a')
  change(20_003, 'early', child)
  end(20_004)
  step(20_005)
  endTurn(20_006)
  // The clock is set back by more than the whole duration.
  const second = turn(5_000)
  give(5_001, 'b')
  change(5_002, 'late', child)
  give(5_003, 'c', { agentId: grandchild, parentId: child })
  change(5_004, 'deep', grandchild)
  end(5_005, grandchild)
  step(5_006, child)
  change(5_007, 'later', child)
  end(5_008)
  step(5_009)
  change(5_010, 'last')
  endTurn(5_011)
  expect(after(first)).toEqual(['before', 'early', 'late', 'deep', 'later', 'last'])
  expect(after(second)).toEqual(['late', 'deep', 'later', 'last'])
})

test('work belongs to its finished call, even if the clock was set forward in between', async () => {
  const { turn, endTurn, step, give, end, change, after } = await family()
  turn(5_000)
  give(5_001, 'a')
  change(90_000, 'early', child)
  end(90_001)
  step(6_000)
  endTurn(6_001)
  const second = turn(6_002)
  change(6_003, 'late')
  expect(after(second)).toEqual(['late'])
  expect(after(0)).toEqual(['early', 'late'])
})

test('background work counts from that moment on, unless only ended subagents are included', async () => {
  const { turn, endTurn, give, change, after } = await family()
  turn(5_000)
  give(5_001, 'a', { background: true })
  change(5_002, 'early', child)
  endTurn(5_003)
  const second = turn(5_004)
  change(5_005, 'ours')
  change(5_006, 'late', child)
  expect(after(second)).toEqual(['ours', 'late'])
  expect(after(second, { endedOnly: true })).toEqual(['ours'])
})

test('work whose call was not recorded because the process ended is found by its time', async () => {
  const { turn, endTurn, give, change, after } = await family()
  turn(5_000)
  change(5_001, 'ours')
  endTurn(5_002)
  const second = turn(5_003)
  give(5_004, 'a', { isCut: true })
  change(5_005, 'theirs', child)
  expect(after(second)).toEqual(['theirs'])
})
