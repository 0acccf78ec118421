import { expect, test } from './app'
import { cutFocusRings } from './assistive'
import { sendPrompt, startSession } from './steps'

test.use({
  files: { 'a.ts': 'export const a = 1\n' },
  model: {
    script: [
      { toolCalls: [{ name: 'Edit', input: { path: 'a.ts', old_string: 'a = 1', new_string: 'a = 2' } }] },
      { text: 'Changed.' },
    ],
  },
})

test('the ring of a focused control is not cut off', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'change it')
  const card = page.getByRole('group', { name: /Approval needed: Edit a\.ts/ })
  await expect(card).toBeVisible()
  await sendPrompt(page, 'and then the tests')
  await expect(page.getByRole('button', { name: /^Remove: “and then/ })).toBeVisible()
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Files', exact: true }).click()
  const tab = page.getByRole('tab', { name: 'Files', exact: true })
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await card.getByRole('button', { name: /^Allow always/ }).click()
  await expect(card.getByText('Details')).toBeVisible()
  expect(await cutFocusRings(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await cutFocusRings(page)).toEqual([])
})
