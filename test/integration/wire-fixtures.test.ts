import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProvider } from '../../src/main/engine/model/adapter'
import type { ProviderType } from '../../src/shared/model/settings'
import { CodedError } from '../../src/shared/model/errors'
import { askFor, collect } from '../support/collect-chunks'
import { referenceAnswer } from '../support/reference-sse'

const folder = process.env['TRESTLE_WIRE_FIXTURES'] ?? resolve(import.meta.dirname, '../../../shared/fixtures/wires')

const TYPES: Record<string, ProviderType> = {
  chat: 'openai-compatible',
  responses: 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'google',
}

/** The recordings that are not answers, and why. Everything else has to come out as it went in. */
const REFUSED: Record<string, string> = {
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

/** Chunk sizes: whole, every byte by itself, and two that fall inside lines, escapes and UTF-8 sequences. */
const SPLITS = [Number.POSITIVE_INFINITY, 1, 7, 1021]

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

describe.skipIf(!existsSync(folder))(
  `recorded streams (${existsSync(folder) ? folder : 'skipped: not found beside the checkout; set TRESTLE_WIRE_FIXTURES'})`,
  () => {
    const fixtures = existsSync(folder) ? (JSON.parse(readFileSync(resolve(folder, 'index.json'), 'utf8')) as Fixture[]) : []

    async function replay(fixture: Fixture, size: number) {
      const bytes = readFileSync(resolve(folder, fixture.file))
      const provider = await createProvider({ type: TYPES[fixture.kind]! }, { key: 'test-key', fetch: answering(bytes, size) })
      return collect(provider.stream(askFor('hi', { model: fixture.model ?? 'gemini-2.5-pro' }), new AbortController().signal))
    }

    it('finds recordings of all four wires', () => {
      expect(new Set(fixtures.map((fixture) => fixture.kind))).toEqual(new Set(Object.keys(TYPES)))
      for (const file of Object.keys(REFUSED)) expect(fixtures.map((fixture) => fixture.file)).toContain(file)
    })

    for (const fixture of fixtures) {
      const why = REFUSED[fixture.file]
      // Byte by byte costs a while on the largest; their other splits remain.
      const bytes = readFileSync(resolve(folder, fixture.file)).length
      const sizes = bytes > 60_000 ? SPLITS.filter((size) => size > 1) : SPLITS
      if (why !== undefined) {
        it(`${fixture.file} ends in a clear error, never in an answer (${why})`, async () => {
          for (const size of sizes) {
            const error = await replay(fixture, size).then(
              (answer) => expect.fail(`answered ${answer.text.slice(0, 100)}`),
              (thrown: unknown) => thrown,
            )
            expect(error).toBeInstanceOf(CodedError)
            expect((error as CodedError).code).toBe('model.incomplete')
          }
        })
      } else {
        it(`${fixture.file} says what the plain reading of its bytes says, however they are split`, async () => {
          const expected = referenceAnswer(fixture.kind, readFileSync(resolve(folder, fixture.file), 'utf8'))
          for (const size of sizes) {
            const { text, thinking, calls, usage, reason } = await replay(fixture, size)
            expect({ text, thinking, calls: calls.map(({ name, input }) => ({ name, input })), usage }).toEqual(expected)
            expect(reason).toBe(expected.calls.length > 0 ? 'tool_calls' : 'stop')
          }
        })
      }
    }
  },
)
