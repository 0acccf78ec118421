import '../test/support/ts-hooks.mjs'
import { join } from 'node:path'
import { startModelServer } from '../test/support/model-server.ts'
import type { ScriptStep } from '../test/support/model-script.ts'
import { strictModel } from '../test/support/strict-model.ts'
import { progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { cachedRequest, costOf, type CachePrices } from './support/prefix-cache.ts'
import { makeScratch, put } from './support/scratch.ts'

const TURNS = 10
const READS = 15
const FILES = 30
const WINDOW = 128_000
const BYTES_PER_TOKEN = 3.4
/** Dollars per million tokens, as Anthropic lists them. */
const PRICES: CachePrices = { input: 4, write: 5, read: 0.4 }
const FLOOR = 0.6
/** Tokens that the ideal harness also reserves for an answer. */
const SHORTEST_ANSWER = 4000
/** Tokens of a call and of the note that replaces an omitted result. */
const LEFT_OF_STEP = 90

/**
 * The cost of ten turns of 15 reads in a window of 128k tokens, with the prefix cache of the provider, compared with
 * two ideal harnesses: one that reads everything it has sent before in the same form from the cache, and one that also
 * trims to exactly 60 % of the window, at the best time.
 */
export default async function contextCost(): Promise<Measurement[]> {
  const { createEngine } = await import('../src/main/engine/engine.ts')
  const scratch = makeScratch()
  for (let n = 0; n < FILES; n++) put(join(scratch.project, `read-${n}.txt`), fileText(n))
  const strict = strictModel({ wire: 'anthropic', bytesPerToken: BYTES_PER_TOKEN, window: WINDOW })
  let reads = 0
  let left = 0
  const server = await startModelServer({
    script: (request, index) => {
      const step: ScriptStep =
        left > 0
          ? { toolCalls: [{ name: 'Read', input: { path: `read-${reads % FILES}.txt` } }] }
          : { text: 'All of it is read.' }
      const played = strict.play(request, index, step)
      if (left > 0 && !played.faults) {
        left -= 1
        reads += 1
      }
      return played
    },
  })
  put(join(scratch.home, 'config.toml'), config(server.baseUrl))
  const engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive: true })
  try {
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
    const trims: number[] = []
    let compactions = 0
    for (let turn = 0; turn < TURNS; turn++) {
      left = READS
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const stop = engine.sessions.listen(sessionId, (event) => {
        if (event.type === 'context.trimmed') trims.push(strict.requests.length)
        if (event.type === 'compaction.finished') compactions += 1
        if (event.type !== 'turn.finished') return
        if (event.stop === 'end_turn') resolve()
        else reject(new Error(event.failure?.message ?? event.stop))
      })
      await engine.sessions.prompt(sessionId, [{ type: 'text', text: `Turn ${turn}: read the next files.` }])
      await promise
      stop()
    }
    const requests = server.requests.map(({ body }) => cachedRequest(body))
    const tokens = strict.requests.map((request) => request.tokens)
    const ours = costOf(requests, BYTES_PER_TOKEN, PRICES, true)
    const same = costOf(requests, BYTES_PER_TOKEN, PRICES, false)
    const floor = idealToFloor(tokens)
    const shares = trims.map((index) => tokens[index]! / WINDOW)
    progress(
      `  after trims: ${shares.map((share) => `${round(share * 100, 1)} %`).join(', ')}; ` +
        `ideal: limit ${floor.limit}, ${floor.trims} trims`,
    )
    return [
      {
        name: 'context cost, ours',
        value: round(ours.dollars),
        unit: '$',
        note: `${Math.round(ours.fresh)} tokens not from the cache, ${requests.length} requests`,
      },
      {
        name: 'context cost, ideal with the same trims',
        value: round(same.dollars),
        unit: '$',
        note: `${Math.round(same.fresh)} tokens`,
      },
      {
        name: 'context cost, ideal that trims to 60 %',
        value: round(floor.dollars),
        unit: '$',
        note: `best limit ${floor.limit} of the window, ${floor.trims} trims`,
      },
      {
        name: 'context cost, ours to the same trims',
        value: round(ours.dollars / same.dollars, 3),
        unit: 'x',
        limit: 1.05,
      },
      { name: 'context cost, ours to 60 %', value: round(ours.dollars / floor.dollars, 3), unit: 'x', limit: 1.05 },
      {
        name: 'context cost, trims',
        value: trims.length,
        unit: 'count',
        note: `${compactions} compactions, ${strict.requests.filter(({ rejected }) => rejected).length} refused`,
      },
      {
        name: 'context cost, least in use after a trim',
        value: round((1 - Math.min(...shares)) * 100, 1),
        unit: '%',
        limit: 40,
        note: 'what a trim has freed of the window',
      },
    ]
  } finally {
    await engine.close()
    await server.close()
    scratch.remove()
  }
}

/**
 * The same conversation with a harness that knows the size of everything: whenever the next request would exceed the
 * limit, it omits the oldest results down to exactly the floor, and pays again for everything after the first of them.
 * Returns the result with the cheapest limit.
 */
function idealToFloor(tokens: readonly number[]): { dollars: number; limit: number; trims: number } {
  const grown = tokens.slice(1).map((value, index) => value - tokens[index]!)
  const usual = grown.filter((value) => value > 0)
  const average = usual.reduce((sum, value) => sum + value, 0) / usual.length
  const steps = grown.map((value) => (value > 0 ? value : average))
  const tries = Array.from({ length: 16 }, (_, index) => 1 - SHORTEST_ANSWER / WINDOW - index / 100).map((limit) => ({
    limit: round(limit, 3),
    ...idealWith(limit, tokens[0]!, steps),
  }))
  return tries.toSorted((a, b) => a.dollars - b.dollars)[0]!
}

function idealWith(limit: number, head: number, steps: readonly number[]): { dollars: number; trims: number } {
  const parts = [head]
  let total = head
  let dollars = (head * PRICES.write) / 1_000_000
  let trims = 0
  for (const step of steps) {
    parts.push(step)
    let cached = total
    total += step
    if (total > WINDOW * limit) {
      trims += 1
      let before = head
      let first: number | undefined
      for (let index = 1; index < parts.length && total > WINDOW * FLOOR; index++) {
        const saving = Math.min(parts[index]! - LEFT_OF_STEP, total - WINDOW * FLOOR)
        if (saving > 0) {
          first ??= before
          parts[index] = parts[index]! - saving
          total -= saving
        }
        before += parts[index]!
      }
      cached = first ?? cached
    }
    dollars += (cached * PRICES.read + (total - cached) * PRICES.write) / 1_000_000
  }
  return { dollars, trims }
}

/** Code, partly with words in other languages; about 7 kB. */
function fileText(n: number): string {
  return Array.from(
    { length: 80 },
    (_, line) =>
      `export const value${line} = compute(${n}, ${line}, 'some words for file ${n}') // wie gewöhnlich, 通常通り`,
  ).join('\n')
}

function config(baseUrl: string): string {
  return [
    'default_model = "bench/scripted"',
    '[providers.bench]',
    'type = "anthropic"',
    `base_url = "${baseUrl}"`,
    'api_key = "none"',
    '[models."bench/scripted"]',
    'provider = "bench"',
    'model = "scripted"',
    `context_window = ${WINDOW}`,
    'capabilities = ["tools"]',
    '',
  ].join('\n')
}

await runAlone(import.meta.main, contextCost)
