import { expect, test } from './app'
import { findingsInBothThemes } from './assistive'
import { pictures, sendPrompt, startSession } from './steps'

const LONG = Array.from({ length: 3000 }, (_, n) => `export const line${n + 1} = ${n + 1}`).join('\n')

test.describe('file names', () => {
  test.use({
    files: {
      'README.md': '# A project\n',
      'src/app.ts': 'const one = 1\nconst two = 2\nconst three = one + two\n',
      'src/long.ts': LONG,
      '.env': 'KEY=secret\n',
    },
    model: {
      script: [
        {
          toolCalls: [
            { name: 'Read', input: { path: 'src/app.ts' } },
            { name: 'Bash', input: { command: 'cat nothing-here.txt', description: 'Show what is missing' } },
          ],
        },
        {
          text:
            'It fails at src/app.ts:3, as `src/long.ts:2500` says; ' +
            'see [the app](src/app.ts), not src/gone.ts, .env or /etc/passwd. Ctrl-click works.',
        },
      ],
    },
  })

  test('open an existing file at the line, and stay text otherwise', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'where does it fail?')
    const answer = page.locator('.answer').last()
    await answer.getByRole('button', { name: 'src/app.ts:3' }).click()
    const viewer = page.getByRole('region', { name: /^File / })
    await expect(viewer.getByRole('heading', { name: 'src/app.ts' })).toBeVisible()
    await expect(viewer.locator('[data-marked]')).toHaveText(/const three = one \+ two/)
    await expect(viewer.locator('.ct-keyword').first()).toBeVisible()
    await pictures(app, 'file-viewer')
    await answer.getByRole('button', { name: 'src/long.ts:2500' }).click()
    await expect(viewer.locator('[data-marked]')).toHaveText(/line2500 = 2500/)
    await expect(viewer.locator('[data-marked]')).toBeInViewport()
    await expect(viewer.getByText('line1 = 1', { exact: false })).toHaveCount(0)
    await answer.getByRole('button', { name: 'the app' }).click()
    await expect(viewer.getByRole('heading', { name: 'src/app.ts' })).toBeVisible()
    for (const other of ['src/gone.ts', '.env', '/etc/passwd'])
      await expect(answer.getByRole('button', { name: other })).toHaveCount(0)
    await page.getByRole('button', { name: 'Open src/app.ts' }).click()
    await expect(viewer).toContainText('const one = 1')
    expect(await findingsInBothThemes(page)).toEqual([])
  })

  test('a failed command shows why without a click, below its description', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'where does it fail?')
    const row = page.getByRole('button', { name: /Show what is missing/ })
    await expect(row).toContainText('cat nothing-here.txt')
    await expect(row).toHaveAttribute('aria-expanded', 'false')
    await expect(page.getByRole('group', { name: 'Why it failed' })).toContainText('No such file')
    expect(await findingsInBothThemes(page)).toEqual([])
    await pictures(app, 'failed-command')
  })
})
