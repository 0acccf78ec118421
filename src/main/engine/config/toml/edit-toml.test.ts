import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { editToml, type TomlEdit, appendRules } from './edit-toml'
import type { TomlInput } from './toml-text'
import { openConfig } from '../config'
import { parseToml } from './parse-toml'

const file = `# My config
default_model = "local/scripted"   # the one I like

# Local server
[providers.local]
type = "openai-compatible"      # openai-responses | anthropic
base_url = "http://127.0.0.1:8080/v1"
# key from env
api_key_env = "LOCAL_KEY"       # or api_key

# work
[providers."my.work"]
  type = "anthropic"
  headers = { "x-a" = "1", b = '2' }

[models."local/scripted"]
provider = "local"
model = "scripted"
context_window = 128_000
capabilities = [
  "tools", # yes
  "image_in",
  # thinking later
]

[tools]
# off for now
disabled = ["Bash"] # why
[loop]
max_steps = 200
# end of file
`

const set = (path: string[], value: TomlInput): TomlEdit => ({ path, value })
const remove = (...path: string[]): TomlEdit => ({ path, value: undefined })
/** Changed lines, as in a diff. */
function changes(before: string, after: string): string[] {
  const old = before.split('\n')
  const fresh = after.split('\n')
  return [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `-${line}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+${line}`),
  ]
}
const edited = (...edits: TomlEdit[]): string[] => changes(file, editToml(file, edits))

describe('a change affects only its own line', () => {
  test('a value keeps its comment', () => {
    expect(edited(set(['default_model'], 'x/y'))).toEqual([
      '-default_model = "local/scripted"   # the one I like',
      '+default_model = "x/y"   # the one I like',
    ])
  })

  test('setting the same value changes nothing, not even its notation', () => {
    expect(
      editToml(file, [set(['models', 'local/scripted', 'context_window'], 128_000), remove('nothing', 'here')]),
    ).toBe(file)
  })

  test('a new key goes to the end of its table, with its indentation', () => {
    expect(edited(set(['providers', 'my.work', 'api_key_env'], 'K'))).toEqual(['+  api_key_env = "K"'])
    const after = editToml(file, [set(['providers', 'local', 'api_key'], 'a"b\\\u007f')])
    expect(after).toContain('api_key_env = "LOCAL_KEY"       # or api_key\napi_key = "a\\"b\\\\\\u007f"\n\n# work\n')
  })

  test('a new key at the top goes above the tables and the comment of the first of them', () => {
    expect(editToml(file, [set(['default_permission_mode'], 'auto')])).toContain(
      '# the one I like\ndefault_permission_mode = "auto"\n\n# Local server\n[providers.local]',
    )
    expect(editToml('# header\n\n# about a\n[a]\nx = 1\n', [set(['k'], true)])).toBe(
      '# header\n\nk = true\n\n# about a\n[a]\nx = 1\n',
    )
  })

  test('a new provider becomes a table after the other providers, a model after the models', () => {
    const edits = [
      set(['providers', 'new'], { type: 'google', api_key_env: 'G' }),
      set(['models', 'new/m-1'], { provider: 'new', capabilities: ['tools'] }),
    ]
    const after = editToml(file, edits)
    expect(after).toContain(
      `headers = { "x-a" = "1", b = '2' }\n\n[providers.new]\n` +
        'type = "google"\napi_key_env = "G"\n\n[models."local/scripted"]',
    )
    expect(after).toContain(
      '  # thinking later\n]\n\n[models."new/m-1"]\nprovider = "new"\ncapabilities = ["tools"]\n\n[tools]',
    )
  })

  test('removing a provider keeps every comment, including those of its neighbors', () => {
    const after = editToml(file, [remove('providers', 'local')])
    expect(after).toContain('# Local server\n# key from env\n\n# work\n[providers."my.work"]')
    expect(after).not.toContain('8080')
  })

  test('adding and removing elements of a commented array keeps the comments', () => {
    const after = editToml(file, [set(['models', 'local/scripted', 'capabilities'], ['tools', 'thinking'])])
    expect(after).toContain('capabilities = [\n  "tools", # yes\n  "thinking",\n  # thinking later\n]')
    const turned = editToml(file, [set(['models', 'local/scripted', 'capabilities'], ['image_in', 'tools'])])
    expect(turned).toContain('capabilities = [\n  # yes\n  # thinking later\n  "image_in",\n  "tools",\n]')
    expect(edited(set(['tools', 'disabled'], ['Bash', 'Edit']))).toEqual([
      '-disabled = ["Bash"] # why',
      '+disabled = ["Bash", "Edit"] # why',
    ])
  })

  test('keys in inline tables', () => {
    expect(edited(set(['providers', 'my.work', 'headers', 'c'], '3'))[1]).toBe(
      `+  headers = { "x-a" = "1", b = '2', c = "3" }`,
    )
    expect(edited(remove('providers', 'my.work', 'headers', 'x-a'))[1]).toBe(`+  headers = { b = '2' }`)
    expect(edited(remove('providers', 'my.work', 'headers', 'b'))[1]).toBe(`+  headers = { "x-a" = "1" }`)
    expect(editToml('providers = { a = { type = "x" } } # c\n', [set(['providers', 'b', 'type'], 'y')])).toBe(
      'providers = { a = { type = "x" }, b.type = "y" } # c\n',
    )
  })

  test('dotted keys stay dotted', () => {
    const dotted = 'providers.local.type = "a" # c\nproviders.local.url = "x"\n'
    expect(editToml(dotted, [set(['providers', 'local', 'type'], 'b'), set(['providers', 'local', 'n'], 1)])).toBe(
      'providers.local.type = "b" # c\nproviders.local.url = "x"\nproviders.local.n = 1\n',
    )
  })

  test('line endings, a byte order mark and a missing final line break are kept', () => {
    const windows = `\ufeff${file.replaceAll('\n', '\r\n')}`
    const after = editToml(windows, [set(['providers', 'new', 'type'], 'google'), set(['a'], 1), remove('loop')])
    expect(after.startsWith('\ufeff# My')).toBe(true)
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    expect(editToml('a = 1 # x', [set(['b'], 2)])).toBe('a = 1 # x\nb = 2')
    expect(editToml('', [set(['providers', 'x', 'type'], 'google')])).toBe('[providers.x]\ntype = "google"\n')
    expect(editToml('# only words', [set(['a'], 'b')])).toBe('# only words\n\na = "b"\n')
  })
})

