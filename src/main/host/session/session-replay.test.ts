import { describe, expect, it } from 'vitest'
import type { ReplayOverview, ReplayStep } from '../../../shared/model/session/history'
import { displayWidth } from '../../console/display-width'
import { stepScreen, targetOf } from './session-replay'

const step = (more: Partial<ReplayStep> = {}): ReplayStep => ({
  seq: 3,
  total: 9,
  at: Date.UTC(2026, 0, 31, 12),
  type: 'tool.finished',
  turn: 1,
  title: 'Read a.ts',
  text: '',
  files: [],
  moreFiles: 0,
  ...more,
})
const screen = (shown: ReplayStep, more: Partial<Parameters<typeof stepScreen>[1]> = {}) =>
  stepScreen(shown, { columns: 40, rows: 12, scroll: 0, typed: '', ...more })

describe('the screen of an event', () => {
  it('fills the terminal exactly, and no line is wider than it', () => {
    const texts = [
      '',
      'short',
      'x'.repeat(500),
      '日本語のテキスト'.repeat(20),
      '\tindented\n'.repeat(30),
      '🚀'.repeat(99),
      '👨‍👩‍👧‍👦'.repeat(99),
    ]
    for (const text of texts)
      for (const [columns, rows] of [
        [80, 24],
        [40, 12],
        [7, 6],
        [1, 1],
      ] as const) {
        const { lines } = screen(step({ text, title: '標題'.repeat(30) }), { columns, rows })
        expect(lines).toHaveLength(Math.max(6, rows))
        // A wide character does not fit into one column.
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(2, columns))
      }
  })

  it('shows all of a long text across all scroll positions', () => {
    const text = Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n')
    const { maxScroll } = screen(step({ text }))
    const seen = new Set<string>()
    for (let scroll = 0; scroll <= maxScroll; scroll += 1)
      for (const line of screen(step({ text }), { scroll }).lines) if (line.startsWith('line')) seen.add(line)
    expect(seen.size).toBe(50)
    expect(screen(step({ text }), { scroll: maxScroll + 100 }).lines).toEqual(
      screen(step({ text }), { scroll: maxScroll }).lines,
    )
  })

  it('shows how many lines are below, in the singular for one', () => {
    const text = (count: number) => Array.from({ length: count }, () => 'x').join('\n')
    expect(screen(step({ text: text(8) })).lines.at(-2)).toBe('… 1 more line')
    expect(screen(step({ text: text(9) })).lines.at(-2)).toBe('… 2 more lines')
    expect(screen(step({ text: text(7) })).lines.at(-2)).toBe('')
  })

  it('shows changed files without the diff lines that repeat their name', () => {
    const files = [{ path: 'a.ts', action: 'change', diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-x\n+y\n' }]
    const { lines } = screen(step({ files: files as unknown as ReplayStep['files'], moreFiles: 1 }))
    expect(lines.slice(3, 10)).toEqual(['', 'change a.ts', '@@ -1 +1 @@', '-x', '+y', '', 'and 1 more file'])
  })

  it('shows no control characters from recorded events', () => {
    const { lines } = screen(step({ text: 'a\u001b[2Jb', title: 'c\u0007\nd', type: 'x\ry' }))
    // oxlint-disable-next-line no-control-regex
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
  })
})

describe('keys', () => {
  const turns = [2, 6].map((seq, n) => ({ turn: n + 1, seq, at: 0, text: '' }))
  const overview = { sessionId: 's', total: 9, turns } as unknown as ReplayOverview
  const to = (name: string | undefined, text: string | undefined, seq = 3, typed = '') =>
    targetOf(name, text, { seq, typed }, overview)

  it('go to the next or previous event, to the ends, and from turn to turn', () => {
    expect([to('right', undefined), to('left', undefined), to('home', undefined), to('end', undefined)]).toEqual([
      4, 2, 1, 9,
    ])
    expect([to(undefined, ']'), to(undefined, ']', 6), to(undefined, '['), to(undefined, '[', 2)]).toEqual([6, 9, 2, 1])
  })

  it('go to a typed number only after Enter', () => {
    expect(to('return', '\r', 3, '7')).toBe(7)
    expect(to('return', '\r')).toBeUndefined()
    expect(to('7', '7')).toBeUndefined()
  })
})
