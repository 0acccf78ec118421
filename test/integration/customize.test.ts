import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { createScratch, type Scratch } from '../support/scratch'
import { trustProject } from '../support/trust-project'

let scratch: Scratch
let engine: Engine
beforeEach(async () => {
  scratch = createScratch()
  engine = await createEngine({ version: '0', home: scratch.home, watch: false })
})
afterEach(async () => {
  await engine.close()
  scratch.remove()
})

const configFile = () => join(scratch.home, 'config.toml')
const config = () => readFileSync(configFile(), 'utf8')
const projectFile = () => join(scratch.project, '.trestle', 'config.toml')
const rules = async () => (await engine.customize()).rules
const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
/** Starts the engine again, so that it reads the files. */
async function again(): Promise<void> {
  await engine.close()
  engine = await createEngine({ version: '0', home: scratch.home, watch: false })
}

test('a rule is added, changed, moved and removed in place, and comments stay', async () => {
  const text = '# mine\n[[permission.rules]]\n# why\ndecision = "deny" # never\npattern = "Bash(rm *)"\n'
  put(configFile(), text)
  await again()
  const { add, change, move, remove, list } = await rules()
  const folder = scratch.project
  await add(folder, 'user', { decision: 'allow', pattern: 'Bash(npm test)' })
  const [first, second] = (await list(folder)).rules
  expect(first).toMatchObject({ scope: 'user', line: 2, index: 0, decision: 'deny' })
  expect(second).toMatchObject({ explanation: 'Allows exactly the command “npm test” without asking.', index: 1 })
  await change(folder, first!, { decision: 'ask', pattern: 'Bash(rm *)' })
  expect(config()).toContain('decision = "ask" # never')
  await move(folder, second!, 0)
  expect((await list(folder)).rules.map(({ pattern }) => pattern)).toEqual(['Bash(npm test)', 'Bash(rm *)'])
  const [moved] = (await list(folder)).rules
  await remove(folder, moved!)
  expect(config()).toBe(text.replace('"deny"', '"ask"').replace(/\n$/, '\n'))
})

test('every change of rules can be undone, to the byte', async () => {
  put(configFile(), '[[permission.rules]]\ndecision = "deny"\npattern = "Read(.env)"\n\n# end')
  await again()
  const before = config()
  const { add, remove, list } = await rules()
  const { undo } = await engine.customize()
  const added = await add(scratch.project, 'user', { decision: 'ask', pattern: 'Write' })
  await undo(added.undoId)
  expect(config()).toBe(before)
  const removed = await remove(scratch.project, (await list(scratch.project)).rules[0]!)
  await undo(removed.undoId)
  expect(config()).toBe(before)
  await expect(undo(removed.undoId)).rejects.toMatchObject({ code: 'customize.undo_gone' })
})

test('an undo does not overwrite later changes', async () => {
  const { add } = await rules()
  const { undo } = await engine.customize()
  const { undoId } = await add(scratch.project, 'user', { decision: 'ask', pattern: 'Write' })
  writeFileSync(configFile(), `${config()}\n# added by hand\n`)
  await expect(undo(undoId)).rejects.toMatchObject({ code: 'customize.changed' })
  expect(config()).toContain('# added by hand')
})

test('a rule that is no longer where it was shown is left alone', async () => {
  const { add, remove, list } = await rules()
  await add(scratch.project, 'user', { decision: 'ask', pattern: 'Write' })
  const [shown] = (await list(scratch.project)).rules
  await expect(remove(scratch.project, { ...shown!, pattern: 'Edit' })).rejects.toMatchObject({
    code: 'customize.changed',
  })
})

test('an invalid pattern is refused with the reason, and nothing is written', async () => {
  const { add, explain } = await rules()
  const rule = { decision: 'allow', pattern: 'Bash(ls && rm x)' } as const
  await expect(add(scratch.project, 'user', rule)).rejects.toThrow(/holds "&&"/)
  expect(explain(rule)).toMatchObject({ mistake: expect.stringContaining('judged separately') })
  expect(explain({ decision: 'deny', pattern: 'Reed' })).toEqual({
    mistake: 'The pattern names the tool Reed, which does not exist; did you mean Read?',
  })
})

