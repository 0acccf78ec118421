import { expect, it, onTestFinished } from 'vitest'
import { memorySupervisor } from '../../../../test/support/memory-supervisor'
import { newsEngine } from '../../../../test/support/news-engine'
import { tempFolder } from '../../../../test/support/temp-folder'
import { openStore } from '../store/open/open-store'

it('leaves a session to others when the end of its interrupted turn cannot be recorded', async () => {
  const home = await tempFolder()
  const { store: others } = openStore({ home })
  onTestFinished(() => others.close())
  others.create({ sessionId: 's1', folder: home, title: 'T', mode: 'ask', addedFolders: [] })
  others.append('s1', [{ type: 'turn.started', turnId: 't1', parts: [], model: 'm' }])
  others.release('s1')
  const { sessions, store } = newsEngine({ home, supervisor: memorySupervisor(), script: () => [] })
  const { append } = store
  store.append = () => {
    throw new Error('The disk is full.')
  }
  await expect(sessions.stop('s1')).rejects.toThrow('The disk is full.')
  expect(others.acquire('s1')).toEqual({ ok: true })
  others.release('s1')
  store.append = append
  await sessions.stop('s1')
  expect(others.header('s1')).toMatchObject({ lastStop: 'interrupted' })
})
