import { describe, expect, it } from 'vitest'
import { truncateResult } from './truncate-result'
import { failed, ok } from './tool'

const PICTURE = { type: 'media' as const, mediaType: 'image/png', data: 'AAAA' }

function saver() {
  const saved: string[] = []
  return { saved, save: async (text: string) => `/s/result-${saved.push(text)}.txt` }
}

async function diskFull(): Promise<string> {
  throw new Error('no space left')
}

describe('truncateResult', () => {
  it('leaves a result at the limit unchanged and saves nothing', async () => {
    const { saved, save } = saver()
    const result = ok('x'.repeat(50_000))
    expect(await truncateResult(result, { save })).toBe(result)
    expect(saved).toEqual([])
  })

  it('keeps the whole text in a file, and returns 20 kB of its start and end with size and path between', async () => {
    const { saved, save } = saver()
    const text = Array.from({ length: 10_000 }, (_, index) => `line ${index} \u20ac\n`).join('')
    const { content } = await truncateResult(ok(text), { save })
    expect(saved).toEqual([text])
    expect(content).toHaveLength(1)
    const [part] = content
    const shown = part?.type === 'text' ? part.text : ''
    expect(shown).toMatch(
      /^line 0 \u20ac\n[^]*\u20ac\n\[The result is too long to show \(118,890 characters, 138,890 bytes\)\. All of it is in \/s\/result-1\.txt; [^\n]*\]\nline \d+ \u20ac\n[^]*\nline 9999 \u20ac\n$/,
    )
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(20_000)
    expect(Buffer.byteLength(shown)).toBeGreaterThan(19_900)
  })

  it('counts all text parts together and leaves media where they are', async () => {
    const { saved, save } = saver()
    const content = [
      PICTURE,
      { type: 'text' as const, text: 'x'.repeat(6) },
      PICTURE,
      { type: 'text' as const, text: 'y'.repeat(6) },
    ]
    const limited = await truncateResult({ content }, { maxChars: 10, save })
    expect(saved).toEqual(['xxxxxxyyyyyy'])
    expect(limited.content.map(({ type }) => type)).toEqual(['media', 'text', 'media'])
  })

  it('does not cut a character in half', async () => {
    const { save } = saver()
    for (const maxChars of [1_000, 1_001, 1_002, 1_003]) {
      const { content } = await truncateResult(ok('\u{1f600}'.repeat(2_000)), { maxChars, save })
      const [part] = content
      expect(
        part?.type === 'text' &&
          part.text.isWellFormed() &&
          /\u{1f600}\n\[The result[^]*\]\n\u{1f600}/u.test(part.text),
      ).toBe(true)
    }
  })

  it('keeps error and details', async () => {
    const { save } = saver()
    const limited = await truncateResult(failed('x'.repeat(20), { kind: 'text', text: 't' }), { maxChars: 10, save })
    expect(limited).toMatchObject({ isError: true, details: { kind: 'text', text: 't' } })
  })

  it('returns what is allowed when the disk is full, instead of nothing', async () => {
    const { content } = await truncateResult(ok('x'.repeat(2_000)), { maxChars: 1_000, save: diskFull })
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^x{300,}\n\[The result is too long.*no space left.*\]\nx{200,}$/) },
    ])
  })
})
