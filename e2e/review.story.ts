import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const SOURCE = Array.from({ length: 40 }, (_, n) => `export const value${n + 1} = ${n + 1}`).join('\n')

test.use({
  config: { more: 'default_permission_mode = "auto"' },
  files: { 'src/values.ts': `${SOURCE}\n`, 'keep.txt': 'mine\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Read', input: { path: 'src/values.ts' } }] },
      {
        toolCalls: [
          { name: 'Edit', input: { path: 'src/values.ts', old_string: 'value3 = 3', new_string: 'value3 = 33' } },
        ],
      },
      {
        toolCalls: [
          { name: 'Edit', input: { path: 'src/values.ts', old_string: 'value30 = 30', new_string: 'value30 = 300' } },
        ],
      },
      { text: 'First done.' },
      { toolCalls: [{ name: 'Bash', input: { command: 'rm keep.txt; echo made > new.txt' } }] },
      { text: 'Second done.' },
      { text: 'Comments read.' },
    ],
  },
})

const file = (app: App, name: string): string => join(app.scratch.project, name)
const read = (app: App, name: string): string => readFileSync(file(app, name), 'utf8')
const pane = (page: Page) => page.getByRole('region', { name: 'Review', exact: true })
const theme = (page: Page, colorScheme: 'dark' | 'light') => page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })

async function twoTurns(app: App): Promise<void> {
  const { page } = app
  await page.setViewportSize({ width: 1720, height: 980 })
  await startSession(app)
  await sendPrompt(page, 'change the values')
  await expect(transcriptText(page, 'First done.')).toBeVisible()
  await sendPrompt(page, 'tidy up')
  await expect(transcriptText(page, 'Second done.')).toBeVisible()
}

/** Opens the review by keyboard. */
async function openReview(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  // On a busy machine, the first keys would arrive before the palette opens.
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.insertText('Review changes')
  await expect(page.getByRole('option', { name: 'Review changes' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(pane(page).getByText('3 files')).toBeVisible()
  const hide = page.getByRole('button', { name: 'Hide the inspector' })
  if (await hide.isVisible()) await page.keyboard.press('ControlOrMeta+i')
}

test('all changes of a session are in one scrolling list, and keys move, keep, undo and mark files as viewed', async ({
  app,
}) => {
  const { page } = app
  await twoTurns(app)
  await openReview(page)
  const review = pane(page)
  await expect(review.getByRole('region', { name: 'src/values.ts' })).toBeVisible()
  await expect(review.getByText('export const value30 = 300')).toBeVisible()
  await expect(review.getByRole('navigation', { name: 'Changed files' }).getByText('+2')).toBeVisible()
  for (const colors of ['dark', 'light'] as const) {
    await theme(page, colors)
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'review')
  await review.getByRole('group', { name: 'Changes', exact: true }).focus()
  // The first change of the first file, then to the file after it.
  await page.keyboard.press('n')
  await expect(review.getByRole('status')).toHaveText('Change 1 of 4, keep.txt')
  await page.keyboard.press(']')
  await page.keyboard.press(']')
  await expect(review.getByRole('status')).toHaveText('Change 3 of 4, src/values.ts')
  await page.keyboard.press('a')
  await expect(review.getByText('Kept', { exact: true })).toBeVisible()
  await page.keyboard.press('j')
  await expect(review.getByRole('status')).toHaveText('Change 4 of 4, src/values.ts')
  await page.keyboard.press('u')
  await expect.poll(() => read(app, 'src/values.ts')).toBe(`${SOURCE.replace('value3 = 3\n', 'value3 = 33\n')}\n`)
  await expect(page.getByText('Change undone')).toBeVisible()
  await expect(review.getByText('export const value30 = 300')).toBeHidden()
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
  await expect.poll(() => read(app, 'src/values.ts')).toContain('value30 = 300')
  // The mark applies to the version on screen, so wait for this one.
  await expect(review.getByText('export const value30 = 300')).toBeVisible()
  await review.getByRole('group', { name: 'Changes', exact: true }).focus()
  await page.keyboard.press('v')
  await expect(review.getByText('1 of 3 viewed')).toBeVisible()
  await reload(page)
  await expect(transcriptText(page, 'Second done.')).toBeVisible()
  await openReview(page)
  await expect(pane(page).getByText('1 of 3 viewed')).toBeVisible()
  writeFileSync(file(app, 'src/values.ts'), 'changed again\n')
  await pane(page).getByRole('button', { name: 'Refresh the changes' }).click()
  await expect(pane(page).getByText('0 of 3 viewed')).toBeVisible()

  // After a switch to another tab and back, it still follows changes.
  await page.setViewportSize({ width: 500, height: 900 })
  await page.getByRole('tab', { name: 'Conversation' }).click()
  await expect(pane(page)).toBeHidden()
  writeFileSync(file(app, 'src/values.ts'), 'changed behind a tab\n')
  await page.getByRole('tab', { name: 'Review' }).click()
  await expect(pane(page).getByText('changed behind a tab')).toBeVisible()
})

test('a single turn and the diff against a branch are reviewed, side by side', async ({ app }) => {
  const { page } = app
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: app.scratch.project })
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'first')
  git('checkout', '-qb', 'work')
  writeFileSync(file(app, 'of the user.txt'), 'untracked\n')
  await twoTurns(app)
  await openReview(page)
  const review = pane(page)
  const choose = async (now: string, next: string): Promise<void> => {
    await review.getByRole('button', { name: now }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: next }).focus()
    await page.keyboard.press('Enter')
  }
  await choose('All changes', 'The latest turn')
  await expect(review.getByText('2 files')).toBeVisible()
  await expect(review.getByRole('region', { name: 'src/values.ts' })).toHaveCount(0)
  await choose('Latest turn', 'Since main')
  await expect(review.getByText('4 files')).toBeVisible()
  await expect(review.getByRole('region', { name: 'of the user.txt' })).toBeVisible()
  await choose('Inline', 'Side by side')
  await expect(review.locator('.review-split').first()).toBeVisible()
  for (const colors of ['dark', 'light'] as const) {
    await theme(page, colors)
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'review-branch')
})

