import { expect, it } from 'vitest'
import { AgentSlots } from './agent-slots'

const never = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

it('assigns slots in order, first to agents that had one before, and never to one that stopped waiting', async () => {
  let most = 1
  const slots = new AgentSlots(() => most)
  const order: string[] = []
  await slots.acquire(never)
  const abort = new AbortController()
  const given = slots.acquire(abort.signal).catch((error: Error) => error.message)
  void slots.acquire(never).then(() => order.push('new'))
  void slots.reacquire(never).then(() => order.push('back'))
  abort.abort(new Error('enough'))
  expect(await given).toBe('enough')
  slots.release()
  await settled()
  expect(order).toEqual(['back'])
  slots.release()
  await settled()
  expect(order).toEqual(['back', 'new'])
  // More agents get a slot when the setting is raised and one agent ends.
  void slots.acquire(never).then(() => order.push('third'))
  void slots.acquire(never).then(() => order.push('fourth'))
  most = 2
  slots.release()
  await settled()
  expect(order).toEqual(['back', 'new', 'third', 'fourth'])
})
