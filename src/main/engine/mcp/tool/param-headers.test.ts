import { describe, expect, it } from 'vitest'
import { paramHeaders, readParamHeaders } from './param-headers'

const marked = (type: unknown, name: unknown = 'Region'): object => ({ type, 'x-mcp-header': name })
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more })

describe('the headers that an input schema asks for', () => {
  it('are read at any depth of properties, and not from other keys with the same name', () => {
    const schema = object({
      a: marked('string', 'A'),
      b: object({ c: marked('integer', 'C') }),
      'x-mcp-header': { type: 'string', default: marked('array') },
    })
    expect(readParamHeaders(schema)).toEqual({
      headers: [
        { name: 'A', path: ['a'] },
        { name: 'C', path: ['b', 'c'] },
      ],
    })
    expect(readParamHeaders('no schema')).toEqual({ headers: [] })
  })

  it.each([
    ['an empty name', object({ a: marked('string', '') })],
    ['a name with a space', object({ a: marked('string', 'My Region') })],
    ['a name with a line break', object({ a: marked('string', 'A\r\nX: y') })],
    ['a name that is not text', object({ a: marked('string', 7) })],
    ['a number', object({ a: marked('number') })],
    ['an object', object({ a: marked('object') })],
    ['an array', object({ a: marked('array') })],
    ['null', object({ a: marked('null') })],
    ['several types', object({ a: marked(['string', 'null']) })],
    ['no type', object({ a: { 'x-mcp-header': 'A' } })],
    ['the same name twice, in another case', object({ a: marked('string', 'region'), b: marked('string', 'Region') })],
    ['items of an array', object({ a: { type: 'array', items: marked('string') } })],
    ['an alternative', object({}, { anyOf: [object({ a: marked('string') })] })],
    ['a condition', object({}, { if: object({ a: marked('string') }) })],
    ['a definition', object({}, { $defs: { a: marked('string') } })],
    ['other properties', object({}, { additionalProperties: marked('string') })],
    ['the input itself', { ...object({}), 'x-mcp-header': 'All' }],
  ])('are rejected for %s', (_, schema) => {
    expect(readParamHeaders(schema)).toEqual({
      problem: expect.stringMatching(/^Its input asks for a header that cannot be sent: .+\.$/),
    })
  })

  it('are bounded for endlessly nested schemas', () => {
    const endless: Record<string, unknown> = { type: 'object' }
    endless['items'] = endless
    expect(readParamHeaders(endless)).toEqual({ headers: [] })
  })
})

describe('the headers of a call', () => {
  const of = (value: unknown): string | undefined =>
    paramHeaders([{ name: 'R', path: ['a'] }], { a: value })['Mcp-Param-R']
  const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

  it.each([
    ['eu-west', 'eu-west'],
    ['us west 1', 'us west 1'],
    [42, '42'],
    [-0.5, undefined],
    [2 ** 60, undefined],
    [true, 'true'],
    [false, 'false'],
    ['', base64('')],
    [' padded', base64(' padded')],
    ['\tindented', base64('\tindented')],
    ['two\r\nlines', base64('two\r\nlines')],
    ['Zürich 東京', base64('Zürich 東京')],
    ['=?base64?x?=', base64('=?base64?x?=')],
    [null, undefined],
    [undefined, undefined],
    [{ a: 1 }, undefined],
  ])('encode %j as %j', (value, header) => {
    expect(of(value)).toBe(header)
  })

  it("come only from the input's own values", () => {
    const headers = [
      { name: 'Deep', path: ['a', 'b'] },
      { name: 'Proto', path: ['constructor', 'name'] },
    ]
    expect(paramHeaders(headers, { a: { b: 'x' } })).toEqual({ 'Mcp-Param-Deep': 'x' })
    expect(paramHeaders(headers, { a: 'text' })).toEqual({})
  })
})
