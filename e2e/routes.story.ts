import { expect, test } from './app'
import { reload, sendPrompt, startSession, transcriptText } from './steps'

test.use({ model: { script: [{ text: 'First answer.' }, { text: 'Second answer.' }] } })

test('Back and Forward go through earlier views, and the title follows', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Fix the login')
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  await expect(page).toHaveURL(/\/s\/[^/#?]+$/)
  await expect(page).toHaveTitle(/Fix the login – Trestle$/)
  const session = page.url()
  await page.getByRole('button', { name: 'Settings' }).click()
  await expect(page).toHaveURL(/\/settings\/providers$/)
  await page.getByRole('tab', { name: 'MCP' }).click()
  await expect(page).toHaveURL(/\/settings\/mcp$/)
  await expect(page).toHaveTitle('Settings – Trestle')
  await page.getByRole('button', { name: /^Inbox/ }).click()
  await expect(page).toHaveURL(/\/inbox$/)
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'MCP' })).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Providers' })).toHaveAttribute('aria-selected', 'true')
  await page.goBack()
  await expect(page).toHaveURL(session)
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  await page.goForward()
  await expect(page.getByRole('tab', { name: 'Providers' })).toHaveAttribute('aria-selected', 'true')
})

test('a reload keeps the view, and a link to a message opens the session there', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'Fix the login')
  await expect(transcriptText(page, 'First answer.')).toBeVisible()
  const session = page.url()
  await page.getByRole('button', { name: /^Tasks/ }).click()
  await expect(page).toHaveURL(/\/tasks$/)
  await reload(page)
  await expect(page.getByRole('heading', { name: 'Tasks' })).toBeVisible()
  test.skip(app.url === undefined, 'links are for browsers')
  await page.goto(`${session}#2`)
  await expect(transcriptText(page, 'Fix the login')).toBeVisible()
})

test('a bookmark works after Trestle was restarted, and a page without the token has a field to paste the URL into', async ({
  app,
}) => {
  test.skip(app.url === undefined, 'the web host only')
  await startSession(app)
  await sendPrompt(app.page, 'Fix the login')
  await expect(transcriptText(app.page, 'First answer.')).toBeVisible()
  const before = new URL(app.url!)
  const { pathname } = new URL(app.page.url())
  await app.restart()
  const { page } = app
  const after = new URL(app.url!)
  expect([after.port, after.hash]).toEqual([before.port, before.hash])
  await page.goto(new URL(pathname, after).href)
  await expect(transcriptText(page, 'First answer.')).toBeVisible()

  const stranger = await page.context().browser()!.newContext()
  try {
    const other = await stranger.newPage()
    await other.goto(new URL(pathname, after).href)
    const field = other.getByRole('textbox', { name: 'URL or token' })
    await field.fill('http://127.0.0.1:1/')
    await other.getByRole('button', { name: 'Open Trestle' }).click()
    await expect(other.getByText('No token found.')).toBeVisible()
    await field.fill(app.url!)
    await other.getByRole('button', { name: 'Open Trestle' }).click()
    await expect(transcriptText(other, 'First answer.')).toBeVisible()
    expect(other.url()).not.toContain('token')
    // The next tab of that browser needs no token in its URL.
    const tab = await stranger.newPage()
    await tab.goto(new URL('/settings/general', after).href)
    await expect(tab.getByRole('tab', { name: 'General' })).toHaveAttribute('aria-selected', 'true')
  } finally {
    await stranger.close()
  }
})
