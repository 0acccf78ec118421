import { expect, it } from 'vitest'
import { InputRefused, inputRounds, type InputRequest, listPages, type ListPage } from './request-rounds'

type Answer = Record<string, unknown>

/** A server with these responses, in order; it records the requests. */
function server(...answers: Answer[]) {
  const sent: Answer[] = []
  const make = async (params: Answer): Promise<Answer> => {
    sent.push(params)
    return answers[Math.min(sent.length, answers.length) - 1]!
  }
  return { sent, make }
}

const wanting = (requests: object, requestState?: unknown): Answer => ({
  resultType: 'input_required',
  inputRequests: requests,
  ...(requestState !== undefined && { requestState }),
})
const ask = { method: 'elicitation/create', params: { message: 'What?' } }
const done = { resultType: 'complete', content: [] }

it('repeats a request with the required input and the unchanged state, and starts the next one without them', async () => {
  const { sent, make } = server(wanting({ a: ask, b: ask }, '{"any": thing'), wanting({ c: ask }), done)
  const asked: InputRequest[] = []
  const result = await inputRounds(
    { name: 'x' },
    make,
    async (request) => {
      asked.push(request)
      return { n: asked.length }
    },
    undefined,
  )
  expect(result).toBe(done)
  expect(asked).toEqual([ask, ask, ask])
  expect(sent).toEqual([
    { name: 'x' },
    { name: 'x', inputResponses: { a: { n: 1 }, b: { n: 2 } }, requestState: '{"any": thing' },
    { name: 'x', inputResponses: { c: { n: 3 } } },
  ])
})

it('ends parallel questions and the request after a refusal', async () => {
  const { sent, make } = server(wanting({ a: ask, b: { method: 'no/such' } }))
  let ended = false
  const rounds = inputRounds(
    {},
    make,
    ({ method }, signal) =>
      method === 'no/such'
        ? Promise.reject(new InputRefused('That is unknown.'))
        : new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended = true
              reject(signal.reason as Error)
            })
          }),
    undefined,
  )
  await expect(rounds).rejects.toThrow('That is unknown.')
  expect({ ended, requests: sent.length }).toEqual({ ended: true, requests: 1 })
})

it('stops answering a server that keeps asking', async () => {
  const { sent, make } = server(wanting({ a: ask }))
  await expect(inputRounds({}, make, async () => ({}), undefined)).rejects.toThrow('asked for something 20 times')
  expect(sent).toHaveLength(21)
})

it('stops repeating a request when it is aborted', async () => {
  const stop = new AbortController()
  const { make } = server({ resultType: 'input_required', requestState: 's' })
  const rounds = inputRounds(
    {},
    async (params) => {
      const answer = await make(params)
      if (params['requestState'] === 's') stop.abort(new Error('stopped'))
      return answer
    },
    async () => ({}),
    stop.signal,
  )
  await expect(rounds).rejects.toThrow(/aborted/)
})

/** Pages by cursor. */
const from = (pages: (cursor: string | undefined) => ListPage) =>
  listPages(async (cursor) => pages(cursor), 'tools', { now: () => 0, deadline: 1 })

it('joins pages in order', async () => {
  const pages: Record<string, ListPage> = {
    first: { tools: [1], nextCursor: 'b' },
    b: { tools: [2], nextCursor: 'c' },
    c: { tools: [3] },
  }
  expect(await from((cursor) => pages[cursor ?? 'first']!)).toEqual({ items: [1, 2, 3] })
})

it('accepts 2,000 tools without leaving any out', async () => {
  const listed = await from(() => ({ tools: Array.from({ length: 2_000 }, (_, n) => n) }))
  expect(listed.items).toHaveLength(2_000)
  expect(listed.problem).toBeUndefined()
})

it('returns what it has when cursors repeat, pages are endless or too large, or one fails', async () => {
  expect(await from(() => ({ tools: ['x'], nextCursor: 'again' }))).toMatchObject({
    items: ['x', 'x'],
    problem: expect.stringContaining('circle'),
  })
  const endless = await from((cursor) => ({ tools: ['x'], nextCursor: `${Number(cursor ?? 0) + 1}` }))
  expect(endless).toMatchObject({ problem: expect.stringContaining('more than 400 pages') })
  expect(endless.items).toHaveLength(400)
  const large = await from(() => ({ tools: Array.from({ length: 5_000 }, () => 'x') }))
  expect(large.items).toHaveLength(4_000)
  expect(large.problem).toContain('more than 4000')
  const broken = await from((cursor) => {
    if (cursor !== undefined) throw new Error('no such page')
    return { tools: ['x'], nextCursor: '2' }
  })
  expect(broken).toMatchObject({ items: ['x'], problem: expect.stringContaining('no such page') })
})

it.each([[7], [{}], ['c'.repeat(100_000)]])('ignores the invalid cursor %j', async (nextCursor) => {
  expect(await from(() => ({ tools: ['x'], nextCursor }))).toMatchObject({
    items: ['x'],
    problem: expect.stringContaining('no usable next page'),
  })
})

it('stops asking when its time is over', async () => {
  let now = 0
  const listed = await listPages(
    async (cursor) => ({ tools: ['x'], nextCursor: `${Number(cursor ?? 0) + 1}` }),
    'tools',
    {
      now: () => (now += 100),
      deadline: 450,
    },
  )
  expect(listed.items).toHaveLength(5)
  expect(listed.problem).toContain('too long')
})

it('fails only without a first page', async () => {
  await expect(from(() => ({ nothing: [] }))).rejects.toThrow('without a list of tools')
})
