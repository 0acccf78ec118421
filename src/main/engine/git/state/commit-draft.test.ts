import { describe, expect, test } from 'vitest'
import { describeDiff, draftFrom } from './commit-draft'

function diffOf(name: string, lines: readonly string[], { from = name } = {}): string {
  return [
    `diff --git a/${from} b/${name}`,
    `--- a/${from}`,
    `+++ b/${name}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n')
}

const described = (...diffs: string[]): string | undefined => describeDiff(Buffer.from(diffs.join('')))

describe('the changes sent to a model', () => {
  test('are undefined without changes', () => expect(described()).toBeUndefined())

  test('have the whole diff of a small file, even with letters beyond ASCII', () => {
    const text = described(diffOf('a.txt', ['Grüße, 世界 👋']))!
    expect(text).toContain('+Grüße, 世界 👋')
    expect(text).toContain('(+1 -0)')
    expect(text).not.toContain('[shortened]')
  })

  test('say that a long file is shortened, and show the next one', () => {
    const text = described(diffOf('long.txt', ['x'.repeat(20_000)]), diffOf('next.txt', ['next']))!
    expect(text).toContain('[shortened]')
    expect(text).toContain('+next')
    expect(text.length).toBeLessThan(7_000)
  })

  test.each(['.env', 'config/.env', 'id_rsa', 'gemeinsam/schlüssel/.env'])(
    'contain no content of %s, only that it changed',
    (name) => {
      const text = described(diffOf(name, ['TOKEN=letmein']))!
      expect(text).toContain('(+1 -0)')
      expect(text).not.toContain('letmein')
    },
  )

  test('have no content of a file whose name before or after a rename suggests secrets', () => {
    expect(described(diffOf('notes.txt', ['TOKEN=letmein'], { from: '.env' }))).not.toContain('letmein')
    expect(described(diffOf('.env', ['TOKEN=letmein'], { from: 'notes.txt' }))).not.toContain('letmein')
  })

  test('say how many files are left out when there are too many', () => {
    const big = (count: number): string[] =>
      Array.from({ length: count }, (_, at) => diffOf(`${at}.txt`, ['y'.repeat(7_000)]))
    expect(described(...big(4))).not.toContain('more')
    expect(described(...big(5))).toMatch(/\nand 1 more file$/)
    expect(described(...big(9))).toMatch(/\nand 5 more files$/)
  })
})

test.each([
  ['fix: one thing', 'fix: one thing'],
  ['```\nfix: one thing\n\nBecause.\n```', 'fix: one thing\n\nBecause.'],
  ['```text\r\nfix: one thing\r\n```\r\n', 'fix: one thing'],
  ['"fix: one thing"', 'fix: one thing'],
  ['“fix: one thing”', 'fix: one thing'],
  ['Say "hello" and "bye"', 'Say "hello" and "bye"'],
  ['', ''],
])('the message in %j is %j', (answer, message) => expect(draftFrom(answer)).toBe(message))
