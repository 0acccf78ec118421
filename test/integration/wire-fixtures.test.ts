import type { ProviderType } from '../../src/shared/configuration/provider-types'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProvider } from '../../src/main/engine/model/adapter/adapter'
import { CodedError } from '../../src/shared/errors'
import { askFor, collect } from '../support/collect-chunks'
import { referenceAnswer } from '../support/reference-sse'

const folder = process.env['TRESTLE_WIRE_FIXTURES'] ?? resolve(import.meta.dirname, '../../../shared/fixtures/wires')
const isThere = existsSync(folder)

const TYPES: Readonly<Record<string, ProviderType>> = {
  chat: 'openai-compatible',
  responses: 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'google',
}

/** The recordings that are not answers, with the reason. Everything else must be returned unchanged. */
const REFUSED: Readonly<Record<string, string>> = {
  '100-chat.sse': 'Groq: no delta has a role, so nothing shows that this is the beginning',
  '101-chat.sse': 'Groq: an error object in mid-stream (tool_use_failed), no finish_reason',
  '104-chat.sse': 'Groq: an error object in mid-stream (tool_use_failed), no finish_reason',
  '142-chat.sse': 'Snowflake: ends without a finish_reason',
}

interface Fixture {
  file: string
  kind: string
  model: string | null
}

const fixtures = isThere ? (JSON.parse(readFileSync(resolve(folder, 'index.json'), 'utf8')) as Fixture[]) : []
const answers = fixtures.filter((fixture) => REFUSED[fixture.file] === undefined)
const refused = fixtures.flatMap((fixture) => {
  const why = REFUSED[fixture.file]
  return why === undefined ? [] : [{ ...fixture, why }]
})

const bytesOf = (fixture: Fixture): Buffer => readFileSync(resolve(folder, fixture.file))

/**
 * Chunk sizes: whole, single bytes (where that is fast enough), and two that fall inside lines, escapes and UTF-8
 * sequences.
 */
const splitsOf = (bytes: Buffer): number[] => [Number.POSITIVE_INFINITY, 7, 1021, ...(bytes.length > 60_000 ? [] : [1])]

/** Where to cut: at five places spread over the body, and after each of its last six events. */
function cutsOf(bytes: Buffer): number[] {
  const spread = Array.from({ length: 5 }, (_, index) => Math.floor((bytes.length * (index + 1)) / 6))
  const ends: number[] = []
  for (let at = bytes.length - 3; at > 0 && ends.length < 6; at -= 1) {
    if (bytes[at] === 10 && (bytes[at + 1] === 10 || (bytes[at + 1] === 13 && bytes[at + 2] === 10))) ends.push(at + 1)
  }
  return [...spread, ...ends]
}

function answering(bytes: Uint8Array, size: number): typeof globalThis.fetch {
  return () => {
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(at, at + size))
        at += size
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }
}

/** The answer in `bytes`, or the code of the failure at their end; any other error fails the test. */
async function replay(fixture: Fixture, bytes: Uint8Array, size: number) {
  const provider = await createProvider(
    { type: TYPES[fixture.kind]! },
    { key: 'test-key', fetch: answering(bytes, size) },
  )
  const request = askFor('hi', { model: fixture.model ?? 'gemini-2.5-pro' })
  try {
    const { text, thinking, calls, usage, reason } = await collect(
      provider.stream(request, new AbortController().signal),
    )
    return { text, thinking, calls: calls.map(({ name, input }) => ({ name, input })), usage, reason }
  } catch (error) {
    if (error instanceof CodedError) return error.code
    throw error
  }
}

describe.skipIf(!isThere)(
  `recorded streams (${isThere ? folder : 'skipped: not found beside the checkout; set TRESTLE_WIRE_FIXTURES'})`,
  () => {
    it('exist for all four wires, including every one that must be rejected', () => {
      expect(new Set(fixtures.map((fixture) => fixture.kind))).toEqual(new Set(Object.keys(TYPES)))
      expect(refused).toHaveLength(Object.keys(REFUSED).length)
    })

    it.each(answers)(
      '$file gives the same as a plain reading of its bytes, however they are split',
      async (fixture) => {
        const bytes = bytesOf(fixture)
        const expected = referenceAnswer(fixture.kind, bytes.toString('utf8'))
        const reason = expected.calls.length > 0 ? 'tool_calls' : 'stop'
        for (const size of splitsOf(bytes)) expect(await replay(fixture, bytes, size)).toEqual({ ...expected, reason })
      },
    )

    it.each(answers)(
      '$file cut off anywhere is a failure, or the whole answer when only bytes after its end are missing',
      async (fixture) => {
        const bytes = bytesOf(fixture)
        const { usage: _maybeCut, ...expected } = referenceAnswer(fixture.kind, bytes.toString('utf8'))
        const ends = await Promise.all(
          cutsOf(bytes).map((length) => replay(fixture, bytes.subarray(0, length), Number.POSITIVE_INFINITY)),
        )
        expect(ends).toContain('model.incomplete')
        for (const end of ends.filter((one) => one !== 'model.incomplete')) expect(end).toMatchObject(expected)
      },
    )

    it.each(refused)('$file ends with a clear error, never with an answer ($why)', async (fixture) => {
      const bytes = bytesOf(fixture)
      for (const size of splitsOf(bytes)) expect(await replay(fixture, bytes, size)).toBe('model.incomplete')
    })
  },
)
