import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { RecordedRequest, ScriptStep } from '../test/support/model-script'
import { expect, test, type App } from './app'
import { transcriptText, sendPrompt, startSession } from './steps'
import { findings } from './assistive'

/** Creates a folder named after the last word of the prompt, and reports it. */
function makeFolder(request: RecordedRequest): ScriptStep {
  const messages = request.body['messages'] as { role: string; content: unknown }[]
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)
  const name = /please (\w+)/.exec(asked)?.[1] ?? 'unknown'
  if (messages.at(-1)?.role === 'tool') return { text: `That was ${name}.` }
  return { toolCalls: [{ name: 'Bash', input: { command: `mkdir ${name}` } }] }
}

test.use({ model: { script: makeFolder } })

const card = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: `Approval needed: Bash mkdir ${name}` })
const isThere = (app: App, name: string): boolean => existsSync(join(app.scratch.project, name))

/** Starts one session per name, each requesting to create the folder of that name. */
async function askIn(app: App, ...names: string[]): Promise<void> {
  await startSession(app)
  for (const [index, name] of names.entries()) {
    if (index > 0) await app.page.getByRole('button', { name: 'New session in project' }).click()
    await askHere(app, name)
  }
}

async function askHere({ page }: App, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'New session' })).toBeVisible()
  await sendPrompt(page, `please ${name}`)
  await expect(card(page, name)).toBeVisible()
}

async function openInbox(page: Page): Promise<void> {
  await page.locator('html[data-keys=ready]').waitFor()
  await page.keyboard.press('Control+u')
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
}

