import { expect, test } from './app'
import { findings } from './assistive'
import { transcriptText, sendPrompt, startSession } from './steps'

const SKILL = '---\nname: tidy\ndescription: Tidies a folder\narguments: [what]\n---\nTidy $what from top to bottom.\n'

test.describe('a skill of the project', () => {
  test.use({
    files: {
      'README.md': '# x\n',
      '.trestle/skills/tidy/SKILL.md': SKILL,
      '.trestle/skills/broken/SKILL.md': '---\nname: broken\n---\n',
    },
    model: {
      script: [{ toolCalls: [{ name: 'Skill', input: { skill: 'tidy', args: 'docs' } }] }, { text: 'Tidied.' }],
    },
  })

  test('is listed after a slash, sends its instructions to the model, and can be loaded by the model', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.pressSequentially('/ti')
    await expect(page.getByRole('option', { name: /tidy/ })).toContainText('Tidies a folder')
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue('/tidy ')
    await field.pressSequentially('src')
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Tidied.')).toBeVisible()
    const [first, second] = app.server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toContain('Tidy src from top to bottom.')
    expect(first).toContain('- tidy: Tidies a folder')
    expect(second).toContain('Tidy docs from top to bottom.')
    await page.getByText('with the skill tidy').click()
    await expect(transcriptText(page, 'Tidy src from top to bottom.')).toBeVisible()
  })

  test('is listed in the settings with its path, and a broken one with its line', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: 'Skills' }).click()
    const section = page.getByRole('tabpanel', { name: 'Skills' })
    await expect(section.getByText('/tidy', { exact: true })).toBeVisible()
    await expect(section.getByText('It needs a description.')).toBeVisible()
    await expect(section.getByText(/broken\/SKILL\.md:2/)).toBeVisible()
    expect(await findings(page)).toEqual([])
  })
})

const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: The skill ${name}\n---\n${text}\n`
const load = (name: string) => ({ toolCalls: [{ name: 'Skill', input: { skill: name } }] })

test.describe('a skill that calls a skill', () => {
  test.use({
    files: {
      '.trestle/skills/release/SKILL.md': skill('release', 'Load the skill changelog, then tag.'),
      '.trestle/skills/changelog/SKILL.md': skill('changelog', 'Write what has changed.'),
    },
    model: { script: [load('release'), load('changelog'), { text: 'Released.' }] },
  })

  test('sends the instructions of both to the model, and shows both', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'release it')
    await expect(transcriptText(page, 'Released.')).toBeVisible()
    await expect(page.getByRole('button', { name: /Skill release/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /Skill changelog/ })).toBeVisible()
    const requestText = JSON.stringify(app.server.requests.at(-1)!.body)
    expect(requestText).toContain('Load the skill changelog, then tag.')
    expect(requestText).toContain('Write what has changed.')
    expect(await findings(page)).toEqual([])
  })
})

test('a slash command runs immediately, and a path is not a command', async ({ app }) => {
  const { page } = app
  await startSession(app)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.pressSequentially('/help')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(field).toHaveValue('')
  await sendPrompt(page, '/etc/hosts is what?')
  await expect(transcriptText(page, 'Hello.')).toBeVisible()
})
