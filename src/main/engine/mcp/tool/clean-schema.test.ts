import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanSchema } from './clean-schema'

const cleaned = (given: unknown): Readonly<Record<string, unknown>> => {
  const result = cleanSchema(given)
  if ('problem' in result) throw new Error(result.problem)
  return result.schema
}

it('keeps a valid schema unchanged', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A path', pattern: '^/', minLength: 1 },
      depth: { type: ['integer', 'null'], default: null, minimum: 0 },
      kinds: { type: 'array', items: { enum: ['a', 'b'] } },
      more: { $ref: '#/$defs/more' },
    },
    required: ['path'],
    additionalProperties: false,
    $defs: { more: { type: 'object', properties: { x: { type: 'number' } } } },
  }
  expect(cleaned(schema)).toEqual(schema)
})

it('accepts missing input as an object without fields', () => {
  for (const nothing of [undefined, null, {}]) expect(cleaned(nothing)).toEqual({ type: 'object', properties: {} })
})

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    'an array that does not say of what',
    { properties: { a: { type: 'array' } } },
    { properties: { a: { type: 'array', items: {} } } },
  ],
  [
    'a list where one schema belongs',
    { properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    { properties: { a: { type: 'array', items: { type: 'string' } } } },
  ],
  [
    'an unknown type',
    { properties: { a: { type: 'any' }, b: { type: ['string', 'file'] } } },
    { properties: { a: {}, b: { type: 'string' } } },
  ],
  ['a pattern that cannot be read', { properties: { a: { pattern: '(' } } }, { properties: { a: {} } }],
  [
    'references out of it, and into nothing',
    { properties: { a: { $ref: 'http://x/y' }, b: { $ref: '#/$defs/none' } } },
    { properties: { a: {}, b: {} } },
  ],
  ['a property that is not a schema', { properties: { a: 'string', b: 7 } }, { properties: {} }],
  ['required that is not a list of names', { required: 'a' }, { properties: {} }],
  ['marks of its dialect', { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x' }, { properties: {} }],
])('repairs %s', (_, given, expected) => {
  expect(cleaned(given)).toEqual({ type: 'object', ...expected })
})

it('replaces alternatives at the root with all their fields, and requires what each requires', () => {
  const schema = cleaned({
    properties: { always: { type: 'string' } },
    required: ['always'],
    oneOf: [
      { properties: { a: { type: 'string' }, both: {} }, required: ['a', 'both'] },
      { properties: { b: { type: 'string' }, both: {} }, required: ['b', 'both'] },
    ],
    allOf: [{ properties: { c: {} }, required: ['c'] }],
  })
  expect(Object.keys(schema['properties'] as object).toSorted()).toEqual(['a', 'always', 'b', 'both', 'c'])
  expect(schema['required']).toEqual(['always', 'c', 'both'])
  expect(schema).not.toHaveProperty('oneOf')
})

it.each<[string, unknown, RegExp]>([
  ['text', 'text', /no JSON Schema/],
  ['a list', [], /no JSON Schema/],
  ['what is not an object', { type: 'array' }, /only objects/],
  ['what is too large', { description: 'd'.repeat(100_000) }, /at most 64 kB/],
  ['fields that cannot be sent', { properties: { 'a b': {} } }, /cannot be sent/],
])('refuses %s with a reason', (_, given, reason) => {
  const result = cleanSchema(given)
  expect('problem' in result && result.problem).toMatch(reason)
})

it('handles any input, and endless nesting', () => {
  const nested = (levels: number): Record<string, unknown> => {
    let deep: Record<string, unknown> = {}
    for (let depth = 0; depth < levels; depth++) deep = { properties: { a: deep } }
    return deep
  }
  expect(JSON.stringify(cleaned(nested(500))).length).toBeLessThan(2000)
  expect(cleanSchema(nested(100_000))).toMatchObject({ problem: expect.stringContaining('nested too deeply') })
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'required',
    'enum',
    '$ref',
    '$defs',
    'pattern',
    '__proto__',
    'constructor',
  )
  fc.assert(
    fc.property(fc.dictionary(keyword, fc.jsonValue()), (given) => {
      const result = cleanSchema(given)
      expect('problem' in result ? 'object' : result.schema['type']).toBe('object')
    }),
  )
})