test('a text that does not parse is refused with the position', () => {
  expect(() => editToml('a = \n', [set(['b'], 1)])).toThrow(
    expect.objectContaining({ code: 'config.write_failed', message: expect.stringContaining('line 1') }),
  )
})

test('a change that would break something else is refused', () => {
  expect(() => editToml('[[providers]]\nx = 1\n', [set(['providers', 'a', 'type'], 'x')])).toThrow(
    expect.objectContaining({ code: 'config.write_failed' }),
  )
  expect(() => editToml('providers = 3\n', [set(['providers', 'a', 'type'], 'x')])).toThrow(
    expect.objectContaining({ code: 'config.write_failed' }),
  )
})

function comments(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line.startsWith('#') && line !== '# not a comment')
}

/** All single values by path, except those at or below `except`. */
function values(table: unknown, except: readonly string[], path: string[] = []): Record<string, unknown> {
  if (path.length === except.length && path.every((part, index) => part === except[index])) return {}
  if (typeof table !== 'object' || table === null || Array.isArray(table)) return { [JSON.stringify(path)]: table }
  return Object.assign({}, ...Object.entries(table).map(([key, value]) => values(value, except, [...path, key])))
}

describe('random edits', () => {
  const names = ['a', 'b', 'local', 'x/y', 'dotted.name', 'ünï', '']
  const key = fc.constantFrom(...names)
  const scalar = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('# no comment', '"""', '[x]', 'é\ud800'),
  )
  const list = fc.array(fc.constantFrom('Bash', 'Edit', 'Read', 'a,b', '#'), { maxLength: 4 })
  const edit: fc.Arbitrary<TomlEdit> = fc.oneof(
    fc.record({
      path: fc.tuple(fc.constantFrom('providers', 'models'), key, fc.constantFrom('type', 'headers', 'key')),
      value: fc.oneof(scalar, list, fc.constant(undefined)),
    }),
    fc.record({ path: fc.tuple(fc.constantFrom('providers', 'models'), key), value: fc.constant(undefined) }),
    fc.record({
      path: fc.tuple(fc.constantFrom('tools', 'loop', 'new'), fc.constantFrom('disabled', 'max_steps')),
      value: fc.oneof(list, scalar, fc.constant(undefined)),
    }),
    fc.record({
      path: fc.tuple(fc.constantFrom('default_model', 'other')),
      value: fc.oneof(scalar, fc.constant(undefined)),
    }),
    fc.record({
      path: fc.tuple(fc.constant('models'), fc.constant('local/scripted'), fc.constant('capabilities')),
      value: list,
    }),
  )
  const starts = [
    file,
    file.replaceAll('\n', '\r\n'),
    '',
    '# c1\nproviders.local.type = "x" # c2\nproviders.a = { type = "q", headers = { z = 1 } }\n' +
      '# c3\n[models]\n"x/y" = { key = [ # c4\n  1, # c5\n  2\n] } # c6\n# c7\n[tools] # c8\n' +
      '  disabled = [ # c9\n    "Bash" # c10\n    , "Edit"\n    # c11\n  ]\n# c12',
    '[loop]\n[tools]\ndisabled = []\n[providers.local.headers]\n' +
      'x = """\n# not a comment\n"""\n\n\n\n[[array]]\n# c1\nx = 1\n',
  ]
  test('keep every comment line outside removed values, and every other value', () => {
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.array(edit, { minLength: 1, maxLength: 5 }), (start, edits) => {
        let text = start
        for (const one of edits) {
          const before = text
          text = editToml(text, [one])
          const meaning = parse(text)
          expect(values(meaning, one.path)).toEqual(values(parse(before), one.path))
          let found: unknown = meaning
          for (const part of one.path) found = Object.entries(found ?? {}).find(([key]) => key === part)?.[1]
          const wanted = typeof one.value === 'string' ? one.value.toWellFormed() : one.value
          expect(found).toEqual(wanted)
          const within = Array.isArray(one.value) ? /^$/ : /c[4-9]|c1[01]|thinking later/
          expect(comments(text)).toEqual(
            expect.arrayContaining(comments(before).filter((comment) => !within.test(comment))),
          )
        }
      }),
      { numRuns: 1500 },
    )
  })
})

