import { expect, test } from './app'
import { findings } from './assistive'
import { pictures, startSession, transcriptText } from './steps'

const bash = (command: string) => ({ toolCalls: [{ name: 'Bash', input: { command } }] })

test.use({
  config: { more: '[features]\nscheduling = true' },
  model: {
    script: [bash('echo checked > checked.txt'), { text: 'Two packages are outdated.' }, { text: 'Nothing new.' }],
  },
})

test('a schedule runs when it is due, waits in the inbox, and is answered, all by keyboard', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.getByRole('button', { name: 'Schedules', exact: true }).press('Enter')
  await expect(page.getByText('No schedules yet')).toBeVisible()
  await pictures(app, 'schedules-empty')
  expect(await findings(page)).toEqual([])

  await page.getByRole('button', { name: 'New schedule' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'New schedule' })
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('Dependency check')
  await form.getByRole('textbox', { name: 'When' }).fill('at some point')
  await expect(form.getByRole('alert')).toContainText('is not a time')
  await form.getByRole('textbox', { name: 'When' }).fill('weekdays at 2:00')
  await expect(form).toContainText('Every weekday at 02:00')
  await form.getByRole('textbox', { name: 'Prompt' }).fill('Check for outdated dependencies.')
  await form.getByRole('combobox', { name: 'Folder' }).selectOption({ index: 1 })
  await pictures(app, 'schedules-form')
  expect(await findings(page)).toEqual([])
  // Neither Escape nor a click outside the form discards the typed text.
  await page.keyboard.press('Escape')
  await expect(form.getByRole('alert')).toContainText('Discard what you typed?')
  await expect(form.getByRole('button', { name: 'Keep editing' })).toBeFocused()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(form.getByRole('textbox', { name: 'Prompt' })).toBeFocused()
  await page.mouse.click(5, 5)
  await form.getByRole('button', { name: 'Keep editing' }).press('Enter')
  await expect(form.getByRole('textbox', { name: 'Prompt' })).toHaveValue('Check for outdated dependencies.')
  await form.getByRole('combobox', { name: 'Runs' }).selectOption('When mail arrives')
  await expect(form.getByRole('textbox', { name: 'When' })).toBeHidden()
  await form.getByRole('textbox', { name: 'From' }).fill('ci@example.com')
  await expect(form).toContainText('No mail account is set up')
  await pictures(app, 'schedules-mail-form')
  expect(await findings(page)).toEqual([])
  await form.getByRole('combobox', { name: 'Runs' }).selectOption('At set times')
  // Soon, so that the story does not wait for the night.
  let aheadMs = 2000
  await expect(async () => {
    const when = `${new Date(Date.now() + aheadMs).toISOString().slice(0, 19)}Z`
    // Try a later time if the machine is so busy that this one has passed.
    aheadMs *= 2
    if (await form.isVisible()) {
      await form.getByRole('textbox', { name: 'When' }).fill(when, { timeout: 5000 })
      await form.getByRole('textbox', { name: 'Name' }).press('Enter', { timeout: 5000 })
    }
    await expect(form).toBeHidden({ timeout: 5000 })
  }).toPass()
  const list = page.getByRole('list', { name: 'Schedules' })
  await expect(list).toContainText('Dependency check')
  await expect(list).toContainText('Needs you')
  await pictures(app, 'schedules-waiting')
  expect(await findings(page)).toEqual([])

  await page.getByRole('button', { name: /^Inbox/ }).press('Enter')
  await expect(page.getByText('echo checked > checked.txt').first()).toBeVisible()
  const card = page.getByRole('group', { name: /^Approval needed: Bash echo checked/ })
  await expect(card.getByRole('button', { name: /^(?:Allow once|Run in sandbox)/ })).toBeEnabled()
  // A key soon after another one counts as typing and is ignored: press it again.
  await expect(async () => {
    if (await card.isVisible()) await page.keyboard.press('1')
    await expect(card).toBeHidden({ timeout: 1000 })
  }).toPass()

  await page.getByRole('button', { name: 'Schedules', exact: true }).press('Enter')
  await expect(list).toContainText('Done')
  await expect(list).toContainText('No further run')
  await list.getByRole('button', { name: /^Dependency check/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Dependency check' })
  await expect(dialog).toContainText('Two packages are outdated.')
  await pictures(app, 'schedules-history')
  expect(await findings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Open session' }).press('Enter')
  await expect(transcriptText(page, 'Two packages are outdated.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Scheduled by Dependency check' })).toBeVisible()
  await expect(page.getByRole('treeitem', { name: /Dependency check.*run by a schedule/ })).toBeVisible()
  await pictures(app, 'schedules-session')
  expect(await findings(page)).toEqual([])
})

test('a schedule is run now, changed, paused, shown in the week, deleted and restored, by keyboard', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Schedules', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'New schedule' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'New schedule' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Watch')
  await form.getByRole('textbox', { name: 'When' }).fill('every 2 h')
  await form.getByRole('textbox', { name: 'Prompt' }).fill('Has anything changed?')
  await form.getByRole('switch', { name: 'Heartbeat' }).press('Space')
  await form.getByRole('textbox', { name: /Quiet hours/ }).fill('22:00-07:00')
  await form.getByRole('button', { name: 'Create' }).press('Enter')
  const list = page.getByRole('list', { name: 'Schedules' })
  await expect(list).toContainText('Every 2 hours · heartbeat')

  await list.getByRole('button', { name: 'Pause Watch' }).press('Enter')
  await expect(list).toContainText('Paused')
  await list.getByRole('button', { name: 'Resume Watch' }).press('Enter')
  await list.getByRole('button', { name: 'Run now: Watch' }).press('Enter')
  await expect(list).toContainText('Needs you')

  await list.getByRole('button', { name: /^Watch/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Watch' })
  await dialog.getByRole('textbox', { name: 'When' }).fill('every day at 6:00')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await page.getByRole('button', { name: 'Week' }).press('Enter')
  const week = page.getByRole('list', { name: 'The next seven days' })
  await expect(week).toContainText('No runs')
  await page.getByRole('button', { name: 'Schedules', exact: true }).last().press('Enter')
  await list.getByRole('button', { name: /^Watch/ }).press('Enter')
  await dialog.getByRole('textbox', { name: /Quiet hours/ }).fill('')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await page.getByRole('button', { name: 'Week' }).press('Enter')
  await expect(week.getByRole('button', { name: /Watch/ }).first()).toBeVisible()
  await pictures(app, 'schedules-week')
  expect(await findings(page)).toEqual([])

  await week.getByRole('button', { name: /Watch/ }).first().press('Enter')
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await expect(page.getByText('No schedules yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(week).toContainText('Watch')
})

test('the week shows every day of a schedule that runs often, and a corrected time is no longer refused', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Schedules', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'New schedule' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'New schedule' })
  await form.getByRole('textbox', { name: 'Name' }).fill('Often')
  await form.getByRole('textbox', { name: 'Prompt' }).fill('Has anything changed?')
  await form.getByRole('textbox', { name: 'When' }).fill('every sometimes')
  await form.getByRole('button', { name: 'Create' }).press('Enter')
  await expect(form.getByText('The time is not valid')).toBeVisible()
  await form.getByRole('textbox', { name: 'When' }).fill('every 10 min')
  await expect(form.getByText('The time is not valid')).toBeHidden()
  await form.getByRole('button', { name: 'Create' }).press('Enter')
  await expect(page.getByRole('list', { name: 'Schedules' })).toContainText('Every 10 minutes')
  await page.getByRole('button', { name: 'Week' }).press('Enter')
  const week = page.getByRole('list', { name: 'The next seven days' })
  // 144, or an hour more or less when the clocks change.
  for (const day of [1, 3, 6])
    await expect(
      week
        .locator('> li')
        .nth(day)
        .getByRole('button', { name: /^1[345]\d times.*Often/ }),
    ).toBeVisible()
})
