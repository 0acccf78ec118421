import { expect, test } from './app'
import { pictures, sendPrompt, startSession } from './steps'

test.use({
  files: { 'src/app.ts': 'const one = 1\nconst two = 2\nconst three = one + two\n' },
  model: {
    script: [
      {
        text:
          '```\nError: no total\n    at sum (src/app.ts:3:15)\n    at gone (src/gone.ts:1:1)\n' +
          '```\n\n```ts\n// see https://example.org/docs/a.html.\nconsole.log(sum)\n```\n',
      },
    ],
  },
})

test('paths and URLs in fenced code are links, and everything else stays text', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await sendPrompt(page, 'where does it fail?')
  const answer = page.locator('.answer').last()
  await answer.getByRole('button', { name: 'src/app.ts:3:15' }).click()
  const viewer = page.getByRole('region', { name: /^File / })
  await expect(viewer.locator('[data-marked]')).toHaveText(/const three = one \+ two/)
  await pictures(app, 'code-links')
  await expect(answer.getByRole('button', { name: 'src/gone.ts' })).toHaveCount(0)
  await expect(answer.getByRole('link', { name: /https:\/\/example\.org\/docs\/a\.html/ })).toHaveAttribute(
    'href',
    'https://example.org/docs/a.html',
  )
  await expect(answer.locator('.code-block').last()).toContainText('// see https://example.org/docs/a.html')
  await expect(answer.locator('.code-block').last().getByRole('button', { name: 'console.log' })).toHaveCount(0)
})
