import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAgentSpecs, type AgentSpecs, builtInAgents } from './agent-specs'

let home: string
let specs: AgentSpecs
beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-agents-'))
  mkdirSync(join(home, 'agents'))
  specs = createAgentSpecs({ home, builtIn: builtInAgents() })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const write = (name: string, ...lines: string[]): void => writeFileSync(join(home, 'agents', name), lines.join('\n'))
const find = async (name: string) => (await specs.find(home)).find((spec) => spec.name === name)
const problems = async () =>
  (await specs.list(home)).problems.map(({ path, line, message }) => [
    path.slice(join(home, 'agents').length + 1),
    line,
    message,
  ])

it('built-in specs can be used, and read-only ones have no tools that write', async () => {
  expect((await specs.find(home)).map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['assistant', false],
    ['coder', false],
    ['debug', false],
    ['explore', true],
    ['plan', true],
  ])
  expect((await find('explore'))?.tools).not.toContain('Write')
  expect(await specs.custom(home)).toEqual([])
})

it('a spec inherits missing fields from the one it extends, which may be the one it overrides; read-only is inherited', async () => {
  write('explore.yaml', 'extend: explore', 'read_only: false', 'model: local/small', 'exclude_tools: [Bash]')
  write('child.yaml', 'description: two up', 'extend: explore', 'system_prompt_args:', '  WORD: wombat')
  write('base.yaml', 'version: 1', 'agent:', '  name: base', '  description: nested', '  system_prompt_path: base.md')
  write('base.md', 'Say ${WORD}, not ${OTHER}.')
  write('speaks.yaml', 'extend: base', 'system_prompt_args: {WORD: wombat}')
  const explore = await find('explore')
  expect(explore).toMatchObject({ source: 'user', readOnly: true, model: 'local/small', excludeTools: ['Bash'] })
  expect(explore?.description).toMatch(/^Finds out/)
  expect(await find('child')).toMatchObject({ description: 'two up', readOnly: true, model: 'local/small' })
  expect(await find('speaks')).toMatchObject({ description: 'nested', systemPrompt: 'Say wombat, not ${OTHER}.' })
  const listed = (await specs.list(home)).agents.filter(({ name }) => name === 'explore')
  expect(listed.map(({ source, hiddenBy }) => [source, hiddenBy])).toEqual([
    ['user', undefined],
    ['built-in', join(home, 'agents', 'explore.yaml')],
  ])
})

it.each([
  ['not YAML', ['description: x', 'tools: [Read'], 2, /^This is not valid YAML/],
  ['not a mapping', ['- a'], 1, /^It must be a list of "key: value"/],
  ['a missing base', ['description: x', 'extend: gone'], 2, /^It extends "gone", which cannot be found/],
  [
    'a circle',
    ['description: x', 'extend: wrong'],
    2,
    /^It extends "wrong", which cannot be found: they extend each other/,
  ],
])('%s: the whole file is left out, and the error is reported with its line', async (_what, lines, line, message) => {
  write('wrong.yaml', ...lines)
  expect(await find('wrong')).toBeUndefined()
  expect(await problems()).toEqual([['wrong.yaml', line, expect.stringMatching(message)]])
})

it.each([
  ['an unknown key', ['tool: [Read]'], /^"tool" is not known\. Did you mean tools\?$/, { excludeTools: [] }],
  ['an unknown tool', ['tools: [Raed, Grep]'], /^There is no tool "Raed"\. Did you mean Read\?$/, { tools: ['Grep'] }],
  ['tools that are not a list', ['tools: Read'], /^tools must be a list of names\. .*has no tools/, { tools: [] }],
  [
    'tools to leave out that are not a list',
    ['exclude_tools: Bash'],
    /^exclude_tools must be a list.*can only read/,
    { readOnly: true },
  ],
  ['a wrong type', ['read_only: maybe'], /^read_only must be true or false\. .*can only read/, { readOnly: true }],
  ['a wrong limit', ['max_steps: many'], /^max_steps must be a whole number from 1\.$/, { readOnly: false }],
  ['an unknown effort', ['effort: heroic'], /^effort must be one of /, { readOnly: false }],
  [
    'a prompt outside',
    ['system_prompt_path: ../config.toml'],
    /^system_prompt_path must be a path to a file next to/,
    { systemPrompt: '' },
  ],
  ['a missing prompt file', ['system_prompt_path: gone.md'], /^There is no file .*gone\.md/, { systemPrompt: '' }],
])(
  '%s invalidates only that field, never grants more than intended, and is reported with its line',
  async (_what, lines, message, kept) => {
    write('wrong.yaml', 'description: x', ...lines)
    expect(await find('wrong')).toMatchObject({ description: 'x', ...kept })
    expect(await problems()).toEqual([['wrong.yaml', 2, expect.stringMatching(message)]])
  },
)

