import type { RecordedRequest } from '../test/support/model-script'
import { expect, test } from './app'
import { findings } from './assistive'
import { reload, sendPrompt, startSession, transcriptText } from './steps'

const asksForSummary = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body).includes('You write the memory of an agent')

test.describe('the context of a session', () => {
  let reads = 0
  test.use({
    model: {
      script: (request) => {
        if (asksForSummary(request))
          return { text: '**Task:** read the README.\n\n**Decisions:** the API stays as it is.' }
        reads += 1
        if (reads === 1)
          return { toolCalls: [{ name: 'Read', input: { path: 'README.md' } }], usage: { input: 9000, output: 40 } }
        return { text: 'That is read.', usage: { input: 9500, output: 60, cached: 8000 } }
      },
    },
  })

  test('is shown by kind, compacted on request with instructions, and the compaction can be undone', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'read the README')
    await expect(transcriptText(page, 'That is read.')).toBeVisible()
    await page.getByRole('tab', { name: 'Context' }).click()
    const pane = page.getByRole('region', { name: 'Context window' })
    await expect(pane).toContainText('Files read')
    await expect(pane).toContainText('Read README.md')

    await sendPrompt(page, '/compact keep the API decisions')
    const row = page.getByRole('region', { name: 'Compaction' })
    await expect(row).toContainText('Conversation compacted')
    expect(JSON.stringify(app.server.requests.at(-1)!.body)).toContain('keep the API decisions')
    await row.getByRole('button', { name: /Conversation compacted/ }).click()
    await expect(row).toContainText('the API stays as it is')
    await expect(row).toContainText('README.md')
    await page.screenshot({ path: test.info().outputPath('context.png') })
    expect(await findings(page)).toEqual([])

    await sendPrompt(page, 'and now?')
    await expect.poll(() => app.server.requests.length).toBe(4)
    const requestText = JSON.stringify(app.server.requests[3]!.body)
    expect(requestText).toContain('the API stays as it is')
    expect(requestText).toContain('read the README')
    expect(requestText).not.toContain('That is read.')

    await expect(row.getByRole('button', { name: 'Undo compaction' })).toBeEnabled()
    await row.getByRole('button', { name: 'Undo compaction' }).click()
    await expect(transcriptText(page, 'The compaction was undone')).toBeVisible()
    await sendPrompt(page, 'once more')
    await expect.poll(() => app.server.requests.length).toBe(5)
    expect(JSON.stringify(app.server.requests[4]!.body)).toContain('That is read.')
  })
})

test.describe('a task that fills the window', () => {
  let asked = 0
  test.use({
    model: {
      script: (request) => {
        if (asksForSummary(request)) return { text: 'The README was read; two more looks are left.' }
        asked += 1
        if (asked === 3) return { text: 'All of it is done.', usage: { input: 9000, output: 60 } }
        return {
          toolCalls: [{ name: 'Read', input: { path: 'README.md', n_lines: asked } }],
          usage: { input: asked === 2 ? 125_000 : 9000, output: 40 },
        }
      },
    },
  })

  test('is compacted while it runs, completes, and looks the same after a reload', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'look at the README thrice')
    await expect(transcriptText(page, 'All of it is done.')).toBeVisible()
    const row = page.getByRole('region', { name: 'Compaction' })
    await expect(row).toContainText('context window almost full')
    const requestText = JSON.stringify(app.server.requests.at(-1)!.body)
    expect(requestText).toContain('two more looks are left')
    expect(requestText).toContain('look at the README thrice')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: test.info().outputPath('compacted-in-a-turn.png') })
    // The turn is over.
    await expect(
      page
        .getByRole('region', { name: 'Conversation' })
        .getByText(/\d[kM]? tokens/)
        .last(),
    ).toBeVisible()
    const rows = await page.getByRole('region', { name: 'Conversation' }).innerText()
    await reload(page)
    await expect(transcriptText(page, 'All of it is done.')).toBeVisible()
    await expect.poll(() => page.getByRole('region', { name: 'Conversation' }).innerText()).toBe(rows)
  })
})
