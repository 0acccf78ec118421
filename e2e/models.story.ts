import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { openAt, pictures, startSession, transcriptText } from './steps'

test.use({
  model: { script: [{ text: 'Hello from the start.' }, { text: 'Again.' }] },
  config: {
    more:
      '[models."local/other"]\nprovider = "local"\nmodel = "other"\n' +
      'label = "Other model"\nprices = { input = 3, output = 15 }\n',
  },
})

test('a session starts by typing in a composer, and its model is searched and switched by keyboard alone', async ({
  app,
}) => {
  const { page, scratch } = app
  await page.getByRole('button', { name: 'Choose a folder…' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(scratch.project)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Open project' })).toBeEnabled()
  await dialog.getByRole('button', { name: 'Open project' }).press('Enter')
  await expect(page.getByRole('button', { name: /^Folder: / })).toBeVisible()
  await pictures(app, 'start')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findings(page)).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 840 })
  await page.getByRole('textbox', { name: 'What should we work on?' }).focus()
  await page.keyboard.type('Say hello')
  await page.keyboard.press('Enter')
  await expect(transcriptText(page, 'Hello from the start.')).toBeVisible()

  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/model')
  await expect(page.getByRole('option', { name: /^\/?model/, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  const search = page.getByRole('combobox', { name: 'Search models' })
  await expect(search).toBeFocused()
  await page.keyboard.type('other')
  await expect(page.getByRole('option')).toHaveCount(1)
  await expect(page.getByRole('option', { name: /Other model/ })).toContainText('$3 / $15')
  await expect(page.getByText('$3 in, $15 out per million tokens (from config.toml)')).toBeVisible()
  await pictures(app, 'model-picker')
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Favorite: Other model' }).press('Enter')
  await search.press('Enter')
  await expect(page.getByRole('button', { name: 'Model: Other model' })).toBeVisible()
  await page.getByRole('button', { name: 'Model: Other model' }).press('Enter')
  await expect(page.getByRole('group', { name: 'Favorites' }).getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox', { name: 'Models' })).toHaveCount(0)
})

/** A provider that lists its models for one key only. */
async function provider(): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const isAllowed = request.headers.authorization === 'Bearer right-key'
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(isAllowed ? { data: [{ id: 'small-1' }, { id: 'large-1', context_length: 64_000 }] } : {}),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

test('a provider of the catalog is connected with a key: a wrong key is a clear error, the right one lists the models', async ({
  app,
}) => {
  const { page, scratch } = app
  const { server, url } = await provider()
  try {
    await page.getByRole('button', { name: 'Settings' }).press('Enter')
    await page.getByRole('button', { name: 'Catalog' }).press('Enter')
    const tiles = page.getByRole('list', { name: 'Providers' }).getByRole('button')
    await expect.poll(() => tiles.count()).toBeGreaterThanOrEqual(16)
    await pictures(app, 'provider-catalog')
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: /^Azure OpenAI/ }).press('Enter')
    const form = page.getByRole('form', { name: 'Connect Azure OpenAI' })
    await form.getByLabel('Address').fill(url)
    await form.getByLabel('API key').fill('wrong-key')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText('did not accept the key')
    await expect(page.getByRole('textbox', { name: 'Another model' })).toBeVisible()
    expect(readFileSync(join(scratch.home, 'config.toml'), 'utf8')).not.toContain('azure')

    await form.getByLabel('API key').fill('right-key')
    await form.getByLabel('API key').press('Enter')
    const large = page.getByRole('checkbox', { name: /large-1/ })
    await expect(page.getByRole('listitem').filter({ has: large })).toContainText('64,000 tokens')
    await expect(page.getByRole('listitem').filter({ has: large })).toContainText('price unknown')
    await large.press('Space')
    await pictures(app, 'provider-connect')
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Add 1 model' }).press('Enter')
    await expect
      .poll(() => readFileSync(join(scratch.home, 'config.toml'), 'utf8'))
      .toContain('[models."azure/large-1"]')
    expect(readFileSync(join(scratch.home, 'config.toml'), 'utf8')).not.toContain('right-key')
  } finally {
    server.close()
  }
})

test('the pills of a new session are its mode and its model', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.keyboard.press('Control+n')
  await page.getByRole('button', { name: /^Permissions: / }).press('Enter')
  await page.getByRole('menuitemradio', { name: /^Plan/ }).press('Enter')
  await page.getByRole('button', { name: /^Model: / }).press('Enter')
  await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused()
  await page.keyboard.type('other')
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  const field = page.getByRole('textbox', { name: 'What should we work on?' })
  await field.fill('Plan it')
  await field.press('Enter')
  await expect(transcriptText(page, 'Hello from the start.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Permissions: Plan' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Model: Other model' })).toBeVisible()
})

test('a new default model applies to new sessions; existing ones keep theirs', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await openAt(page, '/settings/models')
  await page.getByRole('button', { name: 'Make default: Other model' }).click()
  await expect(page.getByRole('button', { name: 'Make default: Other model' })).toHaveCount(0)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Model: scripted' })).toBeVisible()
  await startSession(app)
  await expect(page.getByRole('button', { name: 'Model: Other model' })).toBeVisible()
})
