import { join } from 'node:path'
import { agentCall, call, familyScript, said as heard } from '../test/support/family-script'
import type { RecordedRequest } from '../test/support/model-script'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const SHOTS = process.env['TRESTLE_SHOTS']

test.describe('three subagents', () => {
  test.use({
    files: { 'README.md': '# x\n', 'a.txt': 'A', '.trestle/agents/broken.yaml': 'description: x\ntools: [Raed]\n' },
    model: {
      script: familyScript({
        go: [
          {
            toolCalls: [
              agentCall('reader looks', { subagent_type: 'explore', description: 'Look at a.txt' }),
              agentCall('writer writes', { description: 'Write b.txt' }),
              agentCall('sleeper sleeps', { description: 'Watch the build', run_in_background: true }),
            ],
          },
          { text: 'The two have answered.' },
          { text: 'Noted.' },
        ],
        reader: [{ toolCalls: [call('Read', { path: 'a.txt' })] }, { text: 'It says **A**.' }],
        writer: [{ toolCalls: [call('Write', { path: 'b.txt', content: 'B' })] }, { text: 'b.txt is written.' }],
        sleeper: [{ toolCalls: [call('ListDirectory', { path: '.' })] }, { text: 'x', faults: { stallAfterBytes: 0 } }],
      }),
    },
  })

  test('show their progress, ask in their parent conversation, and can be opened and stopped', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'go')
    // The card names the subagent, and is answered in place.
    const request = page.getByRole('region', { name: 'Request of the subagent Write b.txt' })
    await expect(request).toContainText('The subagent Write b.txt (coder) asks:')
    await expect(page.getByRole('button', { name: /Agent .*Write b\.txt/ })).toContainText('needs input')
    await expect(transcriptText(page, /explore has answered|Look at a\.txt/)).toBeVisible()
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'asks.png') })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findings(page)).toEqual([])
    }
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'asks-dark.png') })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await pictures(app, 'subagents')
    await request.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
    await expect(transcriptText(page, 'The two have answered.')).toBeVisible()
    await page.getByRole('button', { name: /Agent .*Write b\.txt/ }).click()
    await expect(page.getByRole('group', { name: 'Its last message' })).toContainText('b.txt is written.')

    // The background one is on the task page; its row leads to its own conversation.
    await page.getByRole('button', { name: /^Tasks/ }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Watch the build' })
    await expect(row).toContainText('running')
    expect(await findings(page)).toEqual([])
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'tasks.png') })
    await row.getByRole('button', { name: /^Subagent coder: Watch the build/ }).click()
    await expect(page.getByText('Messages you send here reach it at its next step.')).toBeVisible()
    await expect(transcriptText(page, 'sleeper sleeps')).toBeVisible()
    await expect(page.getByRole('button', { name: /List(?:ed)? folder/ })).toBeVisible()
    expect(await findings(page)).toEqual([])
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'inside.png') })
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()
    await expect(page.getByText('Its final message was sent to the main agent.')).toBeVisible()
    await page.getByRole('button', { name: 'Back to the session' }).click()
    await expect(transcriptText(page, 'Noted.')).toBeVisible()
    await expect(transcriptText(page, 'was stopped')).toBeVisible()
    // They are not among the user's sessions.
    await expect(page.getByRole('treeitem').filter({ hasText: 'Watch the build' })).toHaveCount(0)
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'after.png') })
  })
})

/** The model resumes the subagent named in its context. */
const resume = (request: RecordedRequest) => ({
  toolCalls: [
    agentCall('more', { description: 'Look again', resume: /task_id: (agent-\S+)/.exec(heard(request))?.[1] ?? '' }),
  ],
})

test.describe('a subagent in the background', () => {
  test.use({
    config: { more: 'default_permission_mode = "auto"' },
    model: {
      script: familyScript({
        go: [
          { toolCalls: [agentCall('watcher looks', { description: 'Watch the build', run_in_background: true })] },
          { text: 'I continue meanwhile.' },
          { text: 'It has ended.' },
          resume,
          { text: 'It remembers.' },
        ],
        watcher: [
          { toolCalls: [call('Read', { path: 'README.md' })] },
          { text: 'The build is green.' },
          { text: 'As green as before.' },
        ],
      }),
    },
  })

  test('is resumed with its history when the user asks for it later', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'go')
    await expect(transcriptText(page, 'It has ended.')).toBeVisible()
    await sendPrompt(page, 'ask it again')
    await expect(transcriptText(page, 'It remembers.')).toBeVisible()
    await page.getByRole('button', { name: /Agent .*Look again/ }).click()
    await expect(page.getByRole('group', { name: 'Its last message' })).toContainText('As green as before.')
    // The resumed subagent makes the last request but one, with its earlier history.
    const asked = heard(app.server.requests.at(-2)!)
    expect(asked).toContain('watcher looks')
    expect(asked).toContain('The build is green.')
    expect(await findings(page)).toEqual([])
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'resumed.png') })
  })
})

test.describe('a subagent in the foreground', () => {
  test.use({
    model: {
      script: familyScript({
        go: [
          { toolCalls: [agentCall('slow looks', { description: 'Look slowly' })] },
          { text: 'I continue without it.' },
          { text: 'Now it is done.' },
        ],
        slow: [{ toolCalls: [call('Write', { path: 'slow.txt', content: 'x' })] }, { text: 'It took its time.' }],
      }),
    },
  })

  test('moves to the background: the agent continues, and is notified when it ends', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'go')
    const request = page.getByRole('region', { name: 'Request of the subagent Look slowly' })
    await expect(request).toBeVisible()
    await page.getByRole('button', { name: 'Move to background: the subagent Look slowly' }).click()
    await expect(transcriptText(page, 'I continue without it.')).toBeVisible()
    await request.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ }).click()
    await expect(transcriptText(page, 'Now it is done.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).toContain('It took its time.')
  })
})

test.describe('agents', () => {
  test.use({ files: { 'README.md': '# x\n', '.trestle/agents/broken.yaml': 'description: x\ntools: [Raed]\n' } })

  test('are listed in the settings with their specs; an invalid one is excluded and shown with its line', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await page.getByRole('button', { name: 'Trust folder' }).click()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: 'Agents' }).click()
    const section = page.getByRole('tabpanel', { name: 'Agents' })
    await expect(section.getByText('explore', { exact: true })).toBeVisible()
    await expect(section.getByText(/There is no tool "Raed"\. Did you mean Read\?/)).toBeVisible()
    await expect(section.getByText(/broken\.yaml:2/)).toBeVisible()
    expect(await findings(page)).toEqual([])
    if (SHOTS) await page.screenshot({ path: join(SHOTS, 'settings.png') })
  })
})
