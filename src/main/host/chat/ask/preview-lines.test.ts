import { expect, test } from 'vitest'
import { createStyle } from '../screen/style'
import { previewLines } from './preview-lines'

test('a call of a server is read argument by argument, and no value writes on the terminal or passes for another argument', () => {
  const lines = previewLines(
    {
      kind: 'call',
      server: 'tracker',
      tool: 'create',
      arguments: [
        { name: 'title', text: 'Typo\nurgent: true' },
        { name: 'body', text: '\u001b[2Jgone' },
      ],
      left: 12,
    },
    createStyle(false),
  )
  expect(lines.slice(0, 2)).toEqual(['title: Typo', '  urgent: true'])
  expect(lines.join('\n')).not.toContain('\u001b')
  expect(lines.at(-1)).toBe('12 more characters are not shown.')
})
