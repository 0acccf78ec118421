import { expect, it } from 'vitest'
import { promptCommand, parsePromptArguments } from './mcp-content'

const args = (...names: string[]) => names.map((name) => ({ name, required: true }))

it.each([
  [args('city'), '', {}, []],
  [args('city'), 'New York  City', { city: 'New York  City' }, []],
  [args('city'), '"New York"', { city: 'New York' }, []],
  [args('city'), 'city=Rome', { city: 'Rome' }, []],
  [args('city', 'state'), 'Austin Texas', { city: 'Austin', state: 'Texas' }, []],
  [args('city', 'state'), '"San Antonio" \'New "Texas"\'', { city: 'San Antonio', state: 'New "Texas"' }, []],
  [args('city', 'state'), 'state="New \\"York\\"" Albany', { city: 'Albany', state: 'New "York"' }, []],
  [args('city', 'state'), 'x=1 Albany more', { city: 'x=1', state: 'Albany' }, ['more']],
  [[], 'anything else', {}, ['anything', 'else']],
])('parses arguments as written: %j %s', (known, text, values, surplus) => {
  expect(parsePromptArguments(known, text)).toEqual({ values, surplus })
})

it('accepts a quoted argument of millions of characters', () => {
  const { values } = parsePromptArguments(args('city', 'state'), `"${'a'.repeat(20_000_000)}" Texas`)
  expect(values).toMatchObject({ state: 'Texas' })
})

it('never cuts off a command inside its name', () => {
  expect(promptCommand({ server: 'my server', name: 'Übung: eins/zwei' })).toBe('mcp:my_server:Übung_eins/zwei')
})
