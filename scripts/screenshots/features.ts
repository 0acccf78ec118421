/** Pictures of the features beside the conversation: files, review, Git, terminals, preview and the others. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { SETTLED } from './conversations.ts'

interface FeatureScene {
  /** It becomes a Git repository. */
  project: string
  /** The URL of the app. */
  url: string
  take: (page: Page, name: string) => Promise<void>
}

/** The pictures taken by this file. */
export const FEATURES = [
  'start',
  'files',
  'review',
  'git',
  'terminals',
  'preview',
  'usage',
  'permissions',
  'appearance',
  'shortcuts',
  'places',
]

const SHOP = `<!doctype html><title>Storefront</title>
<style>body{font:16px system-ui;margin:40px}button{padding:8px 16px}</style>
<h1>Storefront</h1><p>3 mugs <output aria-label="Total">24.30</output></p><button>Pay</button>`

/** Takes them in a page of an app without sessions. */
export async function takeFeatures(page: Page, { project, url, take }: FeatureScene): Promise<void> {
  makeRepository(project)
  await page.goto(new URL(`/new?folder=${encodeURIComponent(project)}`, url).href)
  await page.getByRole('switch', { name: 'Work in a worktree' }).waitFor()
  await take(page, 'start')
  await page.getByRole('textbox', { name: 'What should we work on?' }).fill(SETTLED.prompt)
  await page.getByRole('button', { name: /^Model: / }).click()
  await page
    .getByRole('searchbox')
    .or(page.getByRole('combobox', { name: /model/i }))
    .first()
    .waitFor()
  await take(page, 'models')
  await page.keyboard.press('Escape')
  const apart = page.getByRole('switch', { name: 'Work in a worktree' })
  await apart.click()
  await page.getByRole('textbox', { name: /Branch/ }).waitFor()
  await take(page, 'worktrees')
  await apart.click()
  await page.getByRole('button', { name: /Start session/ }).click()
  for (const file of ['use-totals.ts', 'checkout.test.tsx'])
    await page
      .getByRole('group', { name: new RegExp(`Edit .*${file}`) })
      .getByRole('button', { name: /^Allow once/ })
      .click()
  await page.getByText('instead of 300 ms').first().waitFor()
  await page.getByRole('button', { name: 'Hide the inspector' }).click()

  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in this session' }).fill('settled')
  await page
    .getByText(/of \d+/)
    .first()
    .waitFor()
  await take(page, 'conversation')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+Shift+E')
  await page.getByRole('treeitem', { name: /^src/ }).click()
  await page.getByRole('treeitem', { name: /^checkout/ }).click()
  await page.getByRole('treeitem', { name: /^use-totals\.ts/ }).click()
  await page
    .getByRole('group', { name: /^Lines of/ })
    .locator('.ct-keyword')
    .first()
    .waitFor()
  await take(page, 'files')

  await openPane(page, 'Review')
  await page.getByRole('button', { name: 'Undo all' }).waitFor()
  await page.getByText('settled = request.data').last().waitFor()
  await page.locator('.review-text .ct-keyword').first().waitFor()
  await take(page, 'review')

  await openPane(page, 'Git')
  await page.getByRole('button', { name: /^Commit/ }).waitFor()
  await take(page, 'git')

  await openPane(page, 'New terminal')
  await page.locator('.xterm-rows').getByText(/[$#]/).first().waitFor()
  await take(page, 'terminals')

  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(SHOP))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await openPane(page, 'Preview')
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.fill(`http://localhost:${(server.address() as AddressInfo).port}`)
    await address.press('Enter')
    await page.frameLocator('iframe').getByRole('heading', { name: 'Storefront' }).waitFor()
    await take(page, 'preview')
  } finally {
    server.close()
    server.closeAllConnections()
  }

  for (const [path, name, ready] of [
    ['/usage', 'usage', 'From cache'],
    ['/settings/permissions', 'permissions', 'Test a command or path'],
    ['/settings/appearance', 'appearance', 'Density'],
    ['/settings/shortcuts', 'shortcuts', 'Reset all'],
  ] as const) {
    await page.goto(new URL(path, url).href)
    await page.getByText(ready).first().waitFor()
    await take(page, name)
  }

  await page.goto(new URL('/settings/places', url).href)
  await page.getByRole('button', { name: 'Add a place' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a place' })
  await dialog.getByRole('textbox', { name: 'Host' }).fill('build-box')
  await take(page, 'places')
}

async function openPane(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

function makeRepository(project: string): void {
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', project, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args])
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'catalogue: prices from the server')
  git('switch', '-q', '-c', 'fix/checkout')
  writeFileSync(join(project, 'README.md'), '# Storefront\n\nThe web shop: catalogue, cart, checkout, and its tests.\n')
}
