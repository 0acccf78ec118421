import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOAuthServer } from '../test/support/oauth-server'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

/** Each of these stories starts several programs. */

const SERVER = join(import.meta.dirname, '..', 'test', 'support', 'mcp-stdio-server.ts')
const call = (name: string, input: Record<string, unknown> = {}) => ({ toolCalls: [{ name, input }] })
const panel = ({ page }: App) => page.getByRole('tabpanel', { name: 'MCP' })
const list = (app: App) => panel(app).getByRole('list', { name: 'MCP servers' })

const button = (app: App, name: string) => list(app).getByRole('button', { name, exact: true })

async function openServers({ page }: App): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('tab', { name: 'MCP' }).click()
}

test.describe('an MCP server of the user', () => {
  test.use({
    model: {
      script: [
        call('mcp__lab__echo', { text: 'over the wire' }),
        { text: 'It said so.' },
        call('mcp__lab__echo', { text: 'again' }),
        { text: 'Not again.' },
      ],
    },
  })

  test('is added with a form, starts at its first use, asks before a call, and shows its result', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await openServers(app)
    await expect(panel(app).getByText('No servers yet')).toBeVisible()
    expect(await findings(page)).toEqual([])
    await pictures(app, 'mcp-empty')

    await panel(app).getByRole('button', { name: 'Add server' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add a server' })
    await form.getByRole('button', { name: 'Add server' }).click()
    await expect(form.getByText('Enter a name')).toBeVisible()
    await expect(form.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('lab')
    await form.getByRole('textbox', { name: 'Command' }).fill(`${process.execPath} "${SERVER}" --name=Lab`)
    await form.getByRole('textbox', { name: 'Command' }).press('Tab')
    await expect(form.getByRole('textbox', { name: /Arguments/ })).toHaveValue(`${SERVER}\n--name=Lab`)
    await form.getByRole('button', { name: 'Add a variable' }).click()
    await form.getByRole('textbox', { name: 'Name of the variable' }).fill('LAB_TOKEN')
    await form.getByRole('textbox', { name: 'Value of LAB_TOKEN' }).fill('hush')
    expect(await findings(page)).toEqual([])
    await pictures(app, 'mcp-form')
    await form.getByRole('button', { name: 'Add server' }).click()
    await expect(form).toHaveCount(0)
    await expect(list(app).getByRole('listitem').first()).toContainText('starts when needed')

    await button(app, 'Test').click()
    await expect(list(app)).toContainText(/Connected.*Lab 1\.0, protocol 2025-11-25: \d+ tools/)
    // The values of the environment are never sent back to a page.
    await button(app, 'Edit').click()
    const edit = page.getByRole('dialog', { name: 'Server lab' })
    await expect(edit.getByRole('textbox', { name: 'Value of LAB_TOKEN' })).toHaveValue('')
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(edit).toHaveCount(0)
    expect(JSON.parse(readFileSync(join(app.scratch.home, 'mcp.json'), 'utf8'))).toMatchObject({
      mcpServers: { lab: { env: { LAB_TOKEN: 'hush' } } },
    })

    await page.keyboard.press('Escape')
    await sendPrompt(page, 'use the lab')
    const card = page.getByRole('group', { name: /Approval needed/ })
    await expect(card).toContainText('over the wire')
    await pictures(app, 'mcp-approval')
    await card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
    await expect(transcriptText(page, 'It said so.')).toBeVisible()
    await page.getByRole('tab', { name: 'MCP' }).click()
    await expect(page.getByRole('list', { name: 'MCP servers' })).toContainText(/connected · \d+ tools/)
    await pictures(app, 'mcp-pane')
    expect(await findings(page)).toEqual([])

    await openServers(app)
    await list(app).getByRole('button', { name: /lab/ }).first().click()
    const echo = list(app).getByRole('switch', { name: /^echo/ })
    await expect(echo).toBeChecked()
    await pictures(app, 'mcp-tools')
    expect(await findings(page)).toEqual([])
    await echo.click()
    await expect(echo).not.toBeChecked()
    await page.keyboard.press('Escape')
    await sendPrompt(page, 'and again')
    await expect(transcriptText(page, 'Not again.')).toBeVisible()
    const requests = app.server.requests.map(({ body }) => JSON.stringify(body))
    expect(requests[0]).toContain('"name":"mcp__lab__echo"')
    expect(requests.at(-1)).toContain('Tools that are no longer available')
  })

  test('shows why it does not start, with its output, and can be removed', async ({ app }) => {
    const { page, scratch } = app
    const servers = {
      broken: { command: process.execPath, args: [SERVER, '--crash-start'] },
      gone: { command: '/no/such/program' },
      odd: { comand: 'x' },
    }
    writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: servers }, undefined, 2))
    await startSession(app)
    await openServers(app)
    await expect(panel(app).getByRole('list', { name: 'Problems' })).toContainText(
      /odd: A command or a url is missing.*mcp\.json:\d+/,
    )
    await list(app)
      .getByRole('button', { name: /broken/ })
      .first()
      .click()
    await button(app, 'Start').click()
    await expect(list(app)).toContainText('failed')
    await expect(list(app).getByRole('group', { name: 'Last output of broken' })).toContainText(
      'the configuration of this server is missing',
    )
    await pictures(app, 'mcp-failed')
    expect(await findings(page)).toEqual([])
    await button(app, 'Log').click()
    await expect(page.getByRole('dialog', { name: 'Log of broken' })).toContainText(
      'the configuration of this server is missing',
    )
    await pictures(app, 'mcp-log')
    await page.keyboard.press('Escape')
    await button(app, 'Remove').press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove server' }).press('Enter')
    await expect(list(app)).not.toContainText('broken')
    // The focused control was removed, and another one in the list has the focus.
    await expect(list(app).locator(':focus')).toHaveCount(1)
    await expect(list(app)).toContainText('gone')
  })
})

