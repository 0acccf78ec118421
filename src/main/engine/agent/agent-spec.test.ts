import { describe, expect, test } from 'vitest'
import { resolveSpec, resolveSpecs, type WrittenSpec } from './agent-spec'

const spec = (name: string, more: Partial<WrittenSpec> = {}): WrittenSpec => ({
  name,
  source: 'user',
  path: `/agents/${name}.yaml`,
  promptArgs: {},
  excludeTools: [],
  readOnly: false,
  ...more,
})
const resolved = (one: WrittenSpec, ...others: WrittenSpec[]) => {
  const found = resolveSpec(one, [one, ...others])
  if ('problem' in found) throw new Error(found.problem.message)
  return found.spec
}

describe('an agent that extends another', () => {
  const base = spec('base', {
    systemPrompt: 'Hello ${WHO}, ${WHAT}',
    promptArgs: { WHO: 'you', WHAT: 'work' },
    tools: ['Read', 'Bash'],
    excludeTools: ['Write'],
    model: 'a/b',
  })

  test('inherits the fields that it does not set', () => {
    const own = spec('own', { extend: { name: 'base' }, promptArgs: { WHO: 'Ada' }, tools: ['Read'] })
    expect(resolved(own, base)).toMatchObject({
      name: 'own',
      systemPrompt: 'Hello Ada, work',
      tools: ['Read'],
      model: 'a/b',
    })
  })

  test('cannot regain a right that its base denies', () => {
    const own = spec('own', { extend: { name: 'base' }, excludeTools: ['Bash', 'Write'] })
    expect(resolved(own, base).excludeTools).toEqual(['Bash', 'Write'])
    expect(resolved(own, { ...base, readOnly: true }).readOnly).toBe(true)
  })

  test('of the same name is the one that it overrides', () => {
    const own = spec('base', { path: '/project/base.yaml', extend: { name: 'base' }, model: 'c/d' })
    expect(resolved(own, base)).toMatchObject({ model: 'c/d', tools: ['Read', 'Bash'], path: '/project/base.yaml' })
  })

  test('that is missing, or extends it in return, is reported with its line', () => {
    const [a, b] = [spec('a', { extend: { name: 'b', line: 3 } }), spec('b', { extend: { name: 'a', line: 7 } })]
    expect(resolveSpec(a, [a])).toEqual({
      problem: { path: a.path, line: 3, message: 'It extends "b", which cannot be found: there is: none.' },
    })
    const { specs, problems } = resolveSpecs([a, b])
    expect(specs).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('they extend each other'),
      expect.stringContaining('they extend each other'),
    ])
  })

  test('in a very long chain is reported', () => {
    const row = Array.from({ length: 10 }, (_, at) => spec(`s${at}`, { extend: { name: `s${at + 1}` } }))
    expect(resolveSpec(row[0]!, [...row, spec('s10')])).toMatchObject({
      problem: { message: 'It extends more than 8 others in a row.' },
    })
  })
})

test('leaves placeholders without an argument in the prompt, even names that JavaScript predefines', () => {
  const prompt = '${constructor} ${toString} ${__proto__} ${MISSING} $HOME ${A}'
  expect(resolved(spec('a', { systemPrompt: prompt, promptArgs: { A: '$& ${B}', B: 'no' } })).systemPrompt).toBe(
    '${constructor} ${toString} ${__proto__} ${MISSING} $HOME $& ${B}',
  )
})

test('of two agents with the same name, the nearer one applies', () => {
  const [near, far] = [spec('a', { path: '/project/a.yaml' }), spec('a')]
  const { specs, hidden } = resolveSpecs([near, far])
  expect(specs.map(({ path }) => path)).toEqual(['/project/a.yaml'])
  expect(hidden.get(far)).toBe('/project/a.yaml')
})
