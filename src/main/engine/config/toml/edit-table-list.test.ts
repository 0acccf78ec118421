import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editTableList, type TableListEdit } from './edit-table-list'
import { parseToml } from './parse-toml'

const RULES = ['permission', 'rules']
const FILE = `# My settings
default_model = "a/b" # the good one

# Rules of the house
[[permission.rules]]
decision = "allow" # quick
pattern = "Bash(npm test)"

# Keep out
[[permission.rules]]
decision = "deny"
pattern = "Read(secrets/**)"

[tools]
disabled = ["X"]

[[permission.rules]]
decision = "ask"
pattern = "Bash(git push *)"
`

function rulesIn(text: string): unknown[] {
  const parsed = parseToml(text, 'config.toml')
  if (!('table' in parsed)) throw new Error(parsed.problem.message)
  return JSON.parse(JSON.stringify((parsed.table['permission'] as { rules?: unknown[] } | undefined)?.rules ?? []))
}

const edit = (change: TableListEdit, text = FILE): string => editTableList(text, RULES, change)
const patterns = (text: string): string[] => (rulesIn(text) as { pattern: string }[]).map(({ pattern }) => pattern)

test('adds a table after its siblings', () => {
  const after = edit({ kind: 'add', values: { decision: 'allow', pattern: 'Read' } })
  expect(after).toBe(`${FILE}\n[[permission.rules]]\ndecision = "allow"\npattern = "Read"\n`)
})

test('adds the first table to an empty file, and after other text', () => {
  expect(edit({ kind: 'add', values: { decision: 'ask', pattern: 'Write' } }, '')).toBe(
    '[[permission.rules]]\ndecision = "ask"\npattern = "Write"\n',
  )
  expect(edit({ kind: 'add', values: { decision: 'ask', pattern: 'Write' } }, '[loop]\nmax_steps = 3')).toBe(
    '[loop]\nmax_steps = 3\n\n[[permission.rules]]\ndecision = "ask"\npattern = "Write"\n',
  )
})

test('adds a table before another one and its comment', () => {
  const after = edit({ kind: 'add', at: 1, values: { decision: 'allow', pattern: 'Read' } })
  expect(patterns(after)).toEqual(['Bash(npm test)', 'Read', 'Read(secrets/**)', 'Bash(git push *)'])
  expect(after).toContain('# Keep out\n[[permission.rules]]\ndecision = "deny"')
})

test('changes only the named values, and keeps the comments on their lines', () => {
  const after = edit({ kind: 'change', index: 0, values: { decision: 'deny', sandbox: 'unrestricted' } })
  expect(after).toBe(
    FILE.replace('"allow" # quick', '"deny" # quick').replace(
      'pattern = "Bash(npm test)"',
      'pattern = "Bash(npm test)"\nsandbox = "unrestricted"',
    ),
  )
})

test('removes a table and keeps every comment', () => {
  const after = edit({ kind: 'remove', index: 1 })
  expect(patterns(after)).toEqual(['Bash(npm test)', 'Bash(git push *)'])
  expect(after).toContain('# Keep out')
  expect(after).toContain('disabled = ["X"]')
})

test('moves a table with the comment above it', () => {
  const after = edit({ kind: 'move', index: 1, to: 0 })
  expect(patterns(after)).toEqual(['Read(secrets/**)', 'Bash(npm test)', 'Bash(git push *)'])
  expect(after).toContain('# Keep out\n[[permission.rules]]\ndecision = "deny"')
  expect(after).toContain('# Rules of the house\n[[permission.rules]]\ndecision = "allow" # quick')
})

test('moves the last table to the front of a file without a final line break', () => {
  const after = edit({ kind: 'move', index: 2, to: 0 }, FILE.trimEnd())
  expect(patterns(after)).toEqual(['Bash(git push *)', 'Bash(npm test)', 'Read(secrets/**)'])
  expect(after).toContain('disabled = ["X"]')
})

test('changes a list written on one line', () => {
  const text =
    '[permission]\nrules = [{ decision = "allow", pattern = "Read" }, { decision = "ask", pattern = "Write" }]\n'
  expect(patterns(edit({ kind: 'remove', index: 0 }, text))).toEqual(['Write'])
  expect(patterns(edit({ kind: 'add', values: { decision: 'deny', pattern: 'Edit' } }, text))).toEqual([
    'Read',
    'Write',
    'Edit',
  ])
})

test('keeps CRLF line endings and a byte order mark', () => {
  const text = `\ufeff${FILE.replaceAll('\n', '\r\n')}`
  const after = edit({ kind: 'add', values: { decision: 'allow', pattern: 'Read' } }, text)
  expect(after.startsWith('\ufeff')).toBe(true)
  expect(after.replaceAll('\r\n', '')).not.toContain('\n')
})

test('refuses a file that does not parse', () => {
  expect(() => edit({ kind: 'remove', index: 0 }, '[[permission.rules]\n')).toThrow(/has a mistake in line 1/)
})

test('random sequences of edits have the intended result and lose no comment', () => {
  const values = fc.record({ decision: fc.constantFrom('allow', 'ask', 'deny'), pattern: fc.string({ maxLength: 12 }) })
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom('add', 'change', 'remove', 'move'), at: fc.nat(20), to: fc.nat(20), values }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(steps, (sequence) => {
      let text = FILE
      let expected = rulesIn(FILE)
      for (const { kind, at, to, values: given } of sequence) {
        const { length } = expected
        if (kind !== 'add' && length === 0) continue
        const index = length === 0 ? 0 : at % length
        const target = length === 0 ? 0 : to % length
        expected = [...expected]
        if (kind === 'add') expected.push(given)
        else if (kind === 'change') expected[index] = { ...(expected[index] as object), ...given }
        else if (kind === 'remove') expected.splice(index, 1)
        else expected.splice(target, 0, ...expected.splice(index, 1))
        text = edit(
          kind === 'add'
            ? { kind, values: given }
            : kind === 'change'
              ? { kind, index, values: given }
              : kind === 'remove'
                ? { kind, index }
                : { kind: 'move', index, to: target },
          text,
        )
        expect(rulesIn(text)).toEqual(expected)
        for (const comment of ['# My settings', '# the good one', '# Rules of the house', '# Keep out'])
          expect(text).toContain(comment)
      }
    }),
    { numRuns: 60 },
  )
})