test.describe('an MCP server that cannot be used', () => {
  test.use({ model: { script: [{ text: 'Without it, then.' }, { text: 'Still without.' }] } })

  test('is reported in the conversation once, with a link to its details', async ({ app }) => {
    const { page, scratch } = app
    const servers = { gone: { command: '/no/such/program' } }
    writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
    await startSession(app)
    const notice = page.getByText('The MCP server gone could not be reached.')
    await expect(notice).toHaveCount(0)
    await sendPrompt(page, 'hello')
    await expect(transcriptText(page, 'Without it, then.')).toBeVisible()
    await expect(notice).toBeVisible()
    await pictures(app, 'mcp-notice')
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'View details' }).click()
    await expect(list(app).getByRole('button', { name: /gone/, expanded: true })).toBeVisible()
    await expect(list(app)).toContainText('failed')
    await page.keyboard.press('Escape')
    await sendPrompt(page, 'again')
    await expect(transcriptText(page, 'Still without.')).toBeVisible()
    await expect(notice).toHaveCount(0)
  })
})

test.describe('an MCP server that requires sign-in', () => {
  test.use({ model: { script: [call('mcp__cloud__whoami'), { text: 'You are known.' }] } })

  test('opens its own sign-in page and works from then on, until the user signs out', async ({ app }) => {
    const { page } = app
    const server = await startOAuthServer({ consent: true })
    try {
      await startSession(app)
      await openServers(app)
      await panel(app).getByRole('button', { name: 'Add server' }).first().click()
      const form = page.getByRole('dialog', { name: 'Add a server' })
      await form.getByRole('textbox', { name: 'Name', exact: true }).fill('cloud')
      await form.getByRole('combobox', { name: 'Transport' }).selectOption('http')
      await form.getByRole('textbox', { name: 'Address' }).fill(server.url)
      await form.getByRole('button', { name: 'Add server' }).click()
      await button(app, 'Start').click()
      await expect(list(app)).toContainText('sign-in required')
      await pictures(app, 'mcp-sign-in')
      await button(app, 'Sign in').click()
      const dialog = page.getByRole('dialog', { name: 'Sign in to cloud' })
      await expect(dialog).toContainText(new URL(server.origin).host)
      await pictures(app, 'mcp-sign-in-dialog')
      expect(await findings(page)).toEqual([])
      const allow = async (): Promise<void> => {
        const opened = page.context().waitForEvent('page')
        await dialog.getByRole('button', { name: 'Open the sign-in page' }).click()
        await (await opened).getByRole('link', { name: 'Allow Trestle' }).click()
      }
      server.tokenAnswers.push([
        400,
        JSON.stringify({ error: 'invalid_grant', error_description: 'the code is too old' }),
      ])
      await allow()
      await expect(dialog.getByRole('alert')).toContainText('the code is too old')
      await pictures(app, 'mcp-sign-in-failed')
      expect(await findings(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Try again' }).click()
      await allow()
      await expect(dialog).toHaveCount(0)
      await expect(page.getByText('Signed in to cloud')).toBeVisible()
      await expect(button(app, 'Sign out')).toBeVisible()

      await page.keyboard.press('Escape')
      await sendPrompt(page, 'who am I')
      await page
        .getByRole('group', { name: /Approval needed/ })
        .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
        .click()
      await expect(transcriptText(page, 'You are known.')).toBeVisible()
      expect(server.used.length).toBeGreaterThan(0)
      await openServers(app)
      await list(app).getByRole('button', { name: /cloud/ }).first().click()
      await button(app, 'Sign out').click()
      await expect(button(app, 'Sign out')).toHaveCount(0)
    } finally {
      await server.close()
    }
  })
})

test.describe('MCP servers of another product', () => {
  test.use({
    userFiles: {
      '.cursor/mcp.json': JSON.stringify({
        mcpServers: {
          lab: { command: process.execPath, args: [SERVER, '--name=Lab'], env: { LAB_TOKEN: 'hush' } },
          notes: { url: 'https://notes.example.com/mcp?token=hush' },
        },
      }),
      '.codex/config.toml': '[mcp_servers.docs]\ncommand = "docs-server"\nenv_vars = ["DOCS_KEY"]\n',
    },
  })

  test('are previewed before anything is written, and imported when selected', async ({ app }) => {
    const { page, scratch } = app
    writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: { notes: { command: 'mine' } } }))
    const before = readFileSync(join(scratch.home, 'mcp.json'), 'utf8')
    await startSession(app)
    await openServers(app)
    await panel(app).getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import servers' })
    await expect(dialog.getByRole('region', { name: 'Cursor' })).toContainText('with the environment LAB_TOKEN')
    for (const name of ['lab', 'docs']) await dialog.getByRole('checkbox', { name }).uncheck()
    await expect(dialog.getByRole('button', { name: 'Add', exact: true })).toBeDisabled()
    await expect(dialog.getByRole('status')).toHaveText('Select the servers to add.')
    for (const name of ['lab', 'docs']) await dialog.getByRole('checkbox', { name }).check()
    await expect(dialog.getByRole('status')).toBeEmpty()
    await expect(dialog.getByRole('region', { name: 'Codex' })).toContainText('docs')
    await expect(dialog).not.toContainText('hush')
    await expect(dialog.getByRole('checkbox', { name: /notes/ })).not.toBeChecked()
    await dialog.getByRole('checkbox', { name: /notes/ }).check()
    await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('notes-2')
    await dialog.getByRole('checkbox', { name: 'docs' }).uncheck()
    await pictures(app, 'mcp-import')
    expect(await findings(page)).toEqual([])
    expect(readFileSync(join(scratch.home, 'mcp.json'), 'utf8')).toBe(before)
    await dialog.getByRole('button', { name: 'Add 2 servers' }).click()
    await expect(list(app)).toContainText('lab')
    expect(JSON.parse(readFileSync(join(scratch.home, 'mcp.json'), 'utf8'))).toEqual({
      mcpServers: {
        notes: { command: 'mine' },
        lab: { command: process.execPath, args: [SERVER, '--name=Lab'], env: { LAB_TOKEN: 'hush' } },
        'notes-2': { type: 'http', url: 'https://notes.example.com/mcp?token=hush' },
      },
    })

    await panel(app).getByRole('button', { name: 'Add server' }).click()
    await page.getByRole('button', { name: 'Paste JSON instead' }).click()
    const paste = page.getByRole('dialog', { name: 'Add from JSON' })
    await paste
      .getByRole('textbox', { name: 'JSON or TOML' })
      .fill('{ "mcpServers": { "pasted": { "command": "x", "args": [ } } }')
    await expect(paste).toContainText(/line 1: /)
    await paste
      .getByRole('textbox', { name: 'JSON or TOML' })
      .fill('"pasted": { "command": "x", "env": { "KEY": "hush" } }')
    await expect(paste.getByRole('checkbox', { name: 'pasted' })).toBeChecked()
    await pictures(app, 'mcp-paste')
    expect(await findings(page)).toEqual([])
    await paste.getByRole('button', { name: 'Add 1 server' }).click()
    await expect(list(app)).toContainText('pasted')
  })
})

