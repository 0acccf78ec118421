import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { EventBody } from '../../../../shared/events/event'
import { familyPrefix } from '../../../../shared/model/session/agent'
import { openStore } from '../../store/open/open-store'
import { containsMail, hasRead } from './session-gate'

const mailRead: EventBody = {
  type: 'tool.finished',
  turnId: 't',
  callId: 'c',
  name: 'MailRead',
  content: [],
  isError: false,
  durationMs: 1,
}

/** Which of two sessions, one with a parent and two subagents, count as having read mail once `reader` has. */
async function affected(reader: string, event: EventBody = mailRead): Promise<string[]> {
  const { store } = openStore({ home: await tempFolder() })
  const agents = ['a', 'b'].map((name) => `${familyPrefix('session-1')}${name}`)
  for (const sessionId of ['session-1', 'session-2', ...agents])
    store.create({ sessionId, folder: '/project', title: '', mode: 'auto', addedFolders: [] })
  for (const sessionId of agents)
    store.append(sessionId, [
      {
        type: 'agent.started',
        parentId: 'session-1',
        rootId: 'session-1',
        depth: 1,
        callId: 'c',
        agentType: 'coder',
        description: '',
        background: false,
        readOnly: false,
      },
    ])
  const names = new Map([
    ['session-1', 'parent'],
    ['session-2', 'other'],
    ...agents.map((id, n) => [id, `agent ${n}`]),
  ] as [string, string][])
  const id = [...names].find(([, name]) => name === reader)![0]
  store.append(id, [event])
  const found = [...names]
    .filter(([sessionId]) => hasRead(store, store.header(sessionId)!, containsMail))
    .map(([, name]) => name)
  store.close()
  return found
}

it('mail that a session or one of its subagents has read counts for all of them, but for no other session', async () => {
  expect(await affected('parent')).toEqual(['parent', 'agent 0', 'agent 1'])
  expect(await affected('agent 0')).toEqual(['parent', 'agent 0', 'agent 1'])
  expect(await affected('other')).toEqual(['other'])
})

it('a failed call or another tool does not count as having read mail', async () => {
  expect(await affected('parent', { ...mailRead, isError: true })).toEqual([])
  expect(await affected('parent', { ...mailRead, name: 'FetchURL' })).toEqual([])
})
