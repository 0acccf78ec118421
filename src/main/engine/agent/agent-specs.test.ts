import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAgentSpecs, type AgentSpecs } from './agent-specs'
import { builtInAgents } from './built-in-agents'

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
  (await specs.list(home)).problems.map(({ path, line, message }) => [path.slice(join(home, 'agents').length + 1), line, message])

it('those that come with Trestle can be used, and the ones that only read have nothing to write with', async () => {
  expect((await specs.find(home)).map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['assistant', false],
    ['coder', false],
    ['explore', true],
    ['plan', true],
  ])
  expect((await find('explore'))?.tools).not.toContain('Write')
  expect(await specs.own(home)).toEqual([])
})

it('what a spec does not say it has from the one it extends, which may be the one it hides; a reader stays one', async () => {
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
  ['no YAML', ['description: x', 'tools: [Read'], 2, /^It is no YAML/],
  ['no table', ['- a'], 1, /^It must be a list of "key: value"/],
  ['an unknown key', ['description: x', 'tool: [Read]'], 2, /^"tool" is not known\. Did you mean tools\?$/],
  ['an unknown tool', ['description: x', '', 'tools: [Raed]'], 3, /^There is no tool "Raed"\. Did you mean Read\?$/],
  ['no description', ['tools: [Read]'], 1, /^It needs a description\.$/],
  ['a wrong type', ['description: x', 'read_only: maybe'], 2, /^read_only must be true or false\.$/],
  ['a prompt outside', ['description: x', 'system_prompt_path: ../config.toml'], 2, /^system_prompt_path must lead to a file beside/],
  ['a prompt that is not there', ['description: x', 'system_prompt_path: gone.md'], 2, /^There is no file .*gone\.md/],
  ['a base that is not there', ['description: x', 'extend: gone'], 2, /^It extends "gone", which cannot be found/],
  ['a circle', ['description: x', 'extend: wrong'], 2, /^It extends "wrong", which cannot be found: they extend each other/],
  ['a wrong name', ['name: Big Boss', 'description: x'], 1, /^Its name "Big Boss" must be/],
])('%s: the spec is left out as a whole, and the mistake is said with its line', async (_what, lines, line, message) => {
  write('wrong.yaml', ...lines)
  expect(await find('wrong')).toBeUndefined()
  expect(await problems()).toEqual([['wrong.yaml', line, expect.stringMatching(message)]])
})
