import { expect, test } from 'vitest'
import { createStyle } from '../screen/terminal'
import { previewLines } from './ask'

test('shows a call of a server argument by argument, and no value can control the terminal or pose as another argument', () => {
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

test('shows a command that its sandbox blocked with the end of its output, and neither can control the terminal', () => {
  const lines = previewLines(
    {
      kind: 'sandbox',
      command: 'npm ci\n# \u001b[2Jgone',
      sandbox: { level: 'project', network: 'none' },
      denied: { kind: 'path', path: '/etc/hosts', access: 'write' },
      output: 'EROFS\n\u001b[1Aforged\u0007',
    },
    createStyle(false),
  )
  expect(lines[0]).toBe('$ npm ci')
  expect(lines.slice(-3)[0]).toBe('End of the output:')
  for (const control of ['\u001b', '\u0007']) expect(lines.join('\n')).not.toContain(control)
})
