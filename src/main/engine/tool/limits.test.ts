import { describe, expect, it } from 'vitest'
import { limitResult } from './limits'
import { failed, ok } from './tool'

const PICTURE = { type: 'media' as const, mediaType: 'image/png', data: 'AAAA' }

function saver() {
  const saved: string[] = []
  return { saved, save: async (text: string) => `/s/result-${saved.push(text)}.txt` }
}

async function diskFull(): Promise<string> {
  throw new Error('no space left')
}

describe('limitResult', () => {
  it('leaves a result at the limit alone and saves nothing', async () => {
    const { saved, save } = saver()
    const result = ok('x'.repeat(50_000))
    expect(await limitResult(result, { save })).toBe(result)
    expect(saved).toEqual([])
  })

  it('keeps the whole text in a file and tells size, path and beginning', async () => {
    const { saved, save } = saver()
    const text = `${'a'.repeat(2_000)}${'\u20ac'.repeat(50_000)}`
    const { content } = await limitResult(ok(text), { save })
    expect(saved).toEqual([text])
    expect(content).toHaveLength(1)
    const [part] = content
    const shown = part?.type === 'text' ? part.text : ''
    expect(shown).toContain('52,000 characters, 152,000 bytes')
    expect(shown).toContain('/s/result-1.txt')
    expect(shown.endsWith(`\n\n${'a'.repeat(2_000)}`)).toBe(true)
  })

  it('counts all text parts together and leaves media where they are', async () => {
    const { saved, save } = saver()
    const content = [PICTURE, { type: 'text' as const, text: 'x'.repeat(6) }, PICTURE, { type: 'text' as const, text: 'y'.repeat(6) }]
    const limited = await limitResult({ content }, { maxChars: 10, save })
    expect(saved).toEqual(['xxxxxxyyyyyy'])
    expect(limited.content.map(({ type }) => type)).toEqual(['media', 'text', 'media'])
  })

  it('does not cut a character in half', async () => {
    const { save } = saver()
    const { content } = await limitResult(ok(`${'a'.repeat(1_999)}${'\u{1f600}'.repeat(10)}`), { maxChars: 2_010, save })
    const [part] = content
    expect(part?.type === 'text' && part.text.isWellFormed() && part.text.endsWith('a')).toBe(true)
  })

  it('keeps error and details', async () => {
    const { save } = saver()
    const limited = await limitResult(failed('x'.repeat(20), { kind: 'text', text: 't' }), { maxChars: 10, save })
    expect(limited).toMatchObject({ isError: true, details: { kind: 'text', text: 't' } })
  })

  it('gives the model what is allowed when the disk is full, instead of nothing', async () => {
    const { content } = await limitResult(ok('x'.repeat(20)), { maxChars: 10, save: diskFull })
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^x{10}\n\n\[Cut here.*no space left/) }])
  })
})
