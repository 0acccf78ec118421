import { expect, it } from 'vitest'
import { InputRefused, inputRounds, type InputRequest } from './input-rounds'

type Answer = Record<string, unknown>

/** A server that answers so, one after the other; what it was sent is kept. */
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

it('a request is made again with what was wanted and with the state as it came, and the next one with nothing of it', async () => {
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

it('what is refused ends what is asked beside it, and the request', async () => {
  const { sent, make } = server(wanting({ a: ask, b: { method: 'no/such' } }))
  let ended = false
  const rounds = inputRounds(
    {},
    make,
    ({ method }, signal) =>
      method === 'no/such'
        ? Promise.reject(new InputRefused('Nobody knows that.'))
        : new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              ended = true
              reject(signal.reason as Error)
            })
          }),
    undefined,
  )
  await expect(rounds).rejects.toThrow('Nobody knows that.')
  expect({ ended, requests: sent.length }).toEqual({ ended: true, requests: 1 })
})

it('a server that asks without end is not answered without end', async () => {
  const { sent, make } = server(wanting({ a: ask }))
  await expect(inputRounds({}, make, async () => ({}), undefined)).rejects.toThrow('asked for something 20 times')
  expect(sent).toHaveLength(21)
})

it('a request that is only to be repeated ends when it is stopped', async () => {
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
