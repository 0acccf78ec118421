import { expect, it } from 'vitest'
import { shownHunk } from './shown-hunk'

it('treats lines from the middle of a Markdown cell of a notebook as text, and those of a code cell as code', () => {
  const hunk = (kind: 'code' | 'markdown', isOutput?: true) =>
    shownHunk({ old: 5, new: 5, lines: ['     "import math\\n",'], changes: [] }, [
      { line: 3, cell: 1, kind, ...(isOutput && { isOutput }) },
    ]).code
  expect(hunk('code')).toEqual(['import math'])
  expect(hunk('code', true)).toEqual([''])
  expect(hunk('markdown')).toEqual([''])
})
