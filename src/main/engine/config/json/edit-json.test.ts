import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editJson } from './edit-json'
import { parseJson, valueOf } from './parse-json'

const read = (text: string): unknown => {
  const parsed = parseJson(text)
  if ('problem' in parsed) throw new Error(`${parsed.problem.line}: ${parsed.problem.message}\n${text}`)
  return valueOf(parsed.root)
}

const FILE = `{
  // my servers
  "mcpServers": {
    "one": { "command": "a" }, // keep me
    // about two
    "two": {
      "command": "b", /* here too */
    },
  },
  "other": [1, 2], // not ours
}
`

test('changing, adding, renaming and removing a member keeps comments, order and commas around it', () => {
  expect(editJson(FILE, [{ path: ['mcpServers', 'one', 'command'], value: 'z' }])).toBe(FILE.replace('"a"', '"z"'))
  expect(editJson(FILE, [{ path: ['mcpServers', 'two', 'args'], value: ['-y', 'x'] }])).toBe(
    FILE.replace('/* here too */\n', '/* here too */\n      "args": [\n        "-y",\n        "x"\n      ],\n'),
  )
  expect(editJson(FILE, [{ path: ['mcpServers', 'one', 'args'], value: [] }])).toBe(
    FILE.replace('"a" }', '"a", "args": [] }'),
  )
  expect(editJson(FILE, [{ path: ['mcpServers', 'one'], rename: 'uno' }])).toBe(FILE.replace('"one"', '"uno"'))
  expect(editJson(FILE, [{ path: ['mcpServers', 'two'], remove: true }])).toBe(
    FILE.replace(/\n {4}\/\/ about two\n {4}"two": \{\n.*\n {4}\},/, ''),
  )
  expect(editJson(FILE, [{ path: ['mcpServers', 'one'], remove: true }])).toBe(
    FILE.replace('\n    "one": { "command": "a" }, // keep me', ''),
  )
  expect(editJson(FILE, [{ path: ['nothing', 'here'], remove: true }])).toBe(FILE)
})

test('the first server of an empty file or object is written in the usual layout, with the line endings of the file', () => {
  const edit = [{ path: ['mcpServers', 's'], value: { command: 'npx', args: ['-y', 'x'], env: {} } }]
  const written =
    '{\n  "mcpServers": {\n    "s": {\n      "command": "npx",\n      "args": [\n' +
    '        "-y",\n        "x"\n      ],\n      "env": {}\n    }\n  }\n}'
  expect(editJson('', edit)).toBe(`${written}\n`)
  expect(editJson('{}', edit)).toBe(written)
  expect(editJson('{"mcpServers":{}}', edit)).toContain('"command": "npx"')
  expect(editJson('{\r\n\t"a": 1\r\n}\r\n', [{ path: ['b'], value: { c: 1 } }])).toBe(
    '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}\r\n',
  )
  expect(editJson('{ "a": 1 }', [{ path: ['b'], value: 2 }])).toBe('{ "a": 1, "b": 2 }')
  expect(editJson('{\n  "a": 1 // one\n}', [{ path: ['b'], value: 2 }])).toBe('{\n  "a": 1, // one\n  "b": 2\n}')
})

test('of two members with the same name, the effective one is changed, and removing removes both', () => {
  const twice = '{ "a": 1, "a": 2 }'
  expect(read(twice)).toEqual({ a: 2 })
  expect(editJson(twice, [{ path: ['a'], value: 3 }])).toBe('{ "a": 1, "a": 3 }')
  expect(read(editJson(twice, [{ path: ['a'], remove: true }]))).toEqual({})
})

test('one edit changes that member and no other', () => {
  // V8 confuses the name "\"" with "\\" after it has read an object with that name, so JSON.parse cannot be the
  // reference.
  const name = fc.string({ maxLength: 4 }).filter((text) => !text.includes('\\'))
  const key = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'x y', '"'), name)
  const object = fc.dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(key, fc.integer())), {
    maxKeys: 5,
  })
  fc.assert(
    fc.property(
      object,
      fc.array(key, { minLength: 1, maxLength: 2 }),
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(0, 2, '\t'),
      (before, path, value, space) => {
        const text = JSON.stringify(before, undefined, space)
        const plain = JSON.parse(text) as unknown
        fc.pre(path.length === 1 || isObjectOrGone(plain, path[0]!))
        expect(read(editJson(text, [{ path, value }]))).toEqual(JSON.parse(JSON.stringify(put(plain, path, value))))
        const removed = editJson(text, [
          { path, value },
          { path, remove: true },
        ])
        expect(Object.keys(JSON.parse(removed) as object)).not.toContain(path.length === 1 ? path[0] : undefined)
        JSON.parse(removed)
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  ['{ "a": 1 "b": 2 }', 1, /comma or a closing bracket is missing before "\\"b\\":"/],
  ['{\n  "a": \n}', 3, /value is missing/],
  ['{ "a": 1 } 2', 1, /Nothing may follow/],
  ["{\n 'a': 1 }", 2, /double quotes/],
  ['{ /* never', 1, /never closed/],
  ['{ "a": "b', 1, /never closed with a quote/],
  ['{ "a": "\\x" }', 1, /escape/],
  ['', 1, /value is missing before the end of the file/],
  ['{ "a": truely }', 1, /is not a value/],
  ['['.repeat(100), 1, /nested more than/],
])('a text that is not JSON is reported with its position and the reason: %j', (text, line, message) => {
  const parsed = parseJson(text)
  expect(parsed).toMatchObject({ problem: { line, message: expect.stringMatching(message) } })
  expect(() => editJson(`${text} ]`, [{ path: ['a'], value: 1 }])).toThrow(/line \d/)
})

function isObjectOrGone(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
  const inner = (value as Record<string, unknown>)[key]
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
}

function put(into: unknown, [key, ...rest]: string[], value: unknown): unknown {
  const entries = typeof into === 'object' && into !== null ? Object.entries(into) : []
  const old = entries.find(([name]) => name === key)?.[1] as unknown
  return Object.fromEntries([
    ...entries.filter(([name]) => name !== key),
    [key, rest.length === 0 ? value : put(old, rest, value)],
  ])
}
