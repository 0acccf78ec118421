import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app'
import { findings } from './assistive'
import { transcriptText, sendPrompt, startSession } from './steps'

const SECRET = 'correct-horse-battery-staple'

/** A Node server that prints its port, counts seconds and answers requests. */
const SERVER = `
const port = Number(process.argv[2])
require('node:http').createServer((_, answer) => answer.end('<title>It works</title>')).listen(port, '127.0.0.1', () => console.log('listening on', port))
let n = 0
setInterval(() => console.log('beat', ++n), 1000)
`

test.describe('a background server', () => {
  const port = { value: 0 }
  test.use({
    files: { 'server.cjs': SERVER },
    model: {
      script: (_request, index) =>
        index === 0
          ? {
              toolCalls: [
                {
                  name: 'Bash',
                  input: {
                    command: `node server.cjs ${port.value}`,
                    run_in_background: true,
                    description: 'Serve the page',
                  },
                },
              ],
            }
          : { text: 'It is running.' },
    },
  })
  test.beforeEach(async () => {
    port.value = await freePort()
  })

  test('is listed on the task page with a link to its port, and can be stopped there', async ({ app }) => {
    // Check both color schemes, and open a page.
    test.slow()
    const { page } = app
    await startSession(app)
    await auto(page)
    await sendPrompt(page, 'serve it')
    await expect(transcriptText(page, 'It is running.')).toBeVisible()
    await expect(page.getByRole('button', { name: /Serve the page|node server\.cjs/ }).first()).toContainText(
      'in the background',
    )

    await page.getByRole('button', { name: /^Tasks/ }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'node server.cjs' })
    await expect(row).toContainText('running')
    const link = row.getByRole('link', { name: `Open port ${port.value}` })
    await expect(link).toHaveAttribute('href', `http://127.0.0.1:${port.value}`)
    if (app.url !== undefined) {
      const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
      await expect(opened).toHaveTitle('It works')
      await opened.close()
    }

    await row.getByRole('button', { name: /^Serve the page: node server\.cjs/ }).click()
    const terminal = page.getByRole('group', { name: /Terminal of node server\.cjs/ })
    await expect(terminal).toContainText(`listening on ${port.value}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findings(page)).toEqual([])
    }
    await page
      .getByRole('region', { name: /^Task: / })
      .getByRole('button', { name: 'Stop', exact: true })
      .click()
    await expect(row).toContainText('stopped')
    await expect(row.getByRole('link')).toHaveCount(0)
  })

  test('keeps running while the program is closed and killed, and its output continues at the next start', async ({
    app,
  }) => {
    await startSession(app)
    await auto(app.page)
    await sendPrompt(app.page, 'serve it')
    await expect(transcriptText(app.page, 'It is running.')).toBeVisible()
    await app.kill()
    await app.restart()
    await app.page.getByRole('button', { name: /^Tasks.*1 running/ }).click()
    const row = app.page.getByRole('listitem').filter({ hasText: 'node server.cjs' })
    await row.getByRole('button', { name: /^Serve the page: node server\.cjs/ }).click()
    const terminal = app.page.getByRole('group', { name: /Terminal of node server\.cjs/ })
    await expect(terminal).toContainText(/beat \d+/)
    const last = async (): Promise<number> =>
      Number([...(await terminal.innerText()).matchAll(/beat (\d+)/g)].at(-1)?.[1] ?? 0)
    const before = await last()
    await expect.poll(last).toBeGreaterThan(before)
    await app.page.getByRole('button', { name: /^Stop all/ }).click()
    await app.page.getByRole('alertdialog').getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(row).toContainText('stopped')
  })
})

test.describe('a command that asks for a password on its terminal', () => {
  test.use({
    files: { 'ask.sh': 'read -s -p "Password: " secret </dev/tty; echo; echo "got ${#secret} characters"\n' },
    model: { script: [{ toolCalls: [{ name: 'Bash', input: { command: 'bash ask.sh' } }] }, { text: 'That worked.' }] },
  })

  test('is answered in its pane, and the input reaches only the program', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await auto(page)
    await sendPrompt(page, 'install it')
    const terminal = page
      .getByRole('region', { name: 'Conversation' })
      .getByRole('group', { name: /Terminal of bash ask\.sh/ })
    await expect(terminal).toContainText('Needs input: Password:')
    await expect(page.getByRole('button', { name: /Bash bash ask\.sh/ })).toContainText('waiting for you')
    await expect(page.getByRole('treeitem', { name: /install it/ })).toContainText('needs your input')

    await terminal.getByRole('button', { name: 'Answer' }).click()
    await expect(terminal).toContainText('Sent only to the program. Not logged or shared with the model.')
    await page.keyboard.type(SECRET.slice(0, 5))
    await expect(terminal.getByRole('img', { name: '5 typed' })).toBeVisible()
    // Escape leaves the terminal: it neither reaches the program nor stops the turn.
    await page.keyboard.press('Escape')
    await expect(terminal.getByRole('button', { name: 'Answer' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.type(SECRET.slice(5))
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'That worked.')).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('')

    const requestText = app.server.requests.map(({ body }) => JSON.stringify(body)).join('\n')
    expect(requestText).toContain(`got ${SECRET.length} characters`)
    expect(requestText).not.toContain(SECRET)
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.body.innerText])'),
    ).not.toContain(SECRET)
    await app.restart()
    expect(filesWith(app.scratch.home, SECRET)).toEqual([])
    // Check that the search can find text that exists.
    expect(filesWith(app.scratch.home, 'That worked.').length).toBeGreaterThan(0)
  })
})

test.describe('a slow command', () => {
  test.use({
    files: { 'slow.sh': 'for n in $(seq 1 200); do echo "step $n"; sleep 0.1; done\n' },
    model: {
      script: (_request, index) => {
        if (index === 0) return { toolCalls: [{ name: 'Bash', input: { command: 'bash slow.sh', timeout: 60_000 } }] }
        return { text: index === 1 ? 'I continue with something else.' : 'It has ended.' }
      },
    },
  })

  test('shows its terminal automatically, moves to the background, and the agent continues', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await auto(page)
    await sendPrompt(page, 'build it')
    const terminal = conversationTerminal(page, /bash slow\.sh/)
    await expect(terminal).toContainText(/step \d+/)
    await terminal.getByRole('button', { name: 'Move to background' }).click()
    await expect(transcriptText(page, 'I continue with something else.')).toBeVisible()
    const row = page.getByRole('button', { name: /Bash bash slow\.sh/ })
    await expect(row).toContainText('in the background')
    if ((await row.getAttribute('aria-expanded')) !== 'true') await row.click()
    await page.getByRole('button', { name: 'Show in Tasks' }).click()
    await expect(page.getByRole('group', { name: /Terminal of bash slow\.sh/ })).toContainText(/step \d+/)
    await page
      .getByRole('region', { name: /^Task: bash slow/ })
      .getByRole('button', { name: 'Stop', exact: true })
      .click()
    await expect(page.getByRole('listitem').filter({ hasText: 'bash slow.sh' })).toContainText('stopped')
  })
})

test.describe('a program that queries its terminal', () => {
  const script = [
    'echo ready; until [ -e go ]; do sleep 0.1; done',
    'printf "\\033[c\\033[6n\\033]11;?\\007asked\\n"',
    'read -t 4 -n 1 answer </dev/tty && echo "an answer came" || echo "nothing came"',
  ]
  test.use({
    files: { 'ask.sh': `${script.join('\n')}\n` },
    model: { script: [{ toolCalls: [{ name: 'Bash', input: { command: 'bash ask.sh' } }] }, { text: 'Done.' }] },
  })

  test('gets no answer from the views that show it: only the user types', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await auto(page)
    await sendPrompt(page, 'run it')
    await expect(conversationTerminal(page, /ask\.sh/)).toContainText('ready')
    writeFileSync(join(app.scratch.project, 'go'), '')
    await expect(transcriptText(page, 'Done.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).toContain('nothing came')
  })
})

function conversationTerminal(page: Page, command: RegExp): Locator {
  return page
    .getByRole('region', { name: 'Conversation' })
    .getByRole('group', { name: new RegExp(`Terminal of .*${command.source}`) })
}

async function auto(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Ask first/ }).click()
  await page.getByRole('menuitemradio', { name: /Auto/ }).click()
}

/** Every file below a folder that contains these bytes. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
