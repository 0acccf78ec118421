import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { transcriptText, sendPrompt, startSession } from './steps'

const hook = (event: string, matcher: string, command: string): string =>
  `[[hooks]]\nevent = "${event}"\nmatcher = "${matcher}"\ncommand = ${JSON.stringify(command)}\n`

test.use({
  files: { 'README.md': 'A project\n', '.trestle/config.toml': hook('Stop', '*', 'npm test --silent') },
  config: {
    loop:
      hook('PreToolUse', '^Bash$', 'echo looking; echo "Not on a Friday." >&2; exit 2') +
      hook('beforeWriteFile', 'md$', `echo '{"content": "made by a hook\\n"}'`) +
      hook('UserPromptSubmit', 'curse', 'echo "No curses here." >&2; exit 2'),
  },
  model: {
    script: [
      {
        toolCalls: [
          { name: 'Bash', input: { command: 'touch made' } },
          { name: 'Write', input: { path: 'new.md', content: 'meant' } },
        ],
      },
      { text: 'Done as far as I may.' },
    ],
  },
})

test('hooks deny calls, change written content and block prompts; a settings page shows their runs', async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  const question = page.getByRole('region', { name: 'This project has its own settings' })
  await expect(question).toContainText('on Stop of * run, for at most 30 s: npm test --silent')

  await sendPrompt(page, 'a curse')
  await expect(page.getByText('No curses here.').first()).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('a curse')

  await sendPrompt(page, 'go')
  const card = page.getByRole('group', { name: /Approval needed: Write new.md/ })
  await expect(card).toContainText('made by a hook')
  await expect(card).toContainText('A hook changed what is written.')
  await card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
  await expect(transcriptText(page, 'Done as far as I may.')).toBeVisible()

  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('tab', { name: 'Hooks' }).click()
  const section = page.getByRole('tabpanel', { name: 'Hooks' })
  await expect(section.getByRole('list', { name: 'Hooks' }).getByRole('listitem')).toHaveCount(3)
  const runs = section.getByRole('list', { name: 'Last runs' })
  await expect(runs).toContainText('changed the content')
  const denied = runs.getByRole('listitem').filter({ hasText: 'PreToolUse' }).filter({ hasText: 'blocked' })
  await denied.getByText('PreToolUse').click()
  await expect(denied.getByRole('group', { name: 'Output of PreToolUse' })).toHaveText('looking\nNot on a Friday.')

  appendFileSync(join(app.scratch.home, 'config.toml'), `\n${hook('BeforeTool', '*', 'true')}`)
  await expect(section.getByText(/event in \[hooks\.3\] must be/)).toBeVisible()
  expect(await findings(page)).toEqual([])
})
