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
  test('is read with its keys at the top level or below agent, and with a byte order mark', async () => {
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

  test('without a name gets the name of its file, and a display name is kept as the title', async () => {
    expect((await read('description: x')).spec).toMatchObject({ name: 'given' })
    expect((await read('name: Größe & Co')).spec).toMatchObject({
      name: 'gro-e-co',
      title: 'Größe & Co',
    })
    expect(await problemsOf('name: "!!!"')).toEqual(['1: The name "!!!" must contain a letter or a digit.'])
  })

  test('can name tools as Trestle or Kimi CLI does, and unknown tools are reported', async () => {
    const { spec, problems } = await read('tools: ["kimi_cli.tools.shell:Shell", ReadFile, Read, "x:Think", Nothing]')
    expect(spec!.tools).toEqual(['Bash', 'Read'])
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining('There is no tool "Nothing"') }])
  })

  test.each(['constructor', 'toString', '__proto__', 'x:valueOf'])('has no tool %s', async (name) => {
    const { spec, problems } = await read(`tools: ["${name}"]\nexclude_tools: ["${name}"]`)
    expect([spec!.tools, spec!.excludeTools]).toEqual([[], []])
    expect(problems).toHaveLength(2)
  })

  test('whose subagents refer to their own file many times is read in little time', async () => {
    const types = Array.from({ length: 60 }, (_, index) => `  type-${index}: {path: given.yaml}`)
    const text = ['name: x', 'subagents:', ...types].join('\n')
    let reads = 0
    const { spec, problems } = await readAgentSpec(
      { path: '/agents/given.yaml', text },
      {
        source: 'user',
        async readSibling() {
          reads += 1
          // Fails instead of running for days.
          return reads > 1000 ? undefined : text
        },
      },
    )
    expect(reads).toBeLessThanOrEqual(50)
    expect(spec!.subagents).toHaveLength(60)
    expect(problems).toContainEqual(expect.objectContaining({ message: 'It refers to more than 50 files.' }))
  })

  test('with thousands of mistakes reports the first fifty', async () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `unknown-${index}: 1`)
    expect(await problemsOf(['name: x', ...keys].join('\n'))).toHaveLength(50)
    const tools = keys.map((_, index) => `T${index}`)
    expect(await problemsOf(`name: x\ntools: [${tools.join(', ')}]`)).toHaveLength(50)
  })

  test('that is not YAML, not a mapping or far too large is left out and reported with its line', async () => {
    expect(await problemsOf('name: x\nbad: [')).toEqual([expect.stringMatching(/^[23]: This is not valid YAML/)])
    expect(await problemsOf('- a')).toEqual(['1: It must be a list of "key: value".'])
    expect(await problemsOf('')).toEqual(['1: It must be a list of "key: value".'])
    let bomb = 'a: &a [x, x, x, x, x, x, x, x, x, x]\n'
    for (const [at, name] of 'bcdefghi'.split('').entries())
      bomb += `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[at]}`).join(', ')}]\n`
    expect(await problemsOf(bomb)).toEqual([expect.stringMatching(/^1: This cannot be read: /)])
  })
})

describe('an error in a restricting key gives the agent fewer rights, never more', () => {
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

  test.each(['read_only: true', 'exclude_tools: [Bash]', 'tools: [Read]'])('%s next to agent', async (line) => {
    const { spec, problems } = await read(`version: 1\n${line}\nagent:\n  name: x\n`)
    expect(spec).toMatchObject({ name: 'x', readOnly: true })
    expect(problems).toMatchObject([{ line: 2, message: expect.stringContaining('move it below agent') }])
  })

  test('other keys next to agent are only reported', async () => {
    const { spec, problems } = await read('model: a/b\nagent:\n  name: x\n')
    expect([spec!.readOnly, spec!.model]).toEqual([false, undefined])
    expect(problems).toHaveLength(1)
  })
})

describe('an invalid value is ignored and reported with its line', () => {
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
  test('must be in or below the folder of the agent file', async () => {
    const siblings = { '/agents/prompt.md': ' Be kind. \n', '/agents/sub/p.md': 'Deep', '/etc/passwd': 'secret' }
    const promptOf = async (path: string) => (await read(`system_prompt_path: ${path}`, siblings)).spec!.systemPrompt
    expect([await promptOf('prompt.md'), await promptOf('./sub/p.md')]).toEqual(['Be kind.', 'Deep'])
    for (const path of ['../../etc/passwd', '/etc/passwd', 'sub/../../../etc/passwd', '..', 'missing.md'])
      expect(await promptOf(path)).toBeUndefined()
  })

  test('is not used when the agent file itself has a prompt', async () => {
    const text = 'system_prompt: Mine\nsystem_prompt_path: p.md'
    expect((await read(text, { '/agents/p.md': 'Other' })).spec!.systemPrompt).toBe('Mine')
    expect(await problemsOf(text)).toEqual([expect.stringContaining('2: system_prompt and system_prompt_path')])
  })

  test('may refer back to it, which ends and is reported once', async () => {
    const text = 'extend: ./other.yaml'
    const problems = await problemsOf(text, {
      '/agents/other.yaml': 'extend: ./given.yaml',
      '/agents/given.yaml': text,
    })
    expect(problems).toEqual([expect.stringContaining('The files lead to each other, or more than 4 deep.')])
  })
})
