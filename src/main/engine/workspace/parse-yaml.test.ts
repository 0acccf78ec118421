import { expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time'
import { parseYaml } from './parse-yaml'

const mistakeOf = async (text: string) => {
  const parsed = await parseYaml(text)
  return 'mistake' in parsed ? `${parsed.mistake.line}: ${parsed.mistake.message}` : undefined
}

it('rejects a key that appears twice in a mapping, at any depth, and names its line', async () => {
  expect(await mistakeOf('a: 1\nb: 2\na: 3')).toBe('3: Map keys must be unique')
  expect(await mistakeOf('a:\n  - {x: 1, y: 2,\n     x: 3}')).toBe('3: Map keys must be unique')
  expect(await mistakeOf('a: {x: 1}\nb: {x: 1}\n"1": 1\n1: 1\n? [a]\n: 1\n? [b]\n: 1')).toBeUndefined()
})

it('reports other mistakes with their line', async () => {
  expect(await mistakeOf('a: 1\nb: [')).toMatch(/^2: /)
  expect(await mistakeOf(`a: ${'['.repeat(50_000)}`)).toMatch(/^1: /)
})

it('reads tens of thousands of keys in seconds of processor time', async () => {
  const began = cpuMs()
  const keys = Array.from({ length: 25_000 }, (_, index) => `k${index}: v`)
  expect(await mistakeOf(keys.join('\n'))).toBeUndefined()
  expect(await mistakeOf(`a: {${keys.join(', ')}}`)).toBeUndefined()
  expect(cpuMs() - began).toBeLessThan(15_000)
})
