import { setTimeout as pause } from 'node:timers/promises'
import { errorText } from '../../../../shared/error-text'

/** Maximum number of times a request is repeated with input that the server requires. */
const MAX_ROUNDS = 20
/** Delay before a request is repeated without input; doubled each time. */
const FIRST_REPEAT_MS = 250
const LONGEST_REPEAT_MS = 5_000

/** Input that a server requires before it answers, such as a filled-in form. */
export interface InputRequest {
  method: string
  params: Record<string, unknown>
}

/** The required input was not provided; the message explains why. */
export class InputRefused extends Error {}

export type AnswerInput = (request: InputRequest, signal: AbortSignal) => Promise<Record<string, unknown>>

/**
 * Repeats a request of the stateless revision until it is answered. When the server requires input first
 * (`input_required`), `answer` provides all of it in parallel, and the request is repeated with the input and the
 * server's `requestState`. The first failure ends the others. When a server only asks for a repetition, the timeout of
 * the request applies.
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
    if (wanted.length > 0 && ++rounds > MAX_ROUNDS)
      throw new Error(`The server asked for something ${MAX_ROUNDS} times and did not answer.`)
    const inputResponses = wanted.length > 0 ? await answerAll(wanted, answer, signal) : undefined
    if (!inputResponses) {
      await pause(repeatMs, undefined, signal && { signal })
      repeatMs = Math.min(repeatMs * 2, LONGEST_REPEAT_MS)
    }
    got = await make({
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    })
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
    return [
      key,
      await answer({ method: typeof method === 'string' ? method : '', params: recordIn(params) }, ends),
    ] as const
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

/** One response to `tools/list` and the like, as the server sent it. */
export type ListPage = Readonly<Record<string, unknown>>

export interface Listed {
  items: unknown[]
  /** Why it may be incomplete, as a sentence. */
  problem?: string
  /** How long it stays fresh, according to the server. */
  ttlMs?: number
}

const MAX_PAGES = 400
/** Maximum number of items of one kind: more than any model or user can use. */
const MAX_ITEMS = 4_000
const LONGEST_CURSOR = 16 * 1024

/**
 * All pages of a list (MCP 2025-11-25, pagination), no matter what its cursors are: a repeated cursor, endless pages or
 * a failing page end the list at that point. Fails only if the first page fails.
 */
export async function listPages(
  page: (cursor: string | undefined) => Promise<ListPage>,
  key: string,
  { now, deadline }: { now: () => number; deadline: number },
): Promise<Listed> {
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    let got: ListPage
    try {
      got = await page(cursor)
    } catch (error) {
      if (pages === 1) throw error
      return {
        items,
        problem: `Page ${pages} of its ${key} could not be loaded: ` + errorText(error),
      }
    }
    const listed: unknown = got[key]
    if (!Array.isArray(listed)) {
      if (pages === 1) throw new Error(`It answered without a list of ${key}.`)
      return { items, problem: `Page ${pages} of its ${key} holds no list.` }
    }
    for (const item of listed as unknown[]) {
      if (items.length >= MAX_ITEMS)
        return { items, problem: `It has more than ${MAX_ITEMS} ${key}; the others are left out.` }
      items.push(item)
    }
    const next: unknown = got['nextCursor']
    if (next === undefined || next === null || next === '') return { items }
    if (typeof next !== 'string' || next.length > LONGEST_CURSOR)
      return { items, problem: `Page ${pages} of its ${key} names no usable next page.` }
    if (seen.has(next)) return { items, problem: `The pages of its ${key} go round in a circle.` }
    if (pages >= MAX_PAGES)
      return { items, problem: `Its ${key} have more than ${MAX_PAGES} pages; the others are left out.` }
    if (now() > deadline) return { items, problem: `Listing its ${key} took too long; what came until then is used.` }
    seen.add(next)
    cursor = next
  }
}
