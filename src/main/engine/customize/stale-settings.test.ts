import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { required } from '../../../../test/support/required'
import { tempFolder } from '../../../../test/support/temp-folder'
import { openConfig } from '../config/config'
import { createEditedFiles } from './edited-files'
import { createHookActions } from './hook-actions'
import { createRuleActions } from './rule-actions'

const RULE = (decision: string, pattern: string): string =>
  `[[permission.rules]]\ndecision = "${decision}"\npattern = "${pattern}"\n\n`
const HOOK = (command: string): string => `[[hooks]]\nevent = "PreToolUse"\ncommand = "${command}"\n\n`

/** The actions of a process that has read `first`, while the file contains `now`. */
async function withFile(first: string, now: string) {
  const [home, folder] = [await tempFolder(), await tempFolder()]
  const file = join(home, 'config.toml')
  writeFileSync(file, first)
  const config = await openConfig({ home })
  onTestFinished(() => config.close())
  const files = createEditedFiles({
    home,
    config,
    trust: { accept: () => expect.fail('No project is changed.') },
    agentTrace: async () => undefined,
  })
  const hooks = config.settings.hooks.map((hook) => ({ ...hook, explanation: '' }))
  const list = async () => ({ hooks, trust: 'nothing' }) as never
  writeFileSync(file, now)
  return {
    folder,
    text: () => readFileSync(file, 'utf8'),
    rules: createRuleActions({ home, settings: () => config.settings, files }),
    hooks: createHookActions({ files, hooks: { list, test: () => expect.fail('No hook is run.') } }),
  }
}

const CHANGED = expect.objectContaining({ code: 'customize.changed' })

test('a rule that has moved in the file since it was read is not confused with another', async () => {
  const [ask, deny] = [RULE('ask', 'Bash(make *)'), RULE('deny', 'Bash(rm *)')]
  const { folder, text, rules } = await withFile(ask, deny + ask)
  const shown = { scope: 'user', index: 0, decision: 'ask', pattern: 'Bash(make *)' } as const
  await expect(rules.remove(folder, shown)).rejects.toEqual(CHANGED)
  await expect(rules.change(folder, shown, { decision: 'allow', pattern: 'Bash(make *)' })).rejects.toEqual(CHANGED)
  await expect(rules.move(folder, shown, 1)).rejects.toEqual(CHANGED)
  expect(text()).toBe(deny + ask)
})

test('a rule whose decision has changed since it was read is left alone', async () => {
  const { folder, text, rules } = await withFile(RULE('ask', 'Bash(make *)'), RULE('deny', 'Bash(make *)'))
  const shown = { scope: 'user', index: 0, decision: 'ask', pattern: 'Bash(make *)' } as const
  await expect(rules.remove(folder, shown)).rejects.toEqual(CHANGED)
  expect(text()).toBe(RULE('deny', 'Bash(make *)'))
})

test.each([RULE('maybe', 'Bash(make *)'), RULE('deny', 'Nothing(x)'), '[[permission.rules]]\ndecision = "deny"\n'])(
  'a rule with a mistake can be removed: %j',
  async (rule) => {
    const { folder, text, rules } = await withFile(rule, rule)
    const { decision, pattern, index } = required((await rules.list(folder)).rules[0], 'a rule')
    await rules.remove(folder, { scope: 'user', index, decision, pattern })
    expect(text().trim()).toBe('')
  },
)

test('a hook that has moved in the file since it was read is not confused with another', async () => {
  const { folder, text, hooks } = await withFile(HOOK('mine.sh'), HOOK('guard.sh') + HOOK('mine.sh'))
  const shown = { scope: 'user', index: 0, event: 'PreToolUse', command: 'mine.sh' } as const
  await expect(hooks.remove(folder, shown)).rejects.toEqual(CHANGED)
  await expect(hooks.change(folder, shown, { event: 'PreToolUse', command: 'x', isOff: true })).rejects.toEqual(CHANGED)
  expect(text()).toBe(HOOK('guard.sh') + HOOK('mine.sh'))
})
