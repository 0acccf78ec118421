import { describe, expect, test } from 'vitest'
import { readAgentSpec } from './read-agent-spec'

async function read(text: string, siblings: Record<string, string> = {}) {
  return readAgentSpec(
    { path: '/agents/given.yaml', text },
    { source: 'user', readSibling: async (path) => siblings[path] },
  )
}
const problemsOf = async (text: string, siblings?: Record<string, string>): Promise<string[]> =>
  (await read(text, siblings)).problems.map(({ line, message }) => `${line ?? ''}: ${message}`)

describe('an agent file', () => {
  test('is read with what it says, at the top or below agent, and with a byte order mark', async () => {
    const fields = { name: 'helper', description: 'Helps a lot', tools: ['Read', 'mcp__docs__*'], readOnly: true }
    const keys = [
      'name: helper',
      'description: |',
      '  Helps',
      '  a lot',
      'tools: [Read, mcp__docs__*]',
      'read_only: true',
    ]
    expect(await read(`\uFEFF${keys.join('\r\n')}`)).toMatchObject({ spec: fields, problems: [] })
    const nested = `version: 1\nagent:\n${keys.map((key) => `  ${key}\n`).join('')}`
    expect(await read(nested)).toMatchObject({ spec: fields, problems: [] })
  })

  test('without a name has that of its file, and one with a name for people keeps it as a title', async () => {
    expect((await read('description: x')).spec).toMatchObject({ name: 'given' })
    expect((await read('name: Größe & Co')).spec).toMatchObject({
      name: 'gro-e-co',
      title: 'Größe & Co',
    })
    expect(await problemsOf('name: "!!!"')).toEqual(['1: The name "!!!" must contain a letter or a digit.'])
  })

  test('names tools as Trestle or Kimi CLI does, and what is no tool is reported', async () => {
    const { spec, problems } = await read('tools: ["kimi_cli.tools.shell:Shell", ReadFile, Read, "x:Think", Nothing]')
    expect(spec!.tools).toEqual(['Bash', 'Read'])
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining('There is no tool "Nothing"') }])
  })

  test.each(['constructor', 'toString', '__proto__', 'x:valueOf'])('has no tool %s', async (name) => {
    const { spec, problems } = await read(`tools: ["${name}"]\nexclude_tools: ["${name}"]`)
    expect([spec!.tools, spec!.excludeTools]).toEqual([[], []])
    expect(problems).toHaveLength(2)
  })

  test('that is no YAML, no list of keys or far too much of it is left out, with its line', async () => {
    expect(await problemsOf('name: x\nbad: [')).toEqual([expect.stringMatching(/^[23]: This is not valid YAML/)])
    expect(await problemsOf('- a')).toEqual(['1: It must be a list of "key: value".'])
    expect(await problemsOf('')).toEqual(['1: It must be a list of "key: value".'])
    let bomb = 'a: &a [x, x, x, x, x, x, x, x, x, x]\n'
    for (const [at, name] of 'bcdefghi'.split('').entries())
      bomb += `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[at]}`).join(', ')}]\n`
    expect(await problemsOf(bomb)).toEqual([expect.stringMatching(/^1: This cannot be read: /)])
  })
})

describe('a mistake in what restricts an agent gives it fewer rights, never more', () => {
  test.each([
    ['tools: Read', { tools: [] }],
    ['tools: [Read, 7]', { tools: [] }],
    ['exclude_tools: Bash', { readOnly: true }],
    ['read_only: "yes"', { readOnly: true }],
    ['read_only: 1', { readOnly: true }],
    ['subagents: helper', { subagents: [] }],
  ])('%s', async (line, fields) => {
    const { spec, problems } = await read(`name: x\n${line}`)
    expect(spec).toMatchObject(fields)
    expect(problems).toMatchObject([{ line: 2, isFatal: false }])
  })

  test.each(['read_only: true', 'exclude_tools: [Bash]', 'tools: [Read]'])('%s beside agent', async (line) => {
    const { spec, problems } = await read(`version: 1\n${line}\nagent:\n  name: x\n`)
    expect(spec).toMatchObject({ name: 'x', readOnly: true })
    expect(problems).toMatchObject([{ line: 2, message: expect.stringContaining('move it below agent') }])
  })

  test('other keys beside agent are only reported', async () => {
    const { spec, problems } = await read('model: a/b\nagent:\n  name: x\n')
    expect([spec!.readOnly, spec!.model]).toEqual([false, undefined])
    expect(problems).toHaveLength(1)
  })
})

describe('a value that cannot be is ignored and reported with its line', () => {
  test.each([
    ['max_steps: 0', 'max_steps must be a whole number from 1.'],
    ['max_steps: 1.5', 'max_steps must be a whole number from 1.'],
    ['max_repeats: 13', 'max_repeats must be a whole number from 2 to 12.'],
    ['effort: much', 'effort must be one of'],
    ['model: 7', 'model must be a text.'],
    ['descripton: x', '"descripton" is not known. Did you mean description?'],
    ['system_prompt_args: [a]', 'system_prompt_args must be a list of "NAME: text".'],
    ['system_prompt_args: {"a b": x}', 'system_prompt_args must be a list of "NAME: text".'],
  ])('%s', async (line, message) => {
    expect(await problemsOf(`name: x\n${line}`)).toEqual([expect.stringContaining(`2: ${message}`)])
  })
})

describe('a file that an agent refers to', () => {
  test('lies beside it, and nowhere else', async () => {
    const siblings = { '/agents/prompt.md': ' Be kind. \n', '/agents/sub/p.md': 'Deep', '/etc/passwd': 'secret' }
    const promptOf = async (path: string) => (await read(`system_prompt_path: ${path}`, siblings)).spec!.systemPrompt
    expect([await promptOf('prompt.md'), await promptOf('./sub/p.md')]).toEqual(['Be kind.', 'Deep'])
    for (const path of ['../../etc/passwd', '/etc/passwd', 'sub/../../../etc/passwd', '..', 'missing.md'])
      expect(await promptOf(path)).toBeUndefined()
  })

  test('is not used beside a prompt in the file itself', async () => {
    const text = 'system_prompt: Mine\nsystem_prompt_path: p.md'
    expect((await read(text, { '/agents/p.md': 'Other' })).spec!.systemPrompt).toBe('Mine')
    expect(await problemsOf(text)).toEqual([expect.stringContaining('2: system_prompt and system_prompt_path')])
  })

  test('may lead back to it, which ends and is reported once', async () => {
    const text = 'extend: ./other.yaml'
    const problems = await problemsOf(text, {
      '/agents/other.yaml': 'extend: ./given.yaml',
      '/agents/given.yaml': text,
    })
    expect(problems).toEqual([expect.stringContaining('The files lead to each other, or more than 4 deep.')])
  })
})
