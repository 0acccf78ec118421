import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { ModelScript } from '../test/support/model-script'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const call = (name: string, input: Record<string, unknown> = {}) => ({
  toolCalls: [{ name: `mcp__everything__${name}`, input }],
})
/** The server offers elicitation tools only once it knows its client; until then it gets another call. */
const BEGIN = call('trigger-long-running-operation', { duration: 3, steps: 1 })
const AUTO = { more: 'default_permission_mode = "auto"\n[mcp]\nsampling = true\nstart_wait_s = 60\n' }

/** A session with the official everything server, after its first answer. */
async function startWithEverything(app: App): Promise<void> {
  const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] }
  writeFileSync(join(app.scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: { everything } }))
  await startSession(app)
  await sendPrompt(app.page, 'begin')
  await expect(transcriptText(app.page, 'Ready.')).toBeVisible()
}

const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true })
const armed = (button: Locator): Promise<void> => expect(button).not.toHaveAttribute('aria-disabled')
const script = (...steps: Exclude<ModelScript, (...args: never[]) => unknown>[number][]) => ({
  script: [BEGIN, { text: 'Ready.' }, ...steps],
})

test.describe('a form of an MCP server', () => {
  const ask = call('trigger-elicitation-request')
  test.use({ config: AUTO, model: script(ask, { text: 'Thank you.' }, ask, { text: 'Then not.' }) })

  test('starts with its defaults, validates its fields, is recorded in the call, and can be declined from the inbox', async ({
    app,
  }) => {
    test.slow()
    const { page } = app
    await startWithEverything(app)
    await sendPrompt(page, 'ask me')
    const card = page.getByRole('group', { name: 'everything is asking for information' })
    await expect(card).toContainText('everything is asking for information')
    await expect(card.getByLabel('String with default')).toHaveValue('It was a dark and stormy night.')
    await expect(card.getByLabel('Integer')).toHaveValue('42')
    await expect(card.getByRole('checkbox', { name: 'Guitar' })).toBeChecked()
    await expect(card.getByLabel('Titled Single Select Enum (optional)', { exact: true })).toHaveValue('hero-1')
    const send = card.getByRole('button', { name: 'Submit' })
    await armed(send)
    expect(await findings(page)).toEqual([])
    await pictures(app, 'mcp-form')
    await card.getByLabel('String with email format').fill('not an address')
    await card.getByLabel('Integer').fill('1000')
    await send.click()
    // Required and missing fields come first.
    const name = card.getByLabel('String', { exact: true })
    await expect(name).toBeFocused()
    await expect(card.getByText('Required.')).toBeVisible()
    await expect(card.getByText('Enter an email address, such as name@example.com.')).toBeVisible()
    await expect(card.getByText('Enter 100 or less.')).toBeVisible()
    await pictures(app, 'mcp-form-mistakes')
    expect(await findings(page)).toEqual([])
    await name.fill('Ann')
    await card.getByLabel('String with email format').fill('ann@example.com')
    await card.getByLabel('Integer').fill('7')
    await card.getByRole('checkbox', { name: 'Salmon' }).check()
    await name.focus()
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Thank you.')).toBeVisible()
    const requestText = JSON.stringify(app.server.requests.at(-1)?.body)
    for (const words of ['Name: Ann', 'ann@example.com', 'Favorite Integer: 7', 'fish-2'])
      expect(requestText).toContain(words)
    await page.getByRole('button', { name: /trigger-elicitation-request/ }).click()
    const asked = page.getByRole('list', { name: 'Asked during the call' })
    await expect(asked).toContainText('You answered.')
    await expect(asked).toContainText('Tuna, Salmon')
    await pictures(app, 'mcp-form-answered')
    await page.getByRole('button', { name: /trigger-elicitation-request/ }).click()

    await sendPrompt(page, 'again')
    await expect(card).toBeVisible()
    await page.getByRole('button', { name: /^Inbox/ }).click()
    const inbox = page.getByRole('main')
    await expect(inbox.getByText('Please provide inputs for the following fields:').first()).toBeVisible()
    await pictures(app, 'mcp-form-inbox')
    const decline = inbox.getByRole('button', { name: 'Decline' })
    await armed(decline)
    await decline.click()
    await page.getByRole('treeitem', { name: /begin/ }).click()
    await expect(transcriptText(page, 'Then not.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('User declined')
  })
})

test.describe('a page and a model request of an MCP server', () => {
  const link = call('trigger-url-elicitation', {
    url: 'https://sign-in.example/start?for=trestle',
    message: 'Please sign in first.',
  })
  const sample = call('trigger-sampling-request', { prompt: 'How many legs has a spider?', maxTokens: 60 })
  test.use({ config: AUTO, model: script(link, { text: 'Opened.' }, sample, { text: 'Eight.' }, { text: 'Asked.' }) })

  test('are shown in full, and nothing happens before the user agrees', async ({ app }) => {
    const { page } = app
    test.slow()
    // On the web host, the page itself opens links in a new tab.
    await page.evaluate('window.open = (url) => { document.body.dataset.opened = String(url); return null }')
    const openedPage = (): Promise<unknown> => page.evaluate('document.body.dataset.opened')
    await startWithEverything(app)
    await sendPrompt(page, 'sign in')
    const card = page.getByRole('group', { name: 'everything asks you to open a page: sign-in.example' })
    await expect(card.getByText('https://sign-in.example/start?for=trestle')).toBeVisible()
    const open = card.getByRole('button', { name: /Open sign-in.example/ })
    await armed(open)
    expect(await findings(page)).toEqual([])
    await pictures(app, 'mcp-page')
    expect(await openedPage()).toBeUndefined()
    await open.click()
    await expect(transcriptText(page, 'Opened.')).toBeVisible()
    if (app.url !== undefined) expect(await openedPage()).toBe('https://sign-in.example/start?for=trestle')

    const before = app.server.requests.length
    await sendPrompt(page, 'count')
    const wants = page.getByRole('group', { name: 'everything wants to use your model' })
    await expect(wants.getByText(/How many legs has a spider/)).toBeVisible()
    await armed(wants.getByRole('button', { name: /Ask the model/ }))
    expect(await findings(page)).toEqual([])
    await pictures(app, 'mcp-sampling')
    expect(app.server.requests).toHaveLength(before + 1)
    await wants.getByRole('button', { name: /Ask the model/ }).click()
    const answer = page.getByRole('group', { name: 'The model’s answer for everything' })
    await expect(answer.getByText('Eight.')).toBeVisible()
    await armed(answer.getByRole('button', { name: /Give the answer/ }))
    await pictures(app, 'mcp-sampling-answer')
    await answer.getByRole('button', { name: /Give the answer/ }).click()
    await expect(transcriptText(page, 'Asked.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('LLM sampling result')
  })
})

test.describe('prompts and resources of an MCP server', () => {
  test.use({
    config: AUTO,
    model: script({ text: 'Promoted.' }, { text: 'Read.' }, call('get-resource-links', { count: 1 }), {
      text: 'Linked.',
    }),
  })

  test('are commands with completed arguments, and mentions; their content is sent along', async ({ app }) => {
    test.slow()
    const { page } = app
    await startWithEverything(app)
    await field(page).pressSequentially('/mcp:')
    const option = page.getByRole('option', { name: /completable-prompt/ })
    await expect(option).toContainText('First argument choice narrows')
    await pictures(app, 'mcp-prompts')
    await option.click()
    await expect(field(page)).toHaveValue('/mcp:everything:completable-prompt ')
    await expect(page.getByText('department: Choose the department.')).toBeVisible()
    await page.getByRole('option', { name: /Sales/ }).click()
    await field(page).pressSequentially('D')
    await expect(page.getByText(/^name: Choose a team member/)).toBeVisible()
    await expect(page.getByRole('option')).toHaveCount(1)
    await pictures(app, 'mcp-argument')
    await page.keyboard.press('Enter')
    await expect(field(page)).toHaveValue('/mcp:everything:completable-prompt Sales David ')
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Promoted.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain(
      'Please promote David to the head of the Sales team.',
    )
    await page.getByText('with the prompt completable-prompt of everything').click()
    await expect(transcriptText(page, 'Please promote David')).toBeVisible()

    // Missing values are reported before anything is sent, and no typed text is lost.
    await sendPrompt(page, '/mcp:everything:args-prompt ')
    await expect(page.getByText(/needs city \(Name of the city\)/)).toBeVisible()
    await expect(field(page)).toHaveValue('/mcp:everything:args-prompt ')

    await field(page).fill('')
    await field(page).pressSequentially('Read @archit')
    const resource = page.getByRole('option', { name: /architecture/ })
    await expect(resource).toContainText('everything')
    await pictures(app, 'mcp-resources')
    await resource.click()
    await expect(field(page)).toHaveValue(/^Read @everything:demo:\/\/resource\/static\/document\/architecture\.md $/)
    await field(page).pressSequentially('and @everything:demo://resource/dynamic/text/7')
    await expect(page.getByRole('option', { name: /dynamic\/text\/7/ })).toBeVisible()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await expect(transcriptText(page, 'Read.')).toBeVisible()
    const requestText = JSON.stringify(app.server.requests.at(-1)?.body)
    expect(requestText).toContain(
      '<resource server=\\"everything\\" uri=\\"demo://resource/static/document/architecture.md\\">',
    )
    expect(requestText).toContain('Resource 7: ')
    await pictures(app, 'mcp-attached')
    // A resource that a result only links to is fetched when the user opens it.
    await sendPrompt(page, 'link')
    await expect(transcriptText(page, 'Linked.')).toBeVisible()
    await page.getByRole('button', { name: /get-resource-links/ }).click()
    const links = page.getByRole('list', { name: 'Resources that get-resource-links points to' })
    await expect(links).not.toContainText('This is a')
    await links.getByRole('button', { name: /^Show/ }).click()
    await expect(links).toContainText(/Resource 1: This is a (plaintext|base64)/)
    await pictures(app, 'mcp-link')
    expect(await findings(page)).toEqual([])
  })
})
