import { expect, test } from './app'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'
import { findingsInBothThemes } from './assistive'

const LONG = Array.from({ length: 120 }, (_, n) => `Line ${n + 1} of an answer that fills the screen.`).join('\n\n')

test.describe('find in the conversation', () => {
  test.use({
    model: {
      script: [
        { thinking: 'Perhaps a heron.', toolCalls: [{ name: 'Read', input: { path: 'birds.txt' } }] },
        { text: `The **her**on stood in the reeds.\n\n${LONG}` },
        { text: LONG },
        { text: 'The end.' },
      ],
    },
    files: { 'birds.txt': 'a kingfisher\nand another HERON\n' },
  })

  test('finds text in answers, thoughts and results, highlights it, and moves by keyboard', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'tell me of a heron')
    await expect(transcriptText(page, 'Line 120')).toBeVisible()
    await sendPrompt(page, 'and on')
    await expect.poll(() => app.server.requests.length).toBe(3)
    await expect(page.getByRole('button', { name: /^Stop/ })).toBeHidden()
    await sendPrompt(page, 'and to the end')
    await expect(transcriptText(page, 'The end.')).toBeVisible()

    await page.keyboard.press('Control+f')
    const field = page.getByRole('textbox', { name: 'Find in this session' })
    await expect(field).toBeFocused()
    await field.fill('heron')
    const status = page.getByRole('search', { name: 'Session' }).getByRole('status')
    // The question, the thought, the result, and the answer, where formatting splits the word.
    await expect(status).toHaveText('4 places')
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('1 of 4')
    await expect(transcriptText(page, /stood in the reeds/)).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('2 of 4')
    await expect(transcriptText(page, 'and another HERON')).toBeInViewport()
    await expect.poll(() => page.evaluate("CSS.highlights.get('find-current')?.size ?? 0")).toBe(1)
    await pictures(app, 'find')
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('3 of 4')
    await expect(transcriptText(page, 'Perhaps a heron.').last()).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(status).toHaveText('4 of 4')
    await page.keyboard.press('Shift+Enter')
    await expect(status).toHaveText('3 of 4')
    await page.getByRole('button', { name: 'Match case' }).press('Enter')
    await field.fill('HERON')
    await expect(status).toHaveText('1 place')
    await field.fill('albatross')
    await expect(status).toHaveText('No results')
    await field.press('Escape')
    await expect(field).toHaveCount(0)
    await expect.poll(() => page.evaluate("CSS.highlights.has('find-match')")).toBe(false)
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeFocused()
  })

  test('a second Ctrl+F is left to the browser', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page.evaluate(
      "window.prevented = []; window.addEventListener('keydown', " +
        "(event) => { if (event.key === 'f') setTimeout(() => window.prevented.push(event.defaultPrevented)) })",
    )
    await page.keyboard.press('Control+f')
    await expect(page.getByRole('textbox', { name: 'Find in this session' })).toBeFocused()
    await page.keyboard.press('Control+f')
    await expect.poll(() => page.evaluate('window.prevented')).toEqual([true, false])
  })
})
