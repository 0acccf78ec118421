import type { Locator, Page } from '@playwright/test'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

test.use({
  config: { more: '[environment]\nshell = "/bin/bash"' },
  model: {
    script: ({ body }) => {
      const messages = JSON.stringify(body['messages'])
      if (!messages.includes('What do you see?')) return { text: 'Ready.' }
      if (messages.includes('terminal shows, newest last')) return { text: 'I have seen it.' }
      const [id = 'unknown'] = /term-[0-9a-f]+/.exec(messages) ?? []
      return { toolCalls: [{ name: 'TaskOutput', input: { task_id: id } }] }
    },
  },
})

const terminal = (page: Page): Locator => page.getByRole('group', { name: 'Terminal' })
const screen = (page: Page): Locator => terminal(page).locator('.xterm-rows')

/** Opens a terminal with the palette, by keyboard alone, and waits for its prompt. */
async function openTerminal({ page }: App): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('new terminal')
  await page.keyboard.press('Enter')
  await expect(screen(page)).toContainText(/[$#]/)
}

/** Types into the terminal that has the focus. */
async function type(page: Page, words: string): Promise<void> {
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
}

test("a terminal of the user's own: opened and used by keyboard, found again after a reload, ended and restarted", async ({
  app,
}) => {
  const { page } = app
  await startSession(app)
  await openTerminal(app)
  await expect(terminal(page).getByRole('textbox', { name: 'Terminal input' })).toBeFocused()
  await type(page, 'echo "in $(basename "$PWD")"; KEPT=yes')
  await expect(screen(page)).toContainText('in project')
  await page.keyboard.press('Control+Shift+F')
  await page.getByRole('textbox', { name: 'Find in the terminal' }).fill('in project')
  await expect(page.getByText('1 of')).toBeVisible()
  await page.keyboard.press('Escape')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'terminals')

  await reload(page)
  await expect(screen(page)).toContainText('in project')
  await terminal(page).getByRole('textbox', { name: 'Terminal input' }).focus()
  await type(page, 'echo "still $KEPT"')
  await expect(screen(page)).toContainText('still yes')
  await type(page, 'exit 4')
  await expect(page.getByText('The shell has ended with status 4.')).toBeVisible()
  await terminal(page).getByRole('button', { name: 'Restart' }).click()
  await expect(terminal(page).getByRole('textbox', { name: 'Terminal input' })).toBeFocused()
  await type(page, 'echo "again ${KEPT:-new}"')
  await expect(screen(page)).toContainText('again new')

  // A second terminal has its own name, and its tab is in view in a narrow window.
  await page.setViewportSize({ width: 390, height: 844 })
  for (const name of ['Files', 'Tasks', 'Review']) {
    await page.getByRole('button', { name: 'Panes' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  await openTerminal(app)
  const tab = page.getByRole('tab', { name: 'bash 2' })
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await expect(tab).toBeInViewport({ ratio: 0.9 })
})

test('text typed before a new terminal is ready goes to its shell, not to the message box', async ({ app }) => {
  const { page, server } = app
  await startSession(app)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Commands' }).fill('new terminal')
  // While the program does not respond, there is no terminal.
  app.freeze()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Commands' })).toBeHidden()
  await type(page, 'echo "typed $((40 + 2))"')
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('')
  app.thaw()
  await expect(screen(page)).toContainText('typed 42')
  await expect(terminal(page).getByRole('textbox', { name: 'Terminal input' })).toBeFocused()
  await type(page, 'echo "then $((1 + 1))"')
  await expect(screen(page)).toContainText('then 2')
  expect(JSON.stringify(server.requests)).not.toContain('typed')
})

test('a terminal survives a restart of the program', async ({ app }) => {
  await startSession(app)
  await openTerminal(app)
  await terminal(app.page).getByRole('textbox', { name: 'Terminal input' }).focus()
  await type(app.page, 'echo "before the $((1 + 1))nd start"; KEPT=yes')
  await expect(screen(app.page)).toContainText('before the 2nd start')
  await sendPrompt(app.page, 'hello')
  await expect(transcriptText(app.page, 'Ready.')).toBeVisible()
  await app.restart()
  const { page } = app
  await page.getByRole('treeitem', { name: /hello/ }).click()
  await page.getByRole('button', { name: 'Panes', exact: true }).click()
  await page.getByRole('menuitem', { name: /^Terminal: / }).click()
  await expect(screen(page)).toContainText('before the 2nd start')
  await terminal(page).getByRole('textbox', { name: 'Terminal input' }).focus()
  await type(page, 'echo "still $KEPT"')
  await expect(screen(page)).toContainText('still yes')
})

test('output above a wrapped prompt is still there after the view is resized and reopened', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await openTerminal(app)
  await expect(terminal(page).getByRole('textbox', { name: 'Terminal input' })).toBeFocused()
  // Two rows in the terminal beside the conversation, one row when it fills the page.
  await type(page, `PS1='${'a long prompt '.repeat(5)}$ '; seq -f 'line %g' 12`)
  await expect(screen(page)).toContainText('line 12')
  const shown = async (): Promise<string[]> => {
    const rows = await screen(page).locator('> div').allInnerTexts()
    return rows.map((row) => row.trim()).filter((row) => /^line \d+$/.test(row))
  }
  const all = await shown()
  expect(all).toHaveLength(12)
  const rowsOfPrompt = async (): Promise<number> => {
    const rows = (await screen(page).locator('> div').allInnerTexts()).map((row) => row.trim()).filter(Boolean)
    return rows.length - 1 - rows.lastIndexOf('line 12')
  }
  await expect.poll(rowsOfPrompt).toBe(2)
  // Each time, the shell moves up by the rows of its old prompt, and redraws it.
  for (let n = 0; n < 3; n += 1) {
    await page.setViewportSize({ width: 2400, height: 900 })
    await expect.poll(rowsOfPrompt).toBe(1)
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect.poll(rowsOfPrompt).toBe(2)
  }
  await page.setViewportSize({ width: 2400, height: 900 })
  await expect.poll(rowsOfPrompt).toBe(1)
  await reload(page)
  await expect.poll(rowsOfPrompt).toBe(1)
  expect(await shown()).toEqual(all)
})

test('the selection goes to the message box, and the agent can read a terminal only if it is allowed to watch it', async ({
  app,
}) => {
  const { page, server } = app
  await startSession(app)
  await sendPrompt(page, 'hello')
  await expect(transcriptText(page, 'Ready.')).toBeVisible()
  await openTerminal(app)
  await terminal(page).getByRole('textbox', { name: 'Terminal input' }).focus()
  await type(page, 'echo selected-"words"')
  await expect(screen(page)).toContainText('selected-words')
  await screen(page).getByText('selected-words', { exact: true }).first().dblclick({ force: true })
  await terminal(page).getByRole('button', { name: 'Send the selection to the agent' }).click()
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue(/From my terminal:[^]*selected/)
  expect(JSON.stringify(server.requests)).not.toContain('selected-words')

  const watch = terminal(page).getByRole('button', { name: 'Let the agent watch this terminal' })
  await watch.click()
  await expect(watch).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('button', { name: /^Watches / })).toBeVisible()
  await expect(page.getByRole('img', { name: 'watched by the agent' })).toBeVisible()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
  await pictures(app, 'terminals-watched')
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What do you see?')
  await page.keyboard.press('Enter')
  await expect(transcriptText(page, 'I have seen it.')).toBeVisible()
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('selected-words')
})
