import { describe, expect, it } from 'vitest'
import type { ReviewHunk } from '../../../../shared/model/session/review'
import { rowsOf, withLines, type RowOptions, type ShownDiff } from './review-rows'

const HUNK: ReviewHunk = {
  old: 10,
  new: 10,
  lines: [' a', '-b', '-c', '+B', ' d'],
  changes: [{ id: 'x', at: 1, count: 3 }],
}
const DIFF: ShownDiff = {
  path: '/p/a.ts',
  key: 'k',
  added: 1,
  removed: 2,
  hunks: [HUNK],
  oldLines: 31,
  newLines: 30,
  notes: [],
}
const PLAIN: RowOptions = { isSplit: false, asJson: false, kept: new Set(), comments: [], draft: undefined }
const texts = (options: RowOptions, diff = DIFF): string[] =>
  rowsOf(diff, options).map((row) =>
    row.kind === 'line'
      ? `${row.old ? `${row.old.line} ${row.old.text}` : '-'} | ${row.new ? `${row.new.line} ${row.new.text}` : '-'}`
      : row.kind === 'gap'
        ? `gap ${row.hidden}`
        : row.kind,
  )

describe('the rows of a file', () => {
  it('inline, removed lines are above added ones', () => {
    expect(texts(PLAIN)).toEqual(['gap 9', '10 a | 10 a', '11 b | -', '12 c | -', '- | 11 B', '13 d | 12 d', 'gap 18'])
  })

  it('side by side, removed and added lines are next to each other', () => {
    expect(texts({ ...PLAIN, isSplit: true })).toEqual([
      'gap 9',
      '10 a | 10 a',
      '11 b | 11 B',
      '12 c | -',
      '13 d | 12 d',
      'gap 18',
    ])
  })

  it('a kept change is folded', () => {
    expect(texts({ ...PLAIN, kept: new Set(['x']) })).toEqual(['gap 9', '10 a | 10 a', 'kept', '13 d | 12 d', 'gap 18'])
  })

  it('comments are below their last line, or at the top if that line is hidden', () => {
    const comment = {
      id: '1',
      path: '/p/a.ts',
      name: 'a.ts',
      side: 'new' as const,
      line: 10,
      endLine: 11,
      quote: '',
      text: 't',
    }
    expect(texts({ ...PLAIN, comments: [comment] })[5]).toBe('comment')
    expect(texts({ ...PLAIN, comments: [{ ...comment, line: 3, endLine: 3 }] })[0]).toBe('comment')
    expect(texts({ ...PLAIN, comments: [{ ...comment, gone: true }] })[0]).toBe('comment')
  })

  it('say which version has no newline at its end', () => {
    const remarks = (...lines: string[]): string[] => {
      const hunk = { old: 1, new: 1, lines, changes: [{ id: 'x', at: 0, count: lines.length }] }
      return rowsOf({ ...DIFF, hunks: [hunk], oldLines: 1, newLines: 1 }, PLAIN).flatMap((row) =>
        row.kind === 'note' ? [row.text] : [],
      )
    }
    expect(remarks('-a', '\\No newline', '+a')).toEqual(['No newline before this change'])
    expect(remarks('-a', '+a', '\\No newline')).toEqual(['No newline after this change'])
    expect(remarks('-a', '\\No newline', '+b', '\\No newline')).toEqual(['No newline'])
    expect(remarks('+a', '\\No newline')).toEqual(['No newline'])
  })

  it('every row has a unique key', () => {
    const keys = rowsOf(DIFF, PLAIN).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('the rows of a notebook', () => {
  // The code cell starts at line 10 and its outputs at line 13, with one text at line 16.
  const notebook: ShownDiff['notebook'] = [
    { line: 3, cell: 1, kind: 'markdown' },
    { line: 10, cell: 2, kind: 'code' },
    { line: 13, cell: 2, kind: 'code', isOutput: true },
    { line: 19, cell: 2, kind: 'code' },
  ]
  const shown = (hunk: ReviewHunk, options: Partial<RowOptions> = {}) =>
    rowsOf({ ...DIFF, hunks: [hunk], notebook }, { ...PLAIN, ...options }).map((row) => {
      if (row.kind === 'cell' || row.kind === 'note') return row.text
      if (row.kind !== 'line') return row.kind
      const sides = row.old && row.new ? ' ' : row.old ? '-' : '+'
      return `${row.isFirst ? '>' : ''}${sides}${row.new?.line ?? row.old?.line} ${(row.new ?? row.old)?.text}`
    })
  const inSource: ReviewHunk = {
    old: 19,
    new: 19,
    lines: ['    }', '    ],', '    "source": [', '-    "a = 1\\n",', '+    "a = 2\\n",', '+    "b = 3"', '    ]'],
    changes: [{ id: 'x', at: 3, count: 3 }],
  }

  it('are the lines of its cells under the heading of their cell, with their numbers in the file', () => {
    const rows = shown(inSource)
    expect(rows).toEqual(['notebook', 'gap', 'Code cell 2', '>-22 a = 1', '+22 a = 2', '+23 b = 3', 'gap'])
    expect(shown(inSource, { asJson: true })).toContain('+22     "a = 2\\n",')
  })

  it('start a change at its first visible line, and pair the visible lines side by side', () => {
    const added = ['+   },', '+   {', '+    "cell_type": "code",', '+    "source": "c = 1\\nd = 2\\n"']
    const hunk = { old: 25, new: 25, lines: ['     "x"', ...added], changes: [{ id: 'x', at: 1, count: 4 }] }
    expect(shown(hunk).slice(2, 7)).toEqual(['Code cell 2', ' 25 x', '>+28 — Code cell 2', '+29 c = 1', '+29 d = 2'])
    const rows = rowsOf({ ...DIFF, hunks: [inSource], notebook }, { ...PLAIN, isSplit: true })
    expect(rows.flatMap((row) => (row.kind === 'line' ? [[row.old?.text, row.new?.text]] : []))).toEqual([
      ['a = 1', 'a = 2'],
      [undefined, 'b = 3'],
    ])
    const keys = rowsOf({ ...DIFF, hunks: [hunk], notebook }, PLAIN).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('show a change of the frame alone as it is, so that it can be undone', () => {
    const lines = ['    "metadata": {},', '-   ],', '+   ]', ' }']
    const hunk = { old: 30, new: 30, lines, changes: [{ id: 'x', at: 1, count: 2 }] }
    expect(shown(hunk).filter((row) => /^>?[-+]/.test(row))).toEqual(['>-31    ],', '+31    ]'])
  })

  it('keep comments on lines that are not shown, below the line above', () => {
    const about = { path: '/p/a.ts', name: 'a.ts', side: 'new' as const, line: 24, endLine: 24, quote: '' }
    const comments = [{ id: '1', ...about, text: 't' }]
    expect(shown(inSource, { comments }).slice(5)).toEqual(['+23 b = 3', 'comment', 'gap'])
    // The line in the JSON has two rows; the comment is below both.
    const two = { old: 25, new: 25, lines: ['+    "c\\nd"'], changes: [{ id: 'x', at: 0, count: 1 }] }
    const onLine = [{ ...comments[0]!, line: 25, endLine: 25 }]
    expect(shown(two, { comments: onLine }).slice(3)).toEqual(['>+25 c', '+25 d', 'comment', 'gap'])
  })

  it('separate the outputs of a cell from its source', () => {
    const lines = ['      "1\\n"', '     ]', '    }', '    ],', '    "source": [', '-    "a"', '+    "b"']
    const hunk = { old: 16, new: 16, lines, changes: [{ id: 'x', at: 5, count: 2 }] }
    expect(shown(hunk).slice(2)).toEqual(['Code cell 2, output', ' 16 1', ' 20 — Source', '>-21 a', '+21 b', 'gap'])
  })
})

describe('context', () => {
  it('expands upwards, downwards, and joins hunks that meet', () => {
    const second: ReviewHunk = { old: 21, new: 20, lines: ['+x'], changes: [{ id: 'y', at: 0, count: 1 }] }
    const down = withLines([HUNK, second], 1, 13, ['e', 'f'])
    expect(down.map(({ lines }) => lines.length)).toEqual([7, 1])
    const up = withLines(down, 1, 18, ['k', 'l'])
    expect(up[1]).toMatchObject({ old: 19, new: 18, lines: [' k', ' l', '+x'], changes: [{ at: 2 }] })
    const [whole] = withLines(up, 1, 15, ['h', 'i', 'j'])
    expect(whole).toMatchObject({
      old: 10,
      new: 10,
      changes: [
        { id: 'x', at: 1 },
        { id: 'y', at: 12 },
      ],
    })
    expect(whole?.lines[12]).toBe('+x')
  })

  it('expands to the beginning and the end of the file', () => {
    expect(withLines([HUNK], 0, 7, ['x', 'y', 'z'])[0]).toMatchObject({ old: 7, new: 7, changes: [{ at: 4 }] })
    expect(withLines([HUNK], 1, 13, ['e'])[0]?.lines.at(-1)).toBe(' e')
  })
})