test('lines that may be secrets are hidden until the user shows them, by keyboard', async ({ app }) => {
  const { page } = app
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: app.scratch.project })
  writeFileSync(file(app, '.env'), 'MODE=test\nSHOP_TOKEN=old-token\n')
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'first')
  git('checkout', '-qb', 'work')
  writeFileSync(file(app, '.env'), 'MODE=test\nSHOP_TOKEN=new-token\n')
  await page.setViewportSize({ width: 1720, height: 980 })
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.insertText('Review changes')
  await expect(page.getByRole('option', { name: 'Review changes' })).toHaveAttribute('aria-selected', 'true')
  // The palette has only one command for it.
  await expect(page.getByRole('option', { name: 'Open review' })).toHaveCount(0)
  await page.keyboard.press('Enter')
  const review = pane(page)
  await review.getByRole('button', { name: 'All changes' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Since main' }).press('Enter')
  const region = review.getByRole('region', { name: '.env' })
  await expect(region).toContainText('may contain secrets')
  await expect(review.getByText('SHOP_TOKEN')).toHaveCount(0)
  for (const colors of ['dark', 'light'] as const) {
    await theme(page, colors)
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'review-secrets')
  await region.getByRole('button', { name: 'Show lines' }).press('Enter')
  await expect(review.getByText('SHOP_TOKEN=new-token')).toBeVisible()
  await expect(review.getByText('SHOP_TOKEN=old-token')).toBeVisible()
  for (const colors of ['dark', 'light'] as const) {
    await theme(page, colors)
    expect(await findings(page)).toEqual([])
  }
})

test('comments are drafted by keyboard, survive a reload, follow their lines and are sent as one message', async ({
  app,
}) => {
  const { page } = app
  await twoTurns(app)
  await openReview(page)
  const changes = pane(page).getByRole('group', { name: 'Changes', exact: true })
  await changes.focus()
  for (const key of ['n', ']', ']', 'c']) await page.keyboard.press(key)
  const field = pane(page).getByRole('textbox', { name: 'Comment' })
  await expect(field).toBeFocused()
  await page.keyboard.type('Why 33?')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(pane(page).getByRole('group', { name: 'Comment on line 3' })).toBeVisible()
  for (const key of ['n', 'c']) await page.keyboard.press(key)
  await page.keyboard.type('Keep this at 30.')
  // The unsaved comment survives too. The review is still open and reads the files once the page has reloaded.
  writeFileSync(file(app, 'src/values.ts'), `// A new line.\n${read(app, 'src/values.ts')}`)
  await reload(page)
  await expect(transcriptText(page, 'Second done.')).toBeVisible()
  await openReview(page)
  await expect(pane(page).getByRole('group', { name: 'Comment on line 4' })).toBeVisible()
  await expect(field).toHaveValue('Keep this at 30.')
  await field.fill('Keep this at 30, please.')
  // Another comment replaces an unsaved one, which can be brought back.
  await pane(page).getByRole('button', { name: 'Edit the comment on line 4' }).press('Enter')
  await expect(field).toHaveValue('Why 33?')
  await expect(page.getByText('Unsaved comment discarded')).toBeVisible()
  await page.getByRole('button', { name: 'Undo', exact: true }).last().press('Enter')
  await expect(field).toHaveValue('Keep this at 30, please.')
  await field.press('ControlOrMeta+Enter')
  for (const colors of ['dark', 'light'] as const) {
    await theme(page, colors)
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'review-comments')
  await pane(page).getByRole('button', { name: 'Send 2 comments' }).focus()
  await page.keyboard.press('Enter')
  await expect(transcriptText(page, 'Comments read.')).toBeVisible()
  const sent = JSON.stringify(app.server.requests.at(-1)?.body)
  expect(sent).toContain('2 comments on the changes:')
  expect(sent).toMatch(/src\/values\.ts:4\\n> export const value3 = 33\\n\\nWhy 33\?/)
  await expect(pane(page).getByRole('button', { name: /^Send/ })).toHaveCount(0)
})
