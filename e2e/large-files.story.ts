import { join } from 'node:path'
import { makeLog, makeManyFiles } from '../test/support/many-files'
import { makePdf } from '../test/support/pdf'
import { writeFileSync } from 'node:fs'
import { limitNow } from '../test/support/machine-pace'
import { findings } from './assistive'
import { expect, test } from './app'
import { pictures, startSession } from './steps'

test.use({ files: { 'README.md': '# A project\n' }, model: { script: [{ text: 'Hello.' }] } })

// bench/files.ts checks the exact limits; these leave room for a busy machine.
test('a project of 128,000 files shows its tree quickly, and is filtered while the user types', async ({ app }) => {
  const { page, scratch } = app
  makeManyFiles(scratch.project)
  await startSession(app)
  const start = performance.now()
  await page.keyboard.press('ControlOrMeta+Shift+E')
  const tree = page.getByRole('tree', { name: 'Project files' })
  await expect(tree.getByRole('treeitem', { name: 'packages' })).toBeVisible({ timeout: 60_000 })
  const shown = performance.now() - start
  await page.getByRole('combobox', { name: 'Filter files' }).fill('area-9 part-3 component-7')
  await expect(page.getByRole('option').first()).toBeVisible({ timeout: 60_000 })
  test.info().annotations.push({ type: 'measured', description: `file tree of 128,000 files: ${Math.round(shown)} ms` })
  expect(shown).toBeLessThan(limitNow(10_000))
})

test('a log of 100 MB opens quickly, from its first line to its last', async ({ app }) => {
  const { page, scratch } = app
  const lines = makeLog(join(scratch.project, 'big.log'), 100_000_000)
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+Shift+E')
  const row = page.getByRole('tree', { name: 'Project files' }).getByRole('treeitem', { name: 'big.log' })
  await row.click()
  const start = performance.now()
  const list = page.getByRole('group', { name: 'Lines of big.log' })
  await expect(list).toContainText('request 1 took', { timeout: 60_000 })
  const shown = performance.now() - start
  await list.focus()
  await page.keyboard.press('End')
  await expect(list).toContainText('the end')
  await expect(list).toContainText(String(lines))
  await page.keyboard.press('ControlOrMeta+F')
  await page.keyboard.type('needle')
  await expect(page.getByRole('search', { name: 'This file' }).getByRole('status')).toHaveText(
    `${Math.floor((lines - 1) / 100_000)} matches`,
    { timeout: 30_000 },
  )
  await expect.poll(() => list.locator('.file-line').count()).toBeLessThan(200)
  test.info().annotations.push({ type: 'measured', description: `log of 100 MB: ${Math.round(shown)} ms` })
  expect(shown).toBeLessThan(limitNow(10_000))
})

test('a PDF is shown page by page, with its text for screen readers', async ({ app }) => {
  const { page, scratch } = app
  writeFileSync(join(scratch.project, 'report.pdf'), makePdf(['The first page', 'The second page']))
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+Shift+E')
  await page.getByRole('treeitem', { name: 'report.pdf' }).click()
  await expect(page.getByRole('img', { name: 'Page 1 of 2' })).toBeVisible()
  await expect(page.getByText('The first page')).toHaveCount(1)
  expect(await findings(page)).toEqual([])
  await pictures(app, 'file-pdf')
})