it('accepts the agent files of Kimi CLI: display names, tools as module:Class, subagents with files that extend their parent', async () => {
  write(
    'agent.yaml',
    'version: 1',
    'agent:',
    '  name: "Kimi CLI"',
    '  system_prompt_path: ./system.md',
    '  system_prompt_args: {ROLE_ADDITIONAL: ""}',
    '  tools:',
    ...[
      'multiagent:Task',
      'todo:SetTodoList',
      'shell:Shell',
      'file:ReadFile',
      'file:WriteFile',
      'think:Think',
      'web:FetchURL',
    ].map((tool) => `    - "kimi_cli.tools.${tool}"`),
    '  subagents:',
    '    coder:',
    '      path: ./sub.yaml',
    '      description: "Good at general software engineering tasks"',
  )
  write(
    'sub.yaml',
    'version: 1',
    'agent:',
    '  extend: ./agent.yaml',
    '  exclude_tools: ["kimi_cli.tools.multiagent:Task"]',
  )
  write('system.md', 'You are Kimi. ${ROLE_ADDITIONAL}')
  expect(await problems()).toEqual([])
  const agent = await find('kimi-cli')
  expect(agent).toMatchObject({
    title: 'Kimi CLI',
    description: 'Kimi CLI',
    systemPrompt: 'You are Kimi. ',
    subagents: ['coder'],
  })
  expect(agent?.tools).toEqual(['Agent', 'TodoList', 'Bash', 'Read', 'Write', 'FetchURL'])
  expect(agent?.ownTypes).toMatchObject([
    {
      name: 'coder',
      description: 'Good at general software engineering tasks',
      excludeTools: ['Agent'],
      systemPrompt: 'You are Kimi. ',
    },
  ])
})

it('circular references between files are reported and do not loop', async () => {
  write('one.yaml', 'description: x', 'subagents: {two: {path: two.yaml}}')
  write('two.yaml', 'description: y', 'subagents: {one: {path: one.yaml}}')
  expect((await find('one'))?.ownTypes?.map(({ name }) => name)).toEqual(['two'])
  expect((await problems()).some(([, , message]) => /lead to each other/.test(String(message)))).toBe(true)
})

it('reads a file from any folder, with the files next to it, and reports problems with their line', async () => {
  const folder = join(home, 'elsewhere')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'review.yaml'),
    'name: Code review\nextend: explore\nsystem_prompt_path: prompt.md\ngreeting: Show me.\n',
  )
  writeFileSync(join(folder, 'prompt.md'), 'Review only.')
  const { spec } = await specs.fromFile(join(folder, 'review.yaml'), home)
  expect(spec).toMatchObject({
    name: 'code-review',
    title: 'Code review',
    readOnly: true,
    systemPrompt: 'Review only.',
    greeting: 'Show me.',
  })
  writeFileSync(join(folder, 'broken.yaml'), 'description: [x')
  await expect(specs.fromFile(join(folder, 'broken.yaml'), home)).rejects.toThrow(
    /broken\.yaml:1: This is not valid YAML/,
  )
  await expect(specs.fromFile(join(folder, 'none.yaml'), home)).rejects.toThrow(/none\.yaml cannot be used/)
})
