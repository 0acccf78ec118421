import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { canMakeCertificates } from '../test/support/certificate'
import { expect, test } from './app'
import { findingsInBothThemes } from './assistive'
import { openAt, pictures, sendPrompt, startSession, transcriptText } from './steps'

test.use({
  config: { more: '[devices]\nlisten = "127.0.0.1:0"' },
  model: {
    script: [
      { toolCalls: [{ name: 'Bash', input: { command: 'mkdir from-phone' } }] },
      { text: 'The folder is there.' },
      { text: 'Steered from the phone.' },
    ],
  },
})

/** A phone with a touch screen, which accepts the certificate as its user would. */
async function phone(browser: Browser): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
  })
  return context.newPage()
}

/** Controls that are too small for a finger, and whether the page scrolls sideways. */
function problemsOfTouch(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const controls = [...document.querySelectorAll('main button, main a, main input, main textarea, main [role=radio]')]
    const small = controls.flatMap((control) => {
      const { width, height } = control.getBoundingClientRect()
      const isShown = width > 0 && height > 0 && control.checkVisibility()
      const name = control.getAttribute('aria-label') ?? control.textContent
      return isShown && (height < 40 || width < 40) ? [name + ' ' + Math.round(width) + 'x' + Math.round(height)] : []
    })
    const root = document.documentElement
    return [...small, ...(root.scrollWidth > root.clientWidth ? ['the page scrolls sideways'] : [])]
  })()`)
}

test('a phone is paired with a code, approves, steers and stops, and is signed out when it is revoked', async ({
  app,
}) => {
  test.skip(app.url === undefined || !canMakeCertificates, 'needs the web host and openssl')
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'make a folder')
  await expect(page.getByRole('group', { name: /^Approval needed/ })).toBeVisible()

  await page.goto(new URL('/settings/devices', app.url).href)
  await expect(page.getByText('No devices yet')).toBeVisible()
  await pictures(app, 'devices-empty')
  await page.getByRole('button', { name: 'Pair a device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pair a device' })
  await expect(dialog.getByRole('radio', { name: /^Full access/ })).toBeChecked()
  await dialog.getByRole('button', { name: 'Show code' }).click()
  await expect(dialog.getByText('Works once')).toBeVisible()
  await expect(dialog.getByRole('img', { name: 'QR code of the link' })).toBeVisible()
  await expect(dialog).toContainText(/([0-9A-F]{2}:){31}/)
  await pictures(app, 'devices-code')
  expect(await findingsInBothThemes(page)).toEqual([])
  const link = await dialog.getByText(/^https:\S+#pair=/).textContent()

  const mobile = await phone(page.context().browser()!)
  const urls: string[] = []
  mobile.on('request', (request) => urls.push(request.url()))
  await mobile.goto(link!)
  await expect(mobile.getByRole('textbox', { name: 'Code' })).toHaveValue(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
  await mobile.getByRole('textbox', { name: 'Name of this device' }).fill('My phone')
  await pictures({ ...app, page: mobile }, 'phone-pair')
  expect(await findingsInBothThemes(mobile)).toEqual([])
  expect(await problemsOfTouch(mobile)).toEqual([])
  await mobile.getByRole('button', { name: 'Pair' }).tap()
  await expect(dialog.getByText('My phone is paired.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()

  await mobile.goto(`${new URL(link!).origin}/inbox`)
  const card = mobile.getByRole('group', { name: /^Approval needed/ })
  await expect(card).toBeVisible()
  await pictures({ ...app, page: mobile }, 'phone-inbox')
  expect(await findingsInBothThemes(mobile)).toEqual([])
  expect(await problemsOfTouch(mobile)).toEqual([])
  await card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).tap()
  await expect.poll(() => existsSync(join(app.scratch.project, 'from-phone'))).toBe(true)
  await mobile
    .getByRole('button', { name: /open the session$/ })
    .or(mobile.getByText('No pending requests').first())
    .first()
    .waitFor()

  await mobile.getByRole('button', { name: 'Projects and sessions' }).tap()
  await mobile
    .getByRole('treeitem', { name: /make a folder/ })
    .last()
    .tap()
  await expect(transcriptText(mobile, 'The folder is there.')).toBeVisible()
  await sendPrompt(mobile, 'and now?')
  await expect(transcriptText(mobile, 'Steered from the phone.')).toBeVisible()
  await pictures({ ...app, page: mobile }, 'phone-session')
  expect(await findingsInBothThemes(mobile)).toEqual([])
  expect(urls.filter((url) => /token|pair=/.test(url))).toEqual([])

  await expect(page.getByRole('list', { name: 'Devices' })).toContainText('My phone')
  await pictures(app, 'devices-list')
  expect(await findingsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Revoke My phone' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(mobile.getByRole('heading', { name: 'Pair this device' })).toBeVisible()
  await expect(page.getByText('No devices yet')).toBeVisible()
  await mobile.reload()
  await expect(mobile.getByRole('heading', { name: 'Pair this device' })).toBeVisible()
})

test('a code that has expired says so, and is replaced by a new one', async ({ app }) => {
  const { page } = app
  await openAt(page, '/settings/devices')
  await page.getByRole('button', { name: 'Pair a device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pair a device' })
  await page.clock.install()
  await dialog.getByRole('button', { name: 'Show code' }).click()
  const code = dialog.getByText(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
  const first = await code.textContent()
  await page.clock.fastForward('11:00')
  await expect(dialog.getByRole('status')).toHaveText('The code has expired. It was not used.')
  await expect(code).toHaveCount(0)
  await page.clock.resume()
  await dialog.getByRole('button', { name: 'Show a new code' }).press('Enter')
  await expect(code).toBeVisible()
  expect(await code.textContent()).not.toBe(first)
})