test('rules of a project can be changed only if its settings are trusted, and the folder stays trusted', async () => {
  const { add, list } = await rules()
  put(projectFile(), '[[permission.rules]]\ndecision = "deny"\npattern = "Read(secrets/**)"\n')
  const rule = { decision: 'ask', pattern: 'Write' } as const
  await expect(add(scratch.project, 'project', rule)).rejects.toMatchObject({ code: 'customize.untrusted' })
  expect((await list(scratch.project)).rules[0]).toMatchObject({ scope: 'project', isOff: true })
  await trustProject(scratch.home, scratch.project)
  const { undoId } = await add(scratch.project, 'project', rule)
  expect((await engine.trust.view(scratch.project)).state).toBe('trusted')
  expect((await list(scratch.project)).rules.map(({ isOff }) => isOff)).toEqual([undefined, undefined])
  await (await engine.customize()).undo(undoId)
  expect((await engine.trust.view(scratch.project)).state).toBe('trusted')
})

test('the first rule of a project creates its file, which is trusted', async () => {
  const { add, list } = await rules()
  await add(scratch.project, 'project', { decision: 'deny', pattern: 'Bash(curl *)' })
  expect((await engine.trust.view(scratch.project)).state).toBe('trusted')
  expect((await list(scratch.project)).rules).toHaveLength(1)
})

test('a test shows which rule decided about each part, and runs nothing', async () => {
  const { add, test: judge } = await rules()
  await add(scratch.project, 'user', { decision: 'allow', pattern: 'Bash(touch *)' })
  await add(scratch.project, 'user', { decision: 'deny', pattern: 'Bash(curl *)' })
  const result = await judge(scratch.project, { command: 'touch made && curl example.com' }, 'auto')
  expect(result).toMatchObject({ verdict: 'deny', decidedBy: 'a deny rule', rule: { pattern: 'Bash(curl *)' } })
  expect(result.parts.map(({ text, verdict }) => [text, verdict])).toEqual([
    ['touch made', 'allow'],
    ['curl example.com', 'deny'],
  ])
  expect(existsSync(join(scratch.project, 'made'))).toBe(false)
})

test('a test of a path follows the modes, and names rules that match but do not decide', async () => {
  const { add, test: judge } = await rules()
  await add(scratch.project, 'user', { decision: 'allow', pattern: 'Write' })
  await add(scratch.project, 'user', { decision: 'deny', pattern: 'Write(dist/**)' })
  const verdictOf = async (tool: 'Read' | 'Write', target: string, mode: 'ask' | 'plan' = 'ask') =>
    judge(scratch.project, { tool, target }, mode)
  expect(await verdictOf('Write', 'dist/a.js')).toMatchObject({
    verdict: 'deny',
    parts: [{ otherRules: [{ decision: 'allow', pattern: 'Write' }] }],
  })
  expect(await verdictOf('Write', 'src/a.js')).toMatchObject({ verdict: 'allow' })
  expect(await verdictOf('Write', 'src/a.js', 'plan')).toMatchObject({ verdict: 'deny', decidedBy: 'plan mode' })
  expect(await verdictOf('Read', 'src/a.js')).toMatchObject({ verdict: 'allow' })
})

test('a hook is added, tried, turned off, moved and removed', async () => {
  const { hooks, undo } = await engine.customize()
  const folder = scratch.project
  await hooks.add(folder, 'user', { event: 'Stop', command: 'cat; exit 2', timeoutS: 5 })
  await hooks.add(folder, 'user', { event: 'PreToolUse', matcher: 'Bash', command: 'true' })
  const [first, second] = (await hooks.list(folder)).hooks
  expect(first).toMatchObject({ event: 'Stop', timeoutMs: 5000, index: 0 })
  const run = await hooks.test(folder, first!)
  expect(run).toMatchObject({ isTest: true, outcome: 'blocked', exitCode: 2 })
  expect(JSON.parse(run.output)).toMatchObject({ hook_event_name: 'Stop', answer: 'Done.' })
  await hooks.change(folder, second!, { event: 'PreToolUse', matcher: 'Bash', command: 'true', isOff: true })
  expect((await hooks.list(folder)).hooks[1]).toMatchObject({ isOff: true })
  await hooks.move(folder, (await hooks.list(folder)).hooks[1]!, 0)
  const { undoId } = await hooks.remove(folder, (await hooks.list(folder)).hooks[0]!)
  expect((await hooks.list(folder)).hooks).toHaveLength(1)
  await undo(undoId)
  expect((await hooks.list(folder)).hooks).toHaveLength(2)
  await expect(hooks.add(folder, 'user', { event: 'Stop', matcher: '(', command: 'x' })).rejects.toThrow(
    /not a valid regular expression/,
  )
})

