import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const SERVER = fileURLToPath(new URL('../test/support/catalogue-server.ts', import.meta.url))

/** Two servers of the user, with forty tools each. */
function connect(app: App): void {
  const mcpServers = Object.fromEntries(
    ['github', 'slack'].map((name) => [name, { command: process.execPath, args: ['--no-warnings', SERVER, name] }]),
  )
  writeFileSync(join(app.scratch.home, 'mcp.json'), JSON.stringify({ mcpServers }))
}

const post = { name: 'mcp__slack__slack_post_message', input: { channel_id: 'C1', text: 'We are live.' } }

test.describe('many MCP tools', () => {
  test.use({
    config: { more: '[tool_search]\nenabled = true\nmin_pct = 0\nmin_tokens = 0\n[mcp]\nstart_wait_s = 60\n' },
    model: {
      script: [
        { toolCalls: [{ name: 'tool_search', input: { query: 'post a message to a channel', max_results: 2 } }] },
        { toolCalls: [post] },
        { text: 'Posted.' },
      ],
    },
  })

  test('are found when needed, and their token cost is shown', async ({ app }) => {
    // Two servers are started, and screenshots are taken.
    test.slow()
    const { page } = app
    connect(app)
    await startSession(app)
    await sendPrompt(page, 'tell the team that we are live')
    await page.getByRole('button', { name: /Allow once|Run in sandbox/ }).click({ delay: 800 })
    await expect(transcriptText(page, 'Posted.')).toBeVisible()
    const [first, second] = app.server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toContain('slack::slack_post_message: Post a new message to a Slack channel')
    expect(first).not.toContain('Layout blocks')
    expect(second).toContain('Layout blocks')

    await transcriptText(page, '2 tools loaded').click()
    await expect(page.getByRole('list', { name: 'Tools loaded for post a message to a channel' })).toContainText(
      'slack::slack_post_message',
    )
    await pictures(app, 'tool-search')

    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.pressSequentially('/tools')
    await expect(page.getByRole('option', { name: /tools/ })).toBeVisible()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Tools' })
    await expect(dialog).toContainText('78 more are only listed')
    await dialog.getByRole('searchbox', { name: 'Filter tools' }).fill('reaction')
    await expect(dialog.getByText('slack_add_reaction')).toBeVisible()
    await expect(dialog.getByText('on demand').first()).toBeVisible()
    expect(await findings(page)).toEqual([])
    await pictures(app, 'tools-filtered')
    await dialog.getByRole('searchbox').fill('')
    await pictures(app, 'tools')
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Context' }).click()
    await expect(page.getByRole('region', { name: 'MCP tools' })).toContainText('Without it')
    await pictures(app, 'tools-context')
  })

  test('can be turned on and off in the settings, and invalid numbers show an error', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: /MCP/ }).click()
    const percent = page.getByRole('textbox', { name: /% of the context window/ })
    await percent.fill('many')
    await expect(page.getByText('A number from 0 to 100')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await pictures(app, 'tool-search-settings')
    await percent.fill('2.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await expect(percent).toHaveValue('2.5')
    await page.getByRole('switch', { name: 'Tool search' }).click()
    await expect(percent).toBeHidden()
    expect(await findings(page)).toEqual([])
  })
})
