import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, transcriptText, sendPrompt, startSession } from './steps'

const PLAN = `# Make the shop faster

1. Measure the start page.
2. Keep the product list in memory.
3. Measure again; it must be **under 200 ms**.

| way | cost |
| --- | --- |
| memory | low |
| Redis | a server |
`
const ENTER = { toolCalls: [{ name: 'EnterPlanMode', input: {} }] }
const OPTIONS = [
  { label: 'In memory', description: 'Simple; lost at a restart.' },
  { label: 'In Redis', description: 'Survives a restart; one more server.' },
]

/** The plan's path, from the model's instructions. */
const planPath = (body: unknown): string => /\/[^\s"\\`]+\/plan-1\.md/.exec(JSON.stringify(body))?.[0] ?? ''

test.describe('a plan', () => {
  test.use({
    model: {
      script: ({ body }, index) =>
        [
          ENTER,
          { toolCalls: [{ name: 'Write', input: { path: 'made.txt', content: 'too early' } }] },
          { toolCalls: [{ name: 'Write', input: { path: planPath(body), content: PLAN } }] },
          { toolCalls: [{ name: 'ExitPlanMode', input: { options: OPTIONS } }] },
          {
            toolCalls: [{ name: 'Edit', input: { path: planPath(body), old_string: '200 ms', new_string: '100 ms' } }],
          },
          { toolCalls: [{ name: 'ExitPlanMode', input: { options: OPTIONS } }] },
          { toolCalls: [{ name: 'Write', input: { path: 'made.txt', content: 'carried out' } }] },
          { text: 'All done.' },
        ][index],
    },
  })

  test('is revised with a comment on a line, survives a restart, and is approved with one of its alternatives', async ({
    app,
  }) => {
    test.slow()
    let { page } = app
    await startSession(app)
    await sendPrompt(page, 'plan it')
    const card = page.getByRole('group', { name: 'Plan to review, revision 1' })
    await expect(card.getByRole('heading', { name: 'Make the shop faster' })).toBeVisible()
    await expect(page.getByText('Plan mode. Read-only until you approve the plan.')).toBeVisible()
    // The card does not repeat the banner.
    await expect(page.getByText('Read-only until you approve the plan.')).toHaveCount(1)
    expect(existsSync(join(app.scratch.project, 'made.txt'))).toBe(false)
    await pictures(app, 'plan-review')
    await expect(card.getByRole('button', { name: /Approve: In memory/ })).not.toHaveAttribute('aria-disabled')
    expect(await findings(page)).toEqual([])

    await page.keyboard.press('9')
    await expect(card.getByLabel('What should change')).toBeFocused()
    await card.getByRole('button', { name: /Line 5: 3\. Measure again/ }).click()
    await card.getByLabel('Comment on line 5').fill('under 100 ms, please')
    await page.keyboard.press('Enter')
    await expect(card.getByRole('button', { name: /Line 5:/ })).toBeFocused()
    await card.getByLabel('What should change').fill('be more ambitious')
    await pictures(app, 'plan-revise')
    await page.keyboard.press('Enter')

    const second = page.getByRole('group', { name: 'Plan to review, revision 2' })
    await expect(second).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-2)?.body)).toContain('under 100 ms, please')
    await app.restart()
    ;({ page } = app)
    await page.getByRole('treeitem', { name: /plan it/ }).click()
    const kept = page.getByRole('group', { name: 'Plan to review, revision 2' })
    await kept.getByRole('button', { name: 'Changes', exact: true }).click()
    await expect(kept.getByRole('group', { name: 'Changes' })).toContainText('under 100 ms')
    await pictures(app, 'plan-changes')
    await expect(kept.getByRole('button', { name: /Approve: In Redis/ })).not.toHaveAttribute('aria-disabled')
    await page.keyboard.press('2')

    // The plan is carried out under the usual permissions again.
    const write = page.getByRole('group', { name: /Approval needed: Write made\.txt/ })
    await expect(write.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).not.toHaveAttribute(
      'aria-disabled',
    )
    await page.keyboard.press('1')
    await expect(transcriptText(page, 'All done.')).toBeVisible()
    expect(readFileSync(join(app.scratch.project, 'made.txt'), 'utf8')).toBe('carried out')
    const requestText = JSON.stringify(app.server.requests.at(-2)?.body)
    expect(requestText).toContain('The user chose \\"In Redis\\": carry out only this one')
    await expect(page.getByText('Plan mode. Nothing but')).toBeHidden()
    await page.getByRole('tab', { name: 'Plan' }).click()
    await expect(page.getByRole('list', { name: 'Revisions' })).toContainText('Revision 2')
    await expect(page.getByRole('list', { name: 'Revisions' })).toContainText('approved · In Redis')
    await pictures(app, 'plan-tab')
  })
})

