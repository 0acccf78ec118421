import { expect, it } from 'vitest'
import { applyHeader, emptyHeader } from '../../../../shared/events/fold-header'
import { PromptQueue, SessionInput } from './session-input'

/** A queue whose header is folded from the recorded events, as in a session. */
function queueOf(initial = emptyHeader('x')) {
  let header = initial
  let ids = 0
  const queue = new PromptQueue({
    header: () => header,
    record: (event) => (header = applyHeader(header, { ...event, sessionId: 'x', seq: header.seq + 1, at: 1 })),
    newId: (prefix) => `${prefix}-${(ids += 1)}`,
  })
  return { queue, header: () => header }
}
const parts = [{ type: 'text' as const, text: 'and this' }]

it('a prompt that should join the running turn is marked in the header, even for a later process', () => {
  const { queue, header } = queueOf()
  const [first, second] = [queue.add(parts), queue.add(parts)]
  queue.steer(second)
  queue.steer(second)
  expect(header().queue).toEqual([
    { promptId: first, parts },
    { promptId: second, parts, joins: true },
  ])
  expect(queue.isSteering).toBe(true)
  const later = queueOf(header())
  expect(later.queue.takeSteering().map(({ promptId }) => promptId)).toEqual([second])
})

it('a removed or joined prompt is not returned', () => {
  const { queue } = queueOf()
  const promptId = queue.add(parts)
  queue.steer(promptId)
  queue.remove(promptId)
  expect(queue.takeSteering()).toEqual([])
  expect(() => queue.steer(promptId)).toThrow(/no longer in the queue/)
})

/** The input of an archived session. `submit`: whether its messages may be sent. */
function archivedInput(busy: boolean, submit: () => Promise<void> = async () => undefined) {
  let header = { ...emptyHeader('x'), archived: true }
  const input = new SessionInput({
    header: () => header,
    busy: () => busy,
    record: (event) => (header = applyHeader(header, { ...event, sessionId: 'x', seq: header.seq + 1, at: 1 })),
    newId: (prefix) => prefix,
    start: async () => undefined,
    submit,
    attach: async (given) => given,
    withSkill: async (_header, given) => given,
    log: () => undefined,
  })
  return { input, isArchived: () => header.archived }
}

it.each([false, true])('a message of the user unarchives a session (working: %s)', async (busy) => {
  const prompted = archivedInput(busy)
  await prompted.input.prompt(parts)
  expect(prompted.isArchived()).toBe(false)
  const steered = archivedInput(busy)
  await steered.input.steer({ parts })
  expect(steered.isArchived()).toBe(false)
})

it('a blocked message leaves the session archived', async () => {
  const { input, isArchived } = archivedInput(false, () => Promise.reject(new Error('no')))
  await expect(input.prompt(parts)).rejects.toThrow('no')
  expect(isArchived()).toBe(true)
})
