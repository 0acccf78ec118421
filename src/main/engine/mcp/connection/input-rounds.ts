import { setTimeout as pause } from 'node:timers/promises'

/** A request may be answered so often with what the server wants first. */
const MOST_ROUNDS = 20
/** Before a request is repeated that the server only wants repeated; each time twice as long. */
const FIRST_REPEAT_MS = 250
const LONGEST_REPEAT_MS = 5_000

/** Something that a server wants before it answers: a form filled in, say. */
export interface InputRequest {
  method: string
  params: Record<string, unknown>
}

/** What the server wanted was not given; the message says why. */
export class InputRefused extends Error {}

export type AnswerInput = (request: InputRequest, signal: AbortSignal) => Promise<Record<string, unknown>>

/**
 * Makes a request of the stateless revision until it is answered: where the answer is that something is required first (`input_required`), that is got by `answer`, all of it side by
 * side, and the request is made again with it and with the server's `requestState`. The first that fails ends the others. A server that
 * only wants the request repeated is bounded by its time limit.
 */
export async function inputRounds(
  params: Record<string, unknown>,
  make: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
  answer: AnswerInput,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  let got = await make(params)
  let rounds = 0
  let repeatMs = FIRST_REPEAT_MS
  while (got['resultType'] === 'input_required') {
    const wanted = Object.entries(recordIn(got['inputRequests']))
    const { requestState } = got
    if (wanted.length > 0 && ++rounds > MOST_ROUNDS)
      throw new Error(`The server asked for something ${MOST_ROUNDS} times and did not answer.`)
    const inputResponses = wanted.length > 0 ? await answerAll(wanted, answer, signal) : undefined
    if (!inputResponses) {
      await pause(repeatMs, undefined, signal && { signal })
      repeatMs = Math.min(repeatMs * 2, LONGEST_REPEAT_MS)
    }
    got = await make({ ...params, ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) })
  }
  return got
}

async function answerAll(
  wanted: readonly (readonly [string, unknown])[],
  answer: AnswerInput,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  const failed = new AbortController()
  const ends = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const answers = wanted.map(async ([key, request]) => {
    const { method, params } = recordIn(request)
    return [key, await answer({ method: typeof method === 'string' ? method : '', params: recordIn(params) }, ends)] as const
  })
  try {
    return Object.fromEntries(await Promise.all(answers))
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(answers)
    throw error
  }
}

function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
