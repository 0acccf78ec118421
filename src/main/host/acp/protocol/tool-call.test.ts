import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../../engine/workspace/unified-diff'
import { diffContent } from './tool-call'

describe('the hunks of a diff', () => {
  it('match the replaced text exactly, so that each can be found in the file and applied', async () => {
    const texts = fc
      .array(fc.constantFrom('a\n', 'b\n', '-c\n', '+\n', '\n', ' d', '\\ e\n'), { maxLength: 40 })
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(texts, texts, async (before, after) => {
        fc.pre(before !== after)
        const { diff } = await unifiedDiff('f', before, after)
        let [rest, made] = [before, '']
        for (const { oldText, newText } of diffContent('/f', diff).content) {
          const at = rest.indexOf(oldText!)
          expect(at).toBeGreaterThanOrEqual(0)
          // Repeated lines: the hunk is where the preceding text matches the new text.
          const start = startOf(rest, oldText!, (found) => after.startsWith(made + rest.slice(0, found) + newText))
          made += rest.slice(0, start) + newText
          rest = rest.slice(start + oldText!.length)
        }
        expect(made + rest).toBe(after)
      }),
    )
  })

  it('of a new file are the whole file, without an old text', async () => {
    const { diff } = await unifiedDiff('f', undefined, 'one\ntwo')
    expect(diffContent('/f', diff)).toEqual({
      content: [{ type: 'diff', path: '/f', oldText: null, newText: 'one\ntwo' }],
      line: 1,
    })
  })

  it('are empty when no diff could be computed', () => {
    expect(diffContent('/f', '')).toEqual({ content: [] })
  })
})

function startOf(text: string, part: string, fits: (at: number) => boolean): number {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) if (fits(at)) return at
  return -1
}
