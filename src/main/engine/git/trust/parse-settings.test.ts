import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { parseSettings } from './parse-settings'

test.each([
  ['[core]\n\tbare = false\n', [{ key: 'core.bare', value: 'false' }]],
  ['[core] bare\n', [{ key: 'core.bare', value: 'true' }]],
  ['[Filter "A.b"]\nClean = x\n', [{ key: 'filter.A.b.clean', value: 'x' }]],
  ['[a]\r\nb = "x # y" # note\r\n', [{ key: 'a.b', value: 'x # y' }]],
  ['[a]\nb = one\\\n two\n', [{ key: 'a.b', value: 'one two' }]],
  ['# nothing\n', []],
])('reads %j', (text, settings) => expect(parseSettings(text)).toEqual(settings))

test.each(['b = 1\n', '[a\nb = 1\n', '[a]\n1b = 1\n', '[a]\nb = "open\n', '[a "b]\nc = 1\n', '[a]\nb = \\x\n'])(
  'refuses %j',
  (text) => expect(parseSettings(text)).toBeUndefined(),
)

const folder = mkdtempSync(join(tmpdir(), 'trestle-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What git reads; undefined if it refuses the file. */
function fromGit(text: string): { key: string; value: string }[] | undefined {
  const file = join(folder, 'config')
  writeFileSync(file, text, 'latin1')
  try {
    const listed = execFileSync('git', ['config', '--file', file, '--list', '-z'], {
      stdio: 'pipe',
      encoding: 'latin1',
    })
    const entries = listed.split('\0').slice(0, -1)
    return entries.map((entry) => {
      const [key = '', ...value] = entry.split('\n')
      return { key, value: value.length === 0 ? 'true' : value.join('\n') }
    })
  } catch {
    return undefined
  }
}

test('reads everything as git does', () => {
  const pieces = [
    '[a]\n',
    '[A "b.C"]\n',
    'key',
    ' = ',
    '=',
    'x',
    'Y1',
    ' ',
    '\t',
    '"',
    '\\n',
    '\\\n',
    '#',
    ';',
    '\n',
    '\r\n',
  ]
  const texts = fc
    .sample(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), { numRuns: 600, seed: 14 })
    .map((parts) => `[a]\nkey${parts.join('')}`)
    .filter((text) => parseSettings(text) !== undefined)
    .slice(0, 30)
  expect(texts.length).toBe(30)
  for (const text of texts) expect({ text, settings: parseSettings(text) }).toEqual({ text, settings: fromGit(text) })
})
