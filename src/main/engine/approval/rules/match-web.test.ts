import { expect, test } from 'vitest'
import { addressRefusal } from '../address-refusal'
import { webGlob } from './match-web'

test.each([
  ['example.org', 'https://example.org/a', true, true],
  ['example.org', 'https://www.example.org/a', false, true],
  ['example.org', 'https://notexample.org/', false, false],
  ['example.org', 'https://example.org.evil.net/', false, false],
  ['example.org', 'https://evil.net/example.org', false, false],
  ['*.example.org', 'https://a.b.example.org/', true, true],
  ['*.example.org', 'https://example.org/', false, false],
  ['localhost:8080', 'http://localhost:8080/x', true, true],
  ['localhost:8080', 'http://localhost:8081/x', false, false],
  ['https://example.org/docs/**', 'https://example.org/docs/a/b', true, true],
  ['https://example.org/docs/*', 'https://example.org/docs/a/b', false, true],
  ['https://example.org/docs', 'https://example.org/docs-private', false, false],
  ['https://example.org/docs', 'http://example.org/docs', false, false],
  ['EXAMPLE.org', 'https://example.ORG/', true, true],
])('%s and %s: allow %s, deny %s', (pattern, url, allows, denies) => {
  expect(webGlob(pattern)(url)).toBe(allows)
  expect(webGlob(pattern, { broad: true })(url)).toBe(denies)
})

test('where a page redirects to, deny and ask rules count, and a rule that cannot be read counts as one', () => {
  const rule = { scope: 'user', file: '/c.toml', index: 0, line: 3 } as const
  expect(addressRefusal([{ ...rule, decision: 'deny', pattern: 'FetchURL(evil.net)' }], 'https://a.evil.net/')).toContain(
    'deny FetchURL(evil.net) (/c.toml:3)',
  )
  expect(addressRefusal([{ ...rule, decision: 'ask', pattern: 'FetchURL(evil.net)' }], 'https://evil.net/')).toBeDefined()
  expect(addressRefusal([{ ...rule, decision: 'allow', pattern: 'FetchURL(evil.net)' }], 'https://evil.net/')).toBeUndefined()
  expect(addressRefusal([{ ...rule, decision: 'deny', pattern: 'FetchURL(', mistake: 'is no pattern' }], 'https://x.org/')).toBeDefined()
})
