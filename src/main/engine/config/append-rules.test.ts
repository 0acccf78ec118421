import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendRules } from './append-rules'
import { openConfig } from './config'
import { parseToml } from './toml/parse-toml'

const block = (pattern: string): string => `[[permission.rules]]\ndecision = "allow"\npattern = ${JSON.stringify(pattern)}\n`

test.each([
  ['', block('Bash(a *)')],
  ['# mine', `# mine\n\n${block('Bash(a *)')}`],
  ['x = 1 # one\n\n[tools]\n# none\n', `x = 1 # one\n\n[tools]\n# none\n\n${block('Bash(a *)')}`],
  [
    '[[permission.rules]]\ndecision = "deny"\npattern = "Write"\n',
    `[[permission.rules]]\ndecision = "deny"\npattern = "Write"\n\n${block('Bash(a *)')}`,
  ],
])('would change more than the end of %j', (before, after) => {
  expect(appendRules(before, ['Bash(a *)'])).toBe(after)
})

test('quotes, backslashes and several rules arrive as they are, once each, and line ends stay those of the file', () => {
  const patterns = [`Bash(echo 'a"b' \\*)`, 'Write(ä/**)']
  const once = appendRules('a = 1\r\n', patterns)
  expect(once.replaceAll('\r\n', '')).not.toContain('\n')
  const read = parseToml(once, 'x')
  expect('table' in read && read.table['permission']).toEqual({ rules: patterns.map((pattern) => ({ decision: 'allow', pattern })) })
  expect(appendRules(once, patterns)).toBe(once)
})

test('rules written as one list get one more', () => {
  const after = appendRules('[permission]\nrules = [{ decision = "deny", pattern = "Write" }] # mine\n', ['Bash(a)'])
  const read = parseToml(after, 'x')
  expect('table' in read && read.table['permission']).toEqual({
    rules: [
      { decision: 'deny', pattern: 'Write' },
      { decision: 'allow', pattern: 'Bash(a)' },
    ],
  })
  expect(after).toContain('# mine')
})

test('a file that does not parse is left as it is, and that is said', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-append-')))
  try {
    writeFileSync(join(home, 'config.toml'), '[tools\n')
    const config = await openConfig({ home })
    await expect(config.allow(['Bash(a)'])).rejects.toMatchObject({ code: 'config.write_failed' })
    expect(readFileSync(join(home, 'config.toml'), 'utf8')).toBe('[tools\n')
    writeFileSync(join(home, 'config.toml'), '# ok\n')
    await config.allow(['Bash(a)'])
    expect(config.settings.permission.rules).toMatchObject([{ decision: 'allow', pattern: 'Bash(a)', scope: 'user', line: 3 }])
    config.close()
  } finally {
    rmSync(home, { recursive: true })
  }
})
