import { describe, expect, it } from 'vitest'
import { parsePatch } from './parse-patch'

const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

describe('parsePatch', () => {
  it('reads several files with every kind of operation', () => {
    const operations = parsePatch(
      patch(
        '*** Update File: src/a.py',
        '*** Move to: src/b.py',
        '@@ class A:',
        '@@     def f():',
        ' kept',
        '-old',
        '+new',
        '',
        '@@',
        '-last',
        '*** End of File',
        '*** Add File: new file.md',
        '+one',
        '+',
        '+  two',
        '*** Delete File: old.txt',
      ),
    )
    expect(operations).toEqual([
      {
        kind: 'update',
        path: 'src/a.py',
        moveTo: 'src/b.py',
        hunks: [
          {
            anchors: ['class A:', '    def f():'],
            lines: [
              { kind: 'keep', text: 'kept' },
              { kind: 'remove', text: 'old' },
              { kind: 'add', text: 'new' },
              { kind: 'keep', text: '', isBare: true },
            ],
            isAtEnd: false,
          },
          { anchors: [], lines: [{ kind: 'remove', text: 'last' }], isAtEnd: true },
        ],
      },
      { kind: 'add', path: 'new file.md', text: 'one\n\n  two\n' },
      { kind: 'delete', path: 'old.txt' },
    ])
  })

  it('accepts what shells and Markdown put around a patch, and CRLF', () => {
    const body = ['*** Begin Patch', '*** Add File: a', '+x', '*** End Patch']
    for (const wrapped of [
      `apply_patch <<'EOF'\n${body.join('\n')}\nEOF\n`,
      `\`\`\`\n${body.join('\n')}\n\`\`\``,
      `${body.join('\r\n')}\r\n`,
    ])
      expect(parsePatch(wrapped)).toEqual([{ kind: 'add', path: 'a', text: 'x\n' }])
  })

  it('does not mistake lines of a file for its own syntax', () => {
    const operations = parsePatch(
      patch('*** Add File: how-to.md', '+*** Begin Patch', '+*** End Patch', '+@@', '+*** Delete File: x'),
    )
    expect(operations).toEqual([
      { kind: 'add', path: 'how-to.md', text: '*** Begin Patch\n*** End Patch\n@@\n*** Delete File: x\n' },
    ])
    expect(parsePatch(patch('*** Update File: a', ' *** End Patch', '-*** Delete File: x', '+++ y'))).toMatchObject([
      {
        hunks: [
          {
            lines: [
              { kind: 'keep', text: '*** End Patch' },
              { kind: 'remove', text: '*** Delete File: x' },
              { kind: 'add', text: '++ y' },
            ],
          },
        ],
      },
    ])
  })

  it('ignores the line numbers of a unified diff', () => {
    expect(parsePatch(patch('*** Update File: a', '@@ -1,4 +1,4 @@ def f', '-x', '+y'))).toMatchObject([
      { hunks: [{ anchors: [] }] },
    ])
  })

  it.each([
    ['--- a/x\n+++ b/x\n', /is not a patch/],
    ['*** Begin Patch\n*** Update File: a\n-x\n+y', /may be cut off/],
    [patch('*** Update File: a', '-x', 'y'), /Line 4 of the patch cannot be read: "y".*before each line of a hunk/],
    [patch('*** Add File: a', 'x'), /Line 3.*"\+" before each line/],
    [patch('*** Rename File: a'), /Line 2.*Add File/],
    [patch('*** Update File: a'), /has no hunks/],
    [patch('*** Update File: a', ' kept'), /has no hunks/],
    [patch(''), /changes no file/],
    [`I patch it now.\n${patch('*** Delete File: a')}`, /text before/],
    [`${patch('*** Delete File: a')}\nDone, as you asked.`, /text after/],
  ])('reports what is wrong with %j', (text, problem) => {
    expect(() => parsePatch(text)).toThrow(problem)
  })
})
