import { expect, test } from './app'
import { chooseInMenu, transcriptText, sendPrompt, startSession } from './steps'

const LONG = Array.from({ length: 120 }, (_, n) => `Line ${n + 1} of an answer that fills the screen.`).join('\n\n')

test.describe('a search', () => {
  test.use({
    model: { script: [{ text: `The heron stood in the reeds.\n\n${LONG}` }, { text: LONG }, { text: 'The end.' }] },
  })

  test('opens a session at the matching message and highlights it', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'tell me of birds')
    await expect(transcriptText(page, 'Line 120')).toBeVisible()
    await sendPrompt(page, 'and on')
    // The prompt itself is soon out of sight above its long answer.
    await expect.poll(() => app.server.requests.length).toBe(2)
    await expect(page.getByRole('button', { name: /^Stop/ })).toBeHidden()
    await sendPrompt(page, 'and to the end')
    await expect(transcriptText(page, 'The end.')).toBeVisible()
    await expect(transcriptText(page, 'The heron stood')).not.toBeInViewport()

    const search = page.getByRole('textbox', { name: 'Search sessions and messages' })
    await search.fill('heron')
    await page.getByRole('treeitem', { name: /heron/ }).click()
    await expect(page.locator('[data-marked]')).toContainText('The heron stood in the reeds.')
    await expect(page.locator('[data-marked]')).toBeInViewport()

    // Enter opens the first; the number of results is announced.
    await startSession(app)
    await search.fill('heron')
    await expect(page.getByRole('status').filter({ hasText: '1 result' })).toHaveCount(1)
    await search.press('Enter')
    await expect(page.locator('[data-marked]')).toContainText('The heron stood in the reeds.')
  })
})

test('the archive is shown only if it is not empty', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'put me away')
  await expect(transcriptText(page, 'Hello.')).toBeVisible()
  const archive = page.getByRole('treeitem', { name: 'Archived' })
  await expect(archive).toHaveCount(0)
  await chooseInMenu(page.getByRole('treeitem', { name: /put me away/ }), 'Archive')
  await expect(archive).toBeVisible()
  await app.restart()
  await app.page.getByRole('treeitem', { name: 'Archived' }).click()
  await chooseInMenu(app.page.getByRole('treeitem', { name: /put me away/ }), 'Restore')
  await expect(app.page.getByRole('treeitem', { name: 'Archived' })).toHaveCount(0)
})
