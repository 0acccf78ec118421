import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../../engine/workspace/unified-diff'
import { diffContent } from './tool-call'

describe('the stretches of a diff', () => {
  it('are exactly what is replaced, so that each can be found in the file and put in its place', async () => {
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
          // Lines that repeat: the stretch is where what is before it fits the new text.
          const start = startOf(rest, oldText!, (found) => after.startsWith(made + rest.slice(0, found) + newText))
          made += rest.slice(0, start) + newText
          rest = rest.slice(start + oldText!.length)
        }
        expect(made + rest).toBe(after)
      }),
    )
  })

  it('of a new file are the file, without an old text', async () => {
    const { diff } = await unifiedDiff('f', undefined, 'one\ntwo')
    expect(diffContent('/f', diff)).toEqual({
      content: [{ type: 'diff', path: '/f', oldText: null, newText: 'one\ntwo' }],
      line: 1,
    })
  })

  it('are nothing for a diff that could not be made', () => {
    expect(diffContent('/f', '')).toEqual({ content: [] })
  })
})

function startOf(text: string, part: string, fits: (at: number) => boolean): number {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) if (fits(at)) return at
  return -1
}