test('requests of three sessions are answered from the inbox, first in first out, by keyboard', async ({ app }) => {
  const { page } = app
  await askIn(app, 'one', 'two', 'three')
  await openInbox(page)
  await expect(page).toHaveTitle(/^\(3\) /)
  await expect(page.locator('[data-entry]')).toHaveCount(3)
  for (const [name, next] of [
    ['one', 'two'],
    ['two', 'three'],
  ] as const) {
    // Above the open card there is no empty bar, only the icon that closes it.
    const sign = page.locator('.inbox-row[data-open] .inbox-toggle')
    await expect.poll(async () => (await sign.boundingBox())?.width).toBeLessThan(48)
    await expect(card(page, name).getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
    // A key soon after another one counts as typing and is ignored: press it again.
    await expect(async () => {
      if (await card(page, name).isVisible()) await page.keyboard.press('1')
      await expect(card(page, next)).toBeVisible({ timeout: 2000 })
    }).toPass()
    // The next card appears while the user is still typing: it ignores keys at first.
    await page.keyboard.press('1')
    await expect.poll(() => isThere(app, name)).toBe(true)
    expect(isThere(app, next)).toBe(false)
    await expect(card(page, next)).toBeVisible()
  }
  await expect(card(page, 'three').getByRole('button', { name: /^Reject(?! and stop)/ })).toBeEnabled()
  const reason = page.getByRole('textbox', { name: 'Tell the agent what to do instead' })
  await expect(async () => {
    if (!(await reason.isVisible())) await page.keyboard.press('0')
    await expect(reason).toBeVisible({ timeout: 2000 })
  }).toPass()
  await reason.fill('no more of them')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No pending requests', { exact: true })).toBeVisible()
  await expect(page).toHaveTitle(/^[^(].*Trestle$/)
  expect(isThere(app, 'three')).toBe(false)
  expect(JSON.stringify(app.server.requests.map(({ body }) => body))).toContain('no more of them')
})

test('similar requests are allowed together only after each was shown', async ({ app }) => {
  const { page } = app
  await askIn(app, 'one', 'two')
  await openInbox(page)
  await page.getByRole('button', { name: 'Allow all 2 similar' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('mkdir one')
  await expect(dialog).toContainText('mkdir two')
  await expect(dialog.getByRole('button', { name: 'Allow these 2 once' })).toBeEnabled()
  await dialog.getByRole('button', { name: 'Allow these 2 once' }).click()
  await expect.poll(() => isThere(app, 'one') && isThere(app, 'two')).toBe(true)
  await expect(page.getByText('No pending requests', { exact: true })).toBeVisible()
})

test('a request answered in one tab is resolved in the other, and no other request appears in its place', async ({
  app,
}) => {
  test.skip(app.url === undefined, 'Electron has one window')
  const { page } = app
  await askIn(app, 'one', 'two')
  const second = await page.context().browser()!.newPage()
  await second.goto(app.url!)
  await expect(second.getByRole('button', { name: /Inbox/ })).toContainText('2 pending')
  await openInbox(second)
  await expect(card(second, 'one').getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
  await openInbox(page)
  await card(page, 'one')
    .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
    .click()
  await expect(second.getByText('Allowed once, elsewhere.')).toBeVisible()
  await expect(card(second, 'two')).toHaveCount(0)
  await second.keyboard.press('1')
  await second.getByRole('button', { name: 'Next' }).click()
  await expect(card(second, 'two')).toBeVisible()
  expect(isThere(app, 'two')).toBe(false)
  await second.close()
})

test('a request survives a restart; answering it continues the turn', async ({ app }) => {
  // Starts the program twice.
  test.slow()
  await askIn(app, 'one', 'two')
  await app.restart()
  const { page } = app
  await openInbox(page)
  await expect(page.locator('[data-entry]')).toHaveCount(2)
  await expect(card(page, 'one').getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
  await page.keyboard.press('1')
  await expect.poll(() => isThere(app, 'one')).toBe(true)
  await page.getByRole('treeitem', { name: /please one/ }).click()
  await expect(transcriptText(page, 'That was one.')).toBeVisible()
  expect(isThere(app, 'two')).toBe(false)
})

test('a page in the background shows one notification, and a click on it opens the pending request', async ({
  app,
}) => {
  test.skip(app.url === undefined, 'In Electron the host calls')
  const context = await app.page.context().browser()!.newContext()
  // Browser notifications are recorded instead of shown; neither page is in front.
  await context.addInitScript(`
    window.shown = []
    window.Notification = class extends EventTarget {
      static permission = 'granted'
      constructor(title, options) { super(); window.shown.push({ title, body: options.body }); window.latest = this }
      close() {}
    }
    document.hasFocus = () => false
  `)
  const pages = [await context.newPage(), await context.newPage()]
  for (const page of pages) {
    await page.goto(app.url!)
    await expect(page.getByRole('button', { name: 'Settings' })).toBeVisible()
  }
  const shown = (): Promise<{ title: string; body: string }[][]> =>
    Promise.all(pages.map((page) => page.evaluate<{ title: string; body: string }[]>('window.shown')))
  await askIn(app, 'one')
  await expect.poll(async () => (await shown()).flat()).toHaveLength(1)
  await app.page.getByRole('button', { name: 'New session in project' }).click()
  await askHere(app, 'two')
  await expect.poll(async () => (await shown()).flat()).toHaveLength(2)
  const [caller, other] = (await shown())[0]!.length > 0 ? [0, 1] : [1, 0]
  await expect
    .poll(async () => (await shown())[caller])
    .toEqual([
      { title: 'please one needs you', body: 'Bash mkdir one' },
      { title: '2 pending requests', body: 'please one, please two' },
    ])
  expect((await shown())[other]).toEqual([])
  await pages[caller]!.evaluate('window.latest.dispatchEvent(new Event("click"))')
  await expect(pages[caller]!.getByRole('heading', { name: 'please two' })).toBeVisible()
  await context.close()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the inbox passes the accessibility checks, ${colorScheme}`, async ({ app }) => {
    const { page } = app
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await openInbox(page)
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await askIn(app, 'one', 'two')
    await openInbox(page)
    await expect(card(page, 'one').getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('2')
    await expect(page.getByRole('radiogroup', { name: 'What the rule covers' })).toBeVisible()
    expect(await findings(page)).toEqual([])
    await page.setViewportSize({ width: 400, height: 800 })
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  })
}
