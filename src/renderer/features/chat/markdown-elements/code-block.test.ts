import { expect, it } from 'vitest'
import { codePieces, linksIn } from './code-block'

const linked = (line: string): string[] => linksIn(line).map(({ start, end }) => line.slice(start, end))

it('finds paths and URLs in code, but not function calls', () => {
  expect(linked('  at run (src/app.ts:3:5)')).toEqual(['src/app.ts:3:5'])
  expect(linked("import { a } from './lib/a.ts' // see https://example.org/docs/a.html.")).toEqual([
    './lib/a.ts',
    'https://example.org/docs/a.html',
  ])
  expect(linked('console.log(1); curl "http://127.0.0.1:80/x.js"')).toEqual(['http://127.0.0.1:80/x.js'])
})

it('keeps every character and color of a line when links and colors overlap', () => {
  const line = "cat src/app.ts:3 'docs/a.md' https://a.example/b"
  const tokens = [
    { text: 'cat', kind: 'function' },
    { text: ' src/', kind: 'plain' },
    { text: "app.ts:3 '", kind: 'string' },
    { text: "docs/a.md' https://a.example/b", kind: 'plain' },
  ]
  const pieces = codePieces(tokens, linksIn(line))
  const text = (piece: { tokens: { text: string }[] }): string => piece.tokens.map((token) => token.text).join('')
  expect(pieces.map(text).join('')).toBe(line)
  expect(pieces.filter(({ link }) => link).map(text)).toEqual(['src/app.ts:3', 'docs/a.md', 'https://a.example/b'])
  expect(pieces.find(({ link }) => link)?.tokens).toEqual([
    { text: 'src/', kind: 'plain' },
    { text: 'app.ts:3', kind: 'string' },
  ])
})
