import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from './app'
import { openAt, transcriptText, sendPrompt, startSession } from './steps'

test.use({ bare: true, model: { script: [{ text: 'Yes.' }, { text: 'Hello.' }] } })

test('a new user tries the demo: it edits a file after an approval, and says that it is a script', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Try the demo in a temporary folder' }).click()
  await expect(page.getByRole('button', { name: 'Start demo' })).toBeEnabled()
  const field = page.getByRole('textbox', { name: 'What should we work on?' })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('Show me around')
  await page.keyboard.press('Enter')

  const write = page.getByRole('group', { name: /Write trestle-demo\.md/ })
  await expect(write).toContainText('# Trestle demo')
  // Not dangerous: the project is not among Trestle's own files.
  await expect(write).not.toContainText(/risk|configuration/)
  const scratch = (await page.locator('[data-row^="project:"]').getAttribute('title')) ?? ''
  expect(readdirSync(scratch)).not.toContain('trestle-demo.md')
  await write.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()

  const edit = page.getByRole('group', { name: /Edit trestle-demo\.md/ })
  await edit.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
  // Its last command is read-only, and so needs no approval; then it counts to three in the background.
  await expect(page.getByRole('button', { name: /^Stop/ })).toBeHidden()
  expect(readFileSync(join(scratch, 'trestle-demo.md'), 'utf8')).toContain('# Trestle demo')
  await expect(page.getByText('scripted').first()).toBeVisible()
  await expect(page.getByText('3 of 3 done').first()).toBeVisible()
  rmSync(dirname(scratch), { recursive: true })
})

test('a new user connects a provider by URL and key, tests the connection, and sends a message', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Other provider' }).click()
  const form = page.getByRole('form', { name: 'Connect a provider' })
  await form.getByLabel('Base URL').fill(app.server.baseUrl)
  await form.getByLabel('API key').fill('sk-typed-into-the-app')
  await form.getByLabel('Model name').fill('scripted')
  await form.getByRole('button', { name: /Connect|Save/ }).click()
  const file = join(app.scratch.home, 'config.toml')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toContain(app.server.baseUrl)
  expect(readFileSync(file, 'utf8')).not.toContain('sk-typed-into-the-app')
  await startSession(app)
  await sendPrompt(page, 'hello there')
  await expect(transcriptText(page, 'Hello.')).toBeVisible()
  expect(app.server.requests.at(-1)!.headers['authorization']).toBe('Bearer sk-typed-into-the-app')
})

test('a model connected in the app has its real context window and media; an unknown one is labeled as a guess', async ({
  app,
}) => {
  const { page } = app
  const file = join(app.scratch.home, 'config.toml')
  await page.getByRole('button', { name: 'Other provider' }).click()
  const form = page.getByRole('form', { name: 'Connect a provider' })
  await form.getByLabel('Type').selectOption('anthropic')
  await form.getByLabel('Base URL').fill(app.server.baseUrl)
  await form.getByLabel('API key').fill('sk-ant-typed')
  await form.getByRole('button', { name: 'List models' }).click()
  await expect(form.getByRole('status').first()).toContainText(/offers|known|model ID/)
  await form.getByLabel('Model name').fill('claude-sonnet-5-5')
  await form.getByRole('button', { name: /Connect/ }).click()
  const pill = page.getByRole('button', { name: 'Model: claude-sonnet-5-5' })
  await pill.click()
  await expect(page.getByText('1,000,000 tokens · images, PDFs · thinking').first()).toBeVisible()
  // Only the user's input is saved: the rest follows the table.
  expect(readFileSync(file, 'utf8')).not.toContain('context_window')
  expect(readFileSync(file, 'utf8')).not.toContain('capabilities')

  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\n[models."anthropic/claude-unheard-of"]\n` +
      'provider = "anthropic"\nmodel = "claude-unheard-of"\n',
  )
  const unknown = page.getByRole('option', { name: /claude-unheard-of/ })
  await expect(unknown).toContainText('guess')
  await expect(unknown).toContainText('128k · price unknown')
})

test.describe('a connection that fails its test', () => {
  const faults = { status: 401, body: { error: { message: 'No such key.' } } }
  test.use({ model: { script: [{ faults }, { text: 'ok' }, { faults }] } })

  test('is not saved, says so, and can be corrected or saved anyway', async ({ app }) => {
    const { page } = app
    const file = join(app.scratch.home, 'config.toml')
    const isSaved = () => existsSync(file) && readFileSync(file, 'utf8').includes(app.server.baseUrl)
    const form = page.getByRole('form', { name: 'Connect a provider' })
    const fill = async (model: string): Promise<void> => {
      await form.getByLabel('Base URL').fill(app.server.baseUrl)
      await form.getByLabel('API key').fill('sk-typed-into-the-app')
      await form.getByLabel('Model name').fill(model)
      await form.getByRole('button', { name: 'Connect and test' }).click()
    }
    await page.getByRole('button', { name: 'Other provider' }).click()
    await fill('scripted')
    await expect(form).toContainText('Couldn’t connect')
    await expect(form).toContainText('No such key.')
    await expect(form).toContainText('Nothing was saved.')
    expect(isSaved()).toBe(false)
    await form.getByRole('button', { name: 'Connect and test' }).click()
    await expect(page.getByRole('button', { name: 'Model: scripted' })).toBeVisible()
    expect(isSaved()).toBe(true)

    await openAt(page, '/settings/providers')
    await page.getByRole('button', { name: 'Catalog' }).click()
    await page.getByRole('button', { name: 'Other provider' }).click()
    await fill('another')
    await expect(form).toContainText('Nothing was saved.')
    expect(readFileSync(file, 'utf8')).not.toContain('another')
    await form.getByRole('button', { name: 'Save anyway' }).click()
    await expect(form).toBeHidden()
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('another')
  })
})
