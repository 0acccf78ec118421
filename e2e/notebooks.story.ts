import { join } from 'node:path'
import { readFileSync, writeFileSync } from 'node:fs'
import type { App } from './app'
import { findings } from './assistive'
import { expect, test } from './app'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A notebook in the format that Jupyter writes. */
const notebook = (source: string[], outputs: unknown[]): string =>
  `${JSON.stringify(
    {
      cells: [
        { cell_type: 'markdown', metadata: {}, source: ['# Results'] },
        { cell_type: 'code', execution_count: 1, metadata: {}, outputs, source },
      ],
      metadata: { language_info: { name: 'python' } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    undefined,
    1,
  )}\n`

const NAME = 'plot.ipynb'

const plot = {
  output_type: 'display_data',
  data: { 'image/png': `${PNG}\n`, 'text/plain': ['<Figure>'] },
  metadata: {},
}
const printed = { output_type: 'stream', name: 'stdout', text: ['the mean is 4\n'] }

const BEFORE = notebook(['import math\n', 'print("before")'], [printed, plot])
const AFTER = notebook(['import math\n', 'print("after")'], [printed, plot, plot])

test.use({
  files: { [NAME]: BEFORE, 'README.md': 'x\n' },
  model: {
    script: [
      {
        toolCalls: [{ name: 'Read', input: { path: 'plot.ipynb' } }],
      },
      {
        toolCalls: [
          {
            name: 'Write',
            input: {
              path: NAME,
              content: AFTER,
            },
          },
        ],
      },
      { text: 'Done.' },
    ],
  },
})

async function expectAccessible({ page }: App): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
}

test('a notebook is shown as cells with their outputs: in the viewer, and where a change is approved', async ({
  app,
}) => {
  const { page, scratch } = app
  await startSession(app)
  await page.keyboard.press('ControlOrMeta+Shift+E')
  await page.getByRole('treeitem', { name: 'plot.ipynb' }).press('Enter')
  const cells = page.getByRole('group', { name: 'Notebook' })
  await expect(cells.getByRole('heading', { name: 'Results' })).toBeVisible()
  await expect(cells.getByRole('group', { name: 'Code, python' })).toHaveText(/^import math\s+print\("before"\)\s*$/)
  await expect(cells.getByRole('group', { name: 'Output' })).toContainText('the mean is 4')
  await expect(cells.getByRole('img', { name: 'Output' })).toHaveJSProperty('naturalWidth', 1)
  await expectAccessible(app)
  await pictures(app, 'notebook')
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await expect(page.getByRole('region', { name: /^File / })).toContainText('"cell_type"')
  await page.getByRole('button', { name: 'Cells', exact: true }).click()

  await page.getByRole('textbox', { name: 'Message', exact: true }).focus()
  await sendPrompt(page, 'change it')
  const change = page.getByRole('group', { name: 'Changes' })
  await expect(change).toContainText('+print("after")')
  await expect(change).toContainText('−print("before")')
  await expect(change).not.toContainText('cell_type')
  await expect(change.getByRole('img', { name: 'Output, image/png' }).last()).toBeVisible()
  await expectAccessible(app)
  await pictures(app, 'notebook-approval')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(change).toContainText('"print(\\"after\\")"')
  await page.getByRole('button', { name: /^Allow once/ }).click()
  // The viewer follows the file.
  await expect(cells.getByRole('group', { name: 'Code, python' })).toContainText('after')
  writeFileSync(join(scratch.project, 'plot.ipynb'), '{')
  await expect(page.getByText('This notebook cannot be shown as cells.')).toBeVisible()
})

test('a review shows the changes of a notebook by cell, and undoing one changes only its lines of the file', async ({
  app,
}) => {
  const { page, scratch } = app
  const read = (): string => readFileSync(join(scratch.project, NAME), 'utf8')
  await page.setViewportSize({ width: 1500, height: 900 })
  await startSession(app)
  await sendPrompt(page, 'change it')
  await page.getByRole('button', { name: /^Allow once/ }).click()
  await expect(transcriptText(page, 'Done.')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeFocused()
  await page.keyboard.insertText('Review changes')
  await expect(page.getByRole('option', { name: 'Review changes' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  const review = page.getByRole('region', { name: 'Review', exact: true })
  const changes = review.getByRole('region', { name: NAME })
  await expect(changes).toContainText('Code cell 2, output')
  await expect(changes).toContainText(/print\("before"\).*print\("after"\)/s)
  await expect(changes).toContainText('— Output (display_data)')
  await expect(changes).not.toContainText('"metadata"')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'notebook-review')
  await changes.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(changes).toContainText('"print(\\"after\\")"')
  await changes.getByRole('button', { name: 'Cells', exact: true }).click()

  await review.getByRole('group', { name: 'Changes', exact: true }).focus()
  await page.keyboard.press('n')
  await page.keyboard.press('n')
  await expect(review.getByRole('status')).toHaveText(`Change 2 of 2, ${NAME}`)
  await page.keyboard.press('u')
  await expect.poll(read).toBe(AFTER.replace('after', 'before'))
  await expect(review.getByText('print("after")')).toBeHidden()
  await changes.getByRole('button', { name: `Undo the changes of ${NAME}` }).click()
  await expect.poll(read).toBe(BEFORE)
})
