import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textOf } from '../../../shared/model/turn/message'
import { skillSection } from '../context/facts/instruction-facts'
import { skillTool } from '../tool/agent/skill'
import { callTool } from '../../../../test/support/call-tool'
import { builtInSkills, createSkills, type Skills, withSkill } from './skills'
import { openSkillCache } from './skill-cache'

let root: string
let folder: string
let skills: Skills

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-skills-')))
  folder = join(root, 'repo', 'packages', 'a')
  mkdirSync(folder, { recursive: true })
  skills = open()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function open(): Skills {
  const cache = openSkillCache(join(root, 'home', 'cache', 'skills.json'))
  return createSkills({
    home: join(root, 'home'),
    userHome: join(root, 'user'),
    builtIn: join(root, 'built-in'),
    cache: () => cache,
    repositoryTop: () => join(root, 'repo'),
  })
}

function put(place: string, name: string, more = '', body = `Body of ${name}.`): string {
  const path = join(root, place, name, 'SKILL.md')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n${body}\n`)
  return path
}

test('finds skills in every place, and uses the nearest one with the same name', async () => {
  const near = put('repo/packages/a/.trestle/skills', 'tidy')
  const hidden = [put('repo/.agents/skills', 'tidy'), put('home/skills', 'tidy')]
  put('repo/.claude/skills', 'top')
  put('user/.agents/skills', 'mine')
  put('built-in', 'ours')
  const list = await skills.list(folder)
  expect(list.problems).toEqual([])
  expect(
    list.skills.map(({ name, source, hiddenBy }) => `${name} ${source}${hiddenBy === undefined ? '' : ' hidden'}`),
  ).toEqual(['tidy project', 'tidy project hidden', 'top project', 'tidy user hidden', 'mine user', 'ours built-in'])
  expect((await skills.find(folder, 'tidy'))?.path).toBe(near)
  expect(
    list.skills.filter((skill) => skill.hiddenBy !== undefined).map(({ path, hiddenBy }) => [path, hiddenBy]),
  ).toEqual(hidden.map((path) => [path, near]))
  expect(skills.readable(folder)).toContain(join(root, 'repo', '.claude', 'skills', 'top'))
})

test('a broken skill is listed with its problem and does not override a valid one', async () => {
  const path = put('repo/.trestle/skills', 'tidy')
  writeFileSync(path, '---\nname: tidy\n---\n')
  const binary = put('repo/.trestle/skills', 'binary')
  writeFileSync(binary, Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]))
  mkdirSync(join(root, 'repo/.trestle/skills/folder/SKILL.md'), { recursive: true })
  symlinkSync('loop', join(root, 'repo/.trestle/skills/loop'))
  writeFileSync(put('repo/.trestle/skills', 'huge'), 'x'.repeat(300_000))
  put('user/.agents/skills', 'tidy')
  const list = await skills.list(folder)
  expect(list.problems.map(({ path: at, message }) => `${at.split('/').at(-2)}: ${message}`)).toEqual([
    'binary: It is not UTF-8 text.',
    'folder: It is not a regular file.',
    'huge: It is larger than 256 KB.',
    'tidy: It needs a description.',
  ])
  expect((await skills.find(folder, 'tidy'))?.source).toBe('user')
})

test('a skill that has just changed is read again, by a running and by a new process', async () => {
  const path = put('home/skills', 'tidy')
  expect((await skills.find(folder, 'tidy'))?.description).toBe('What tidy does')
  writeFileSync(path, '---\nname: tidy\ndescription: Now something else\n---\nx')
  expect((await skills.find(folder, 'tidy'))?.description).toBe('Now something else')
  expect((await open().find(folder, 'tidy'))?.description).toBe('Now something else')
  rmSync(dirname(path), { recursive: true })
  expect(await skills.find(folder, 'tidy')).toBeUndefined()
})

test('a prompt that starts with a skill gets its instructions; any other is unchanged', async () => {
  put('home/skills', 'tidy', 'type: prompt\narguments: [what]\n', 'Tidy $what well.')
  const parts = await withSkill(skills, folder, [{ type: 'text', text: '/tidy src  now' }])
  expect(parts[0]).toEqual({ type: 'text', text: '/tidy src  now' })
  expect(parts[1]).toMatchObject({ skill: 'tidy' })
  expect(textOf(parts.slice(1))).toContain('Tidy src well.')
  for (const text of ['/etc/hosts is odd', '/nothing here', 'use /tidy', '/', '/tidyup'])
    expect(await withSkill(skills, folder, [{ type: 'text', text }])).toHaveLength(1)
})

test('in the packaged app, built-in skills are where commands can read them', () => {
  const folder = '/opt/Trestle/resources/app.asar.unpacked/resources/skills'
  expect(builtInSkills('file:///opt/Trestle/resources/app.asar/out/main/chunks/engine-x.js')).toBe(folder)
  expect(builtInSkills('file:///opt/Trestle/resources/app.asar.unpacked/out/main/cli.js')).toBe(folder)
})

test('the agent sees names and descriptions, never bodies, and nothing without skills', async () => {
  expect(skillSection([])).toBeUndefined()
  put('home/skills', 'tidy')
  put('home/skills', 'kept', 'disableModelInvocation: true\n')
  put('home/skills', 'flowing', 'type: flow\n')
  const section = skillSection((await skills.list(folder)).skills)
  expect(section).toContain('- tidy: What tidy does')
  expect(section).not.toMatch(/Body of|kept|flowing/)
  for (let n = 0; n < 300; n++) put('home/skills', `skill-${n}`)
  expect(skillSection((await skills.list(folder)).skills)!.length).toBeLessThan(25_000)
})

test('does not cut a long description within a character, so that every provider accepts the prompt', async () => {
  put('home/skills', 'wave', `whenToUse: ${'👋'.repeat(400)}\n`)
  put('home/skills', 'wave-b', `whenToUse: a${'👋'.repeat(400)}\n`)
  const section = skillSection((await skills.list(folder)).skills)!
  expect(section).toContain('…')
  expect(section.isWellFormed()).toBe(true)
})

test('skills can load each other at most three levels deep; independent ones are not nested', async () => {
  const calls: Record<string, string> = {
    one: 'Load the skill two.',
    two: 'Then /three.',
    three: 'Call Skill with "four".',
    four: 'The end.',
    self: 'Use the self skill.',
  }
  for (const [name, body] of Object.entries(calls)) put('home/skills', name, '', `Body of ${name}. ${body}`)
  for (let n = 1; n <= 6; n++) put('home/skills', `alone-${n}`)
  let turnId = 't1'
  const tool = skillTool({ list: () => skills.list(folder), body: skills.body, turnId: () => turnId })
  const load = (skill: string) => callTool(tool, { skill })
  for (let n = 1; n <= 6; n++) expect((await load(`alone-${n}`)).text).toContain(`Body of alone-${n}.`)
  for (const name of ['one', '/two', 'three']) expect((await load(name)).isError).toBeUndefined()
  expect(await load('four')).toMatchObject({
    isError: true,
    text: expect.stringContaining('nested 3 deep already: one calls for two calls for three calls for four.'),
  })
  expect((await load('alone-1')).isError).toBeUndefined()
  turnId = 't2'
  expect((await load('four')).text).toContain('The end.')
  for (let n = 1; n <= 3; n++) expect((await load('self')).isError).toBeUndefined()
  expect((await load('self')).isError).toBe(true)
})

test('explains why the agent cannot load a skill, and suggests the right one', async () => {
  for (const [name, more] of [
    ['four', ''],
    ['kept', 'disableModelInvocation: true\n'],
    ['flowing', 'type: flow\n'],
  ] as const)
    put('home/skills', name, more)
  const tool = skillTool({ list: () => skills.list(folder), body: skills.body, turnId: () => 't' })
  expect((await callTool(tool, { skill: 'kept' })).text).toContain('only the user')
  expect((await callTool(tool, { skill: 'flowing' })).text).toContain('of type flow')
  expect((await callTool(tool, { skill: 'fuor' })).text).toContain('Did you mean four?')
})

test('the built-in skills are valid', async () => {
  const cache = openSkillCache(join(root, 'none.json'))
  const own = createSkills({
    home: root,
    userHome: root,
    builtIn: builtInSkills(),
    cache: () => cache,
    repositoryTop: () => undefined,
  })
  const { skills: found, problems } = await own.list(folder)
  expect(problems).toEqual([])
  expect(found.map(({ name }) => name)).toEqual(['review', 'write-a-skill'])
  for (const skill of found) expect(await own.body(skill, 'it')).not.toContain('---\nname')
})
