import { applyPatch } from 'diff'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from './unified-diff'
import { cpuMs } from '../../../../test/support/cpu-time'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('unifiedDiff', () => {
  it('describes a change so exactly that applying it gives the new text', async () => {
    const texts = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd', 'e\r\n'), { maxLength: 30 })
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(texts, texts, async (before, after) => {
        fc.pre(before !== after)
        const { diff, added, removed } = await unifiedDiff('f', before, after)
        expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after)
        const lines = diff.split('\n').slice(2)
        expect(added).toBe(lines.filter((line) => line.startsWith('+')).length)
        expect(removed).toBe(lines.filter((line) => line.startsWith('-')).length)
      }),
    )
  })

  it('numbers the lines of the file, with three lines of context', async () => {
    const before = numbered(100)
    const { diff, added, removed } = await unifiedDiff('src/x.ts', before, before.replace('line 50\n', 'fifty\n'))
    expect(diff).toBe(
      [
        '--- a/src/x.ts',
        '+++ b/src/x.ts',
        '@@ -47,7 +47,7 @@',
        ' line 47',
        ' line 48',
        ' line 49',
        '-line 50',
        '+fifty',
        ' line 51',
        ' line 52',
        ' line 53',
        '',
      ].join('\n'),
    )
    expect([added, removed]).toEqual([1, 1])
  })

  it('shows a new file as entirely added, and says if the last line has no newline', async () => {
    expect(await unifiedDiff('n', undefined, 'a\nb')).toEqual({
      diff: '--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
      added: 2,
      removed: 0,
    })
    expect(await unifiedDiff('n', undefined, '')).toMatchObject({ added: 0, removed: 0 })
  })

  it('does not hang on two large files that have nothing in common, and reports the simplified diff', async () => {
    const before = numbered(200_000)
    const after = before.replaceAll('line', 'other')
    const startedAt = cpuMs()
    const { diff, added, removed, note } = await unifiedDiff('f', before, after)
    expect(cpuMs() - startedAt).toBeLessThan(5_000)
    expect([added, removed]).toEqual([200_000, 200_000])
    expect(note).toMatch(/replaced whole.*cut after 100,000/)
    expect(diff.length).toBeLessThan(101_000)
  })

  it('stays exact for a small change in a very large file', async () => {
    const before = numbered(300_000)
    const result = await unifiedDiff('f', before, `${before}end\n`)
    expect(result).toMatchObject({ added: 1, removed: 0 })
    expect(result.note).toBeUndefined()
    expect(result.diff).toContain('@@ -299998,3 +299998,4 @@')
  })

  it('cuts a single line of a megabyte', async () => {
    const { diff, note } = await unifiedDiff('min.js', 'x'.repeat(1_000_000), 'y'.repeat(1_000_000))
    expect(diff.length).toBeLessThan(101_000)
    expect(note).toContain('cut')
  })
})
