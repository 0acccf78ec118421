import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, type App } from './app'

/** Starts a session in the temporary project, from the page that a link to its folder opens. */
export async function startSession({ page, scratch }: App): Promise<void> {
  await openAt(page, `/new?${new URLSearchParams({ folder: scratch.project }).toString()}`)
  await page.getByRole('button', { name: /Start session/ }).click()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
}

/** Navigates to a link within the page, without a reload. */
export async function openAt(page: Page, link: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(link)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/** Starts a session in the temporary project, with the folder chosen in the page's own dialog. */
export async function chooseFolder({ page, scratch }: App): Promise<void> {
  await page.getByRole('button', { name: /Choose a folder/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(scratch.project)
  await dialog.getByRole('textbox').press('Enter')
  await dialog.getByRole('button', { name: /Open|Choose|Use/ }).click()
  await page.getByRole('button', { name: /Start session/ }).click()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
}

/** Sends a prompt with the keyboard. */
export async function sendPrompt(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(words)
  await page.keyboard.press('Enter')
}

/** Text in the transcript (the same words are also announced elsewhere). */
export function transcriptText(page: Page, words: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Conversation' }).getByText(words).first()
}

/** Screenshots for review: light, dark and narrow, only if a folder is set (`STORY_PICTURES`). */
export async function pictures({ page }: App, name: string): Promise<void> {
  const folder = process.env['STORY_PICTURES']
  const size = page.viewportSize()
  if (folder === undefined || !size) return
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
  }
  await page.setViewportSize({ width: 400, height: 800 })
  await page.screenshot({ path: join(folder, `${name}-narrow.png`) })
  await page.setViewportSize(size)
}

/** Reloads the page and waits until it handles keys. */
export async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-keys=ready]').waitFor()
}

/**
 * Chooses an item of the menu that a row opens with the right button. A list that is just being filled may replace the
 * row, and its menu with it.
 */
export async function chooseInMenu(row: Locator, item: string): Promise<void> {
  const found = row.page().getByRole('menuitem', { name: item, exact: true })
  await expect(async () => {
    await row.click({ button: 'right', timeout: 10_000 })
    await found.click({ timeout: 10_000 })
  }).toPass()
}