test.describe('plan mode, switched by the user', () => {
  test.use({
    model: {
      script: [
        { toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] },
        { text: 'I may not.' },
        { text: 'Now I may.' },
      ],
    },
  })

  test('starts with Shift+Tab and ends with the banner, and the agent is notified of both', async ({ app }) => {
    const { page } = app
    await startSession(app)
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.focus()
    for (const name of ['Accept edits', 'Auto', 'Plan']) {
      await page.keyboard.press('Shift+Tab')
      await expect(page.getByRole('button', { name: `Permissions: ${name}` })).toBeVisible()
    }
    await sendPrompt(page, 'go')
    await expect(transcriptText(page, 'I may not.')).toBeVisible()
    expect(existsSync(join(app.scratch.project, 'made'))).toBe(false)
    expect(JSON.stringify(app.server.requests[0]?.body)).toContain('Plan mode is on. Nothing but the plan can change')
    // The user sees one sentence, and on request the whole message to the agent.
    const conversation = page.getByRole('region', { name: 'Conversation' })
    await expect(conversation).toContainText('Plan mode is on.')
    await expect(conversation.getByText('Nothing but the plan can change')).toHaveCount(0)
    await conversation.getByRole('button', { name: 'Message to the agent' }).click()
    await expect(conversation.getByText('Nothing but the plan can change')).toBeVisible()
    await page.getByRole('button', { name: 'Leave plan mode' }).click()
    await expect(page.getByRole('button', { name: 'Permissions: Auto' })).toBeVisible()
    await sendPrompt(page, 'and now')
    await expect(transcriptText(page, 'Now I may.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('The user turned plan mode off')
  })
})

test.describe('questions', () => {
  const QUESTIONS = [
    {
      question: 'Which database should it be?',
      header: 'Database',
      options: [
        { label: 'SQLite (recommended)', description: 'One file, nothing to run.' },
        { label: 'PostgreSQL', description: 'A server of its own.' },
      ],
    },
    {
      question: 'What should be tested?',
      header: 'Tests',
      multi_select: true,
      options: [
        { label: 'Units', description: 'Fast.' },
        { label: 'Browser', description: 'What the user sees.' },
        { label: 'Load', description: 'Many at once.' },
      ],
    },
  ]
  const ask = { toolCalls: [{ name: 'AskUserQuestion', input: { questions: QUESTIONS } }] }
  test.use({ model: { script: [ask, { text: 'Thank you.' }, ask, { text: 'Then not.' }] } })

  test('are named for screen readers, answered by keyboard after a restart, with a free-text answer; and can be skipped', async ({
    app,
  }) => {
    let { page } = app
    await startSession(app)
    await sendPrompt(page, 'ask me')
    await expect(page.getByRole('group', { name: '2 questions' })).toBeVisible()
    await app.restart()
    ;({ page } = app)
    await page.getByRole('button', { name: /^Inbox/ }).click()
    const card = page.getByRole('group', { name: '2 questions' })
    await expect(card.getByRole('button', { name: 'Skip' })).not.toHaveAttribute('aria-disabled')
    for (const name of [
      'Database: Which database should it be?',
      'Tests: What should be tested? Select all that apply.',
    ])
      await expect(card.getByRole('group', { name, exact: true })).toBeVisible()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('1')
    await expect(card.getByRole('radio', { name: /SQLite/ })).toBeChecked()
    await expect(card.getByRole('button', { name: 'Answer' })).toBeDisabled()
    await expect(card.getByRole('checkbox', { name: /Units/ })).toBeFocused()
    await page.keyboard.press('1')
    await page.keyboard.press('3')
    await card.getByRole('radio', { name: 'Other' }).check()
    await expect(card.getByRole('textbox', { name: /Which database/ })).toBeFocused()
    await page.keyboard.type('DuckDB')
    await expect(card.getByRole('checkbox', { name: /Units/ })).toBeChecked()
    await expect(card.getByRole('checkbox', { name: /Load/ })).toBeChecked()
    await pictures(app, 'questions')
    await page.keyboard.press('Enter')
    await page.getByRole('treeitem', { name: /ask me/ }).click()
    await expect(transcriptText(page, 'Thank you.')).toBeVisible()
    const requestText = JSON.stringify(app.server.requests.at(-1)?.body).replaceAll('\\', '')
    expect(requestText).toContain(
      '{"answers":{"Which database should it be?":"DuckDB","What should be tested?":["Units","Load"]}}',
    )

    await sendPrompt(page, 'again')
    await page.getByRole('group', { name: '2 questions' }).getByRole('button', { name: 'Skip' }).click()
    await expect(transcriptText(page, 'Then not.')).toBeVisible()
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain('dismissed the questions')
  })
})