test.describe('an import without servers', () => {
  test.use({ userFiles: { '.cursor/mcp.json': '{ "mcpServers": { "lab": ' } })

  test('names the file that cannot be read, and has nothing to add', async ({ app }) => {
    const { page } = app
    await openServers(app)
    await panel(app).getByRole('button', { name: 'Import' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Import servers' })
    await expect(dialog.getByRole('region', { name: 'Cursor' })).toContainText(/mcp\.json.*line 1: /)
    await expect(dialog.getByRole('button', { name: 'Add' })).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Close' }).last().press('Enter')
    await expect(dialog).toBeHidden()
    await expect(panel(app).getByRole('button', { name: 'Import' }).first()).toBeFocused()
  })
})

const written = (arg: string): string =>
  JSON.stringify({
    mcpServers: { lab: { command: process.execPath, args: [SERVER, arg], env: { LAB_TOKEN: 'hush' } } },
  })

test.describe('an MCP server of the project', () => {
  test.use({
    files: { 'README.md': '# x\n', '.mcp.json': written('--name=Lab') },
    model: {
      script: [
        { text: 'Nothing to use.' },
        call('mcp__lab__echo', { text: 'hello' }),
        { text: 'Used.' },
        { text: 'Not there.' },
      ],
    },
  })

  test('does not start before the user has reviewed and accepted it, and asks again with a diff when it changes', async ({
    app,
  }) => {
    const { page, scratch } = app
    await startSession(app)
    const question = page.getByRole('region', { name: 'This project has its own settings' })
    await expect(question).toContainText(`run ${process.execPath} ${SERVER} --name=Lab`)
    await expect(question).toContainText('with the environment LAB_TOKEN')
    await expect(question).not.toContainText('hush')
    await pictures(app, 'mcp-trust')
    expect(await findings(page)).toEqual([])
    await sendPrompt(page, 'first')
    await expect(transcriptText(page, 'Nothing to use.')).toBeVisible()
    expect(JSON.stringify(app.server.requests[0]!.body)).not.toContain('mcp__lab')
    await openServers(app)
    await expect(list(app)).toContainText('needs approval')
    await expect(panel(app).getByRole('region', { name: /has its own settings/ })).toBeVisible()
    await pictures(app, 'mcp-asked')
    expect(await findings(page)).toEqual([])
    await panel(app).getByRole('button', { name: 'Trust folder' }).click()
    await expect(list(app)).toContainText('starts when needed')
    await page.keyboard.press('Escape')
    await sendPrompt(page, 'second')
    await page
      .getByRole('group', { name: /Approval needed/ })
      .getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })
      .click()
    await expect(transcriptText(page, 'Used.')).toBeVisible()

    writeFileSync(join(scratch.project, '.mcp.json'), written('--crash-start'))
    await sendPrompt(page, 'third')
    const changed = page.getByRole('region', { name: /changed since you trusted them/ })
    await expect(changed.getByRole('group', { name: 'Changes' })).toContainText('--crash-start')
    await expect(transcriptText(page, 'Not there.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).not.toContain('"name":"mcp__lab__echo","description"')
  })
})
