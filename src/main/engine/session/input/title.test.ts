import { expect, test } from 'vitest'
import { titleFrom } from './title'

test.each([
  ['fix the login', 'fix the login'],
  ['\n\n## Fix the **login**\n\nIt fails.', 'Fix the login'],
  ['Fix the login page. It shows nothing.', 'Fix the login page'],
  ['Why does the test fail? It passed before.', 'Why does the test fail?'],
  ['Hi. Fix the login page', 'Hi. Fix the login page'],
  ['Read [the notes](notes.md) and `src/a.ts`', 'Read the notes and src/a.ts'],
  ['rename __init__.py to main.py', 'rename __init__.py to main.py'],
  ['update to 2.0. see notes', 'update to 2.0. see notes'],
])('the title of %j is the first sentence without Markdown: %s', (prompt, title) => {
  expect(titleFrom(prompt)).toBe(title)
})

test('a long title is cut between words, and text without words gives none', () => {
  expect(titleFrom('word '.repeat(40))).toBe(`${'word '.repeat(14).trim()}…`)
  expect(titleFrom(' \n#  \n')).toBeUndefined()
})

test('a prompt with one line of millions of characters gets a title', () => {
  expect(titleFrom('a'.repeat(20_000_000))).toBe(`${'a'.repeat(72)}…`)
  expect(titleFrom(`${' '.repeat(5_000_000)}\n${'- '.repeat(5000)}\n\nFix the login`)).toBe('Fix the login')
})
