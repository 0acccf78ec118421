import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const model = (id: string, name: string): string =>
  `[models."local/${id}"]\nprovider = "local"\nmodel = "${name}"\nlabel = "${id}"\n` +
  'context_window = 128000\ncapabilities = ["tools", "thinking"]\n'

test.describe('the thinking effort', () => {
  test.use({
    model: { script: () => ({ thinking: 'Hm.', text: 'Answered.' }) },
    config: { loop: `\n${model('Thinker', 'gpt-5.1')}${model('Switch', 'kimi-k2.6')}` },
  })

  test('is chosen below the message, also by keyboard, applies from then on and survives a restart', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    const thinking = () => app.page.getByRole('button', { name: /^Thinking:/ })
    // The scripted model has no effort levels, so there is no switch.
    await expect(thinking()).toBeHidden()
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('option', { name: /Thinker/ }).click()
    await expect(thinking()).toHaveAccessibleName('Thinking: Default')
    await sendPrompt(page, 'by default')
    await expect(transcriptText(page, 'Answered.')).toBeVisible()

    await thinking().focus()
    await page.keyboard.press('Enter')
    const menu = page.getByRole('menu', { name: /Thinking/ })
    await expect(menu.getByRole('menuitemradio', { checked: true })).toHaveText(/^Default/)
    await expect(menu.getByRole('menuitemradio')).toHaveText([/^Default/, 'High', 'Medium', 'Low', 'Off'])
    expect(await findings(page)).toEqual([])
    await pictures(app, 'effort-menu')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(thinking()).toHaveAccessibleName('Thinking: High')
    await sendPrompt(page, 'and now with more')
    await expect
      .poll(() => app.server.requests.map(({ body }) => body['reasoning_effort']))
      .toEqual([undefined, 'high'])
    await pictures(app, 'effort')

    // A model that can only turn thinking on and off shows two choices; the choice maps to the closest one.
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('option', { name: /Switch/ }).click()
    await expect(thinking()).toHaveAccessibleName('Thinking: On')

    await app.restart()
    await app.page.getByRole('treeitem', { name: /by default/ }).click()
    await expect(thinking()).toHaveAccessibleName('Thinking: On')
    await thinking().click()
    await app.page.getByRole('menuitemradio', { name: 'Off' }).click()
    await sendPrompt(app.page, 'without')
    await expect.poll(() => app.server.requests.at(-1)!.body['thinking']).toEqual({ type: 'disabled' })
  })

  test('keeps the key hints beside it on one line at every width', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('option', { name: /Thinker/ }).click()
    const hint = page.getByText('Enter to send')
    /** Two lines of this text size are taller. */
    const isOneLine = async (): Promise<boolean> => ((await hint.boundingBox())?.height ?? 99) < 28
    for (const width of [390, 640, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(page.getByRole('button', { name: /^Thinking:/ })).toBeVisible()
      // A window as narrow as a phone has no keyboard hints.
      await expect(hint).toBeVisible({ visible: width >= 720 })
      if (width < 720) continue
      await expect.poll(isOneLine).toBe(true)
      await expect(page.getByText('Shift Enter for a new line')).toBeVisible()
    }
  })
})
