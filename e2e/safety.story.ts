import { expect, test } from './app'
import { transcriptText, sendPrompt, startSession } from './steps'

test.describe('on the web host', () => {
  test.beforeEach(({ app }) => {
    test.skip(app.url === undefined, 'Electron has no address')
  })

  test('a wrong token shows only instructions to sign in', async ({ app }) => {
    const other = await app.page.context().browser()!.newPage()
    await other.goto(app.url!.replace(/token=.*/, 'token=0000'))
    await expect(other.getByText(/address|URL/i).first()).toBeVisible()
    await expect(other.getByRole('button', { name: /Choose a folder/ })).toHaveCount(0)
    await other.close()
  })

  test('the token is removed from the address bar immediately', async ({ app }) => {
    await expect.poll(() => app.page.url()).not.toContain('token')
  })
})

test.describe('two pages on one session', () => {
  test.use({
    model: {
      script: [{ toolCalls: [{ name: 'Bash', input: { command: 'echo hi > said.txt' } }] }, { text: 'Said hi.' }],
    },
  })

  test('show the same, and one answer settles an approval in both', async ({ app }) => {
    test.skip(app.url === undefined, 'Electron has one window')
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'say hi')
    const second = await page.context().browser()!.newPage()
    await second.goto(app.url!)
    await second.getByRole('treeitem', { name: /say hi/ }).click()
    const otherCard = second.getByRole('group', { name: /Approval needed/ })
    await otherCard.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
    await expect(transcriptText(page, 'Said hi.')).toBeVisible()
    await expect(transcriptText(second, 'Said hi.')).toBeVisible()
    await expect(page.getByRole('group', { name: /Approval needed/ })).toHaveCount(0)
    await second.close()
  })
})
