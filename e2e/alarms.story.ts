import { readFileSync } from 'node:fs'
import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, startSession, transcriptText } from './steps'

const brief = (name: string, input: Record<string, unknown>) => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})

test.describe('alarms', () => {
  test('an alarm set before a restart rings afterwards, and is snoozed, canceled and restored by keyboard', async ({
    app,
  }) => {
    const { page } = app
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Alarms')
    await page.keyboard.press('Enter')
    await expect(page.getByText('No alarms. They ring while Trestle is running.')).toBeVisible()
    await expect(page.getByText('No notifications')).toBeVisible()
    await pictures(app, 'alarms-empty')
    expect(await findings(page)).toEqual([])

    await page.getByRole('button', { name: 'New alarm' }).press('Enter')
    const form = page.getByRole('form', { name: 'New alarm' })
    await form.getByRole('textbox', { name: 'When' }).fill('soonish')
    await form.getByRole('textbox', { name: 'Label' }).fill('Tea')
    await form.getByRole('textbox', { name: 'Label' }).press('Enter')
    await expect(form.getByRole('alert')).toContainText('"soonish" is not a time.')
    await pictures(app, 'alarms-form')
    expect(await findings(page)).toEqual([])
    await form.getByRole('textbox', { name: 'When' }).fill('5s')
    await form.getByRole('textbox', { name: 'Label' }).press('Enter')
    await expect(page.getByRole('list', { name: 'Alarms' })).toContainText('Tea')

    await app.restart()
    const restarted = app.page
    const banner = restarted.getByRole('region', { name: 'Alarm', exact: true })
    await expect(banner).toContainText('Tea')
    await pictures(app, 'alarms-ringing')
    expect(await findings(restarted)).toEqual([])
    await banner.getByRole('button', { name: /Snooze/ }).press('Enter')
    await expect(banner).toBeHidden()

    await restarted.getByRole('button', { name: /^Notifications/ }).press('Enter')
    const list = restarted.getByRole('list', { name: 'Alarms' })
    await expect(list).toContainText('Tea')
    await expect(restarted.getByRole('list', { name: 'Notifications' })).toContainText('Alarm')
    await pictures(app, 'alarms-page')
    await restarted.getByRole('button', { name: 'Cancel Tea' }).press('Enter')
    await expect(list).toBeHidden()
    await restarted.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect(list).toContainText('Tea')
    expect(await findings(restarted)).toEqual([])
  })
})

test.describe('an alarm that rings', () => {
  test.use({
    model: { script: [brief('SendNotification', { title: 'Build done', body: 'All tests pass' }), { text: 'Done.' }] },
  })

  test('is shown once, in its bar', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page
      .getByRole('button', { name: /^Agent/ })
      .first()
      .click()
    await page.getByRole('menuitemradio', { name: /assistant/i }).click()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Alarms')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'New alarm' }).press('Enter')
    const form = page.getByRole('form', { name: 'New alarm' })
    await form.getByRole('textbox', { name: 'When' }).fill('1s')
    await form.getByRole('textbox', { name: 'Label' }).fill('Tea')
    await form.getByRole('textbox', { name: 'Label' }).press('Enter')
    const bar = page.getByRole('region', { name: 'Alarm', exact: true })
    await expect(bar).toContainText('Tea')
    await expect(page.getByRole('list', { name: 'Notifications' })).toContainText('Tea')
    await page.getByRole('treeitem', { name: /New session/, level: 2 }).click()
    await sendPrompt(page, 'Tell me when the build is done')
    await expect(page.getByRole('region', { name: 'Messages' })).toContainText('Build done')
    await bar.getByRole('button', { name: 'Stop' }).press('Enter')
    await expect(bar).toBeHidden()
    // Everything shown since the page was opened.
    await page.getByRole('button', { name: 'Messages' }).click()
    const messages = page.getByRole('dialog', { name: 'Messages' })
    await expect(messages).toContainText('Build done')
    await expect(messages.getByText('Tea')).toHaveCount(0)
  })
})

test.describe('what an agent sends and creates', () => {
  test.use({
    model: {
      script: [
        brief('SendNotification', { title: 'Build done', body: 'All 214 tests pass' }),
        brief('CreateCalendarEvent', {
          title: 'Release review',
          start: '2026-12-01T09:00',
          end: '2026-12-01T10:00',
          zone: 'Europe/Berlin',
          location: 'Room 4',
          description: 'Bring the notes',
          attendees: ['ada@example.org'],
          reminder_minutes: 15,
          repeat: 'weekly',
          repeat_count: 4,
        }),
        brief('OpenURL', { url: 'https://example.org/release?version=2' }),
        { text: 'All done.' },
      ],
    },
  })

  test('a notification is listed until it is read and cleared; an event and a link are shown in full before they are allowed', async ({
    app,
  }) => {
    const { page } = app
    await startSession(app)
    await page
      .getByRole('button', { name: /^Agent/ })
      .first()
      .click()
    await page.getByRole('menuitemradio', { name: /assistant/i }).click()
    await sendPrompt(page, 'Tell me when the build is done, and plan the review')
    const card = page.getByRole('group', { name: /^Approval needed: Calendar event/ })
    await expect(card).toContainText('2026-12-01 09:00 to 10:00 (Europe/Berlin)')
    await expect(card).toContainText('Every week, 4 times')
    await expect(card).toContainText('ada@example.org (listed, not invited)')
    await expect(card).toContainText('15 minutes before')
    await pictures(app, 'event-card')
    expect(await findings(page)).toEqual([])
    await card.getByRole('button', { name: /Allow/ }).first().click()

    const link = page.getByRole('group', { name: /^Approval needed: Open link/ })
    await expect(link).toContainText('https://example.org/release?version=2')
    await pictures(app, 'link-card')
    await link.getByRole('button', { name: /Allow/ }).first().click()
    await expect(transcriptText(page, 'All done.')).toBeVisible()
    await expect(page.getByRole('button', { name: /Open https:\/\/example.org/ })).toBeVisible()
    await pictures(app, 'handed-over')
    expect(await findings(page)).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the .ics file' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^2026-12-01-.*\.ics$/)
    expect(readFileSync(await download.path(), 'utf8')).toContain('RRULE:FREQ=WEEKLY;INTERVAL=1;COUNT=4')

    const unread = page.getByRole('button', { name: /^Notifications/ })
    await expect(unread).toContainText('1 unread')
    await unread.press('Enter')
    const list = page.getByRole('list', { name: 'Notifications' })
    await expect(list).toContainText('All 214 tests pass')
    await pictures(app, 'notifications')
    expect(await findings(page)).toEqual([])
    await list.getByRole('button', { name: 'Mark as read' }).press('Enter')
    await expect(list).not.toContainText('Unread')
    await page.getByRole('button', { name: 'Clear all' }).press('Enter')
    await expect(page.getByText('No notifications')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await expect(list).toContainText('Build done')
  })
})