const SKILL = '---\nname: tidy\ndescription: Tidies up.\n---\n\nTidy up.\n'

test('a skill is created, edited, turned off, deleted and restored', async () => {
  const { skills, undo } = await engine.customize()
  const folder = scratch.project
  const { path } = await skills.create(folder, 'user', 'tidy', SKILL)
  expect(await skills.read(folder, path)).toMatchObject({ text: SKILL, canEdit: true, problems: [] })
  await expect(skills.create(folder, 'user', 'tidy', SKILL)).rejects.toMatchObject({ code: 'customize.taken' })
  await expect(skills.save(folder, path, SKILL, 'no front matter')).rejects.toThrow(/no front matter/)
  await skills.save(folder, path, SKILL, SKILL.replace('Tidies', 'Really tidies'))
  await expect(skills.save(folder, path, SKILL, SKILL)).rejects.toMatchObject({ code: 'customize.changed' })
  await skills.setEnabled('tidy', false)
  expect((await engine.skills.list(folder)).skills.some(({ name }) => name === 'tidy')).toBe(false)
  expect((await skills.list(folder)).skills.find(({ name }) => name === 'tidy')).toMatchObject({ isOff: true })
  await skills.setEnabled('tidy', true)
  const { undoId } = await skills.remove(folder, path)
  expect(existsSync(path)).toBe(false)
  await undo(undoId)
  expect(readFileSync(path, 'utf8')).toContain('Really tidies')
})

test('built-in skills and files elsewhere cannot be changed', async () => {
  const { skills } = await engine.customize()
  const builtIn = (await skills.list(scratch.project)).skills.find(({ source }) => source === 'built-in')!
  await expect(skills.remove(scratch.project, builtIn.path)).rejects.toMatchObject({ code: 'customize.invalid' })
  await expect(skills.save(scratch.project, '/etc/hosts', '', SKILL)).rejects.toMatchObject({
    code: 'customize.not_found',
  })
})

const FIELDS = {
  name: 'helper',
  description: 'Helps out.',
  systemPrompt: 'You help.\nAlways.',
  tools: ['Read', 'Grep'],
  excludeTools: [],
  subagents: [],
  readOnly: true,
}

test('an agent is created from a form, edited without losing comments, deleted and restored', async () => {
  const { agents, undo } = await engine.customize()
  const folder = scratch.project
  const { path } = await agents.create(folder, 'user', FIELDS)
  expect((await agents.read(folder, path)).fields).toEqual(FIELDS)
  writeFileSync(path, `# my helper\n${readFileSync(path, 'utf8')}`)
  const { text } = await agents.read(folder, path)
  await agents.save(folder, path, text, { fields: { ...FIELDS, model: 'small', tools: undefined } })
  const saved = await agents.read(folder, path)
  expect(saved.text).toContain('# my helper')
  expect(saved.fields).toMatchObject({ model: 'small', systemPrompt: FIELDS.systemPrompt })
  expect(saved.fields).not.toHaveProperty('tools')
  await expect(agents.save(folder, path, saved.text, { fields: { ...FIELDS, tools: ['Reed'] } })).rejects.toThrow(
    /There is no tool "Reed". Did you mean Read/,
  )
  const { undoId } = await agents.remove(folder, path)
  expect((await engine.agents.list(folder)).agents.some(({ name }) => name === 'helper')).toBe(false)
  await undo(undoId)
  expect(readFileSync(path, 'utf8')).toBe(saved.text)
})

test('an agent of a project can be used immediately, because the user wrote it here', async () => {
  const { agents } = await engine.customize()
  await agents.create(scratch.project, 'project', { ...FIELDS, name: 'local' })
  expect((await engine.agents.list(scratch.project)).agents.find(({ name }) => name === 'local')).toMatchObject({
    source: 'project',
  })
})