const block = (pattern: string): string =>
  `[[permission.rules]]\ndecision = "allow"\npattern = ${JSON.stringify(pattern)}\n`

test.each([
  ['', block('Bash(a *)')],
  ['# mine', `# mine\n\n${block('Bash(a *)')}`],
  ['x = 1 # one\n\n[tools]\n# none\n', `x = 1 # one\n\n[tools]\n# none\n\n${block('Bash(a *)')}`],
  [
    '[[permission.rules]]\ndecision = "deny"\npattern = "Write"\n',
    `[[permission.rules]]\ndecision = "deny"\npattern = "Write"\n\n${block('Bash(a *)')}`,
  ],
])('only appends to %j', (before, after) => {
  expect(appendRules(before, ['Bash(a *)'])).toBe(after)
})

test('quotes, backslashes and several rules are written correctly, once each, with the line endings of the file', () => {
  const patterns = [`Bash(echo 'a"b' \\*)`, 'Write(ä/**)']
  const once = appendRules('a = 1\r\n', patterns)
  expect(once.replaceAll('\r\n', '')).not.toContain('\n')
  const read = parseToml(once, 'x')
  expect('table' in read && read.table['permission']).toEqual({
    rules: patterns.map((pattern) => ({ decision: 'allow', pattern })),
  })
  expect(appendRules(once, patterns)).toBe(once)
})

test('a rule is added to rules written as one list', () => {
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

test('a file that does not parse is left unchanged, and the error is reported', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-append-')))
  try {
    writeFileSync(join(home, 'config.toml'), '[tools\n')
    const config = await openConfig({ home })
    await expect(config.allow(['Bash(a)'])).rejects.toMatchObject({ code: 'config.write_failed' })
    expect(readFileSync(join(home, 'config.toml'), 'utf8')).toBe('[tools\n')
    writeFileSync(join(home, 'config.toml'), '# ok\n')
    await config.allow(['Bash(a)'])
    expect(config.settings.permission.rules).toMatchObject([
      { decision: 'allow', pattern: 'Bash(a)', scope: 'user', line: 3 },
    ])
    config.close()
  } finally {
    rmSync(home, { recursive: true })
  }
})
