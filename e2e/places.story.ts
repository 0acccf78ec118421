import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasSshd, startSshLab, type SshLab } from '../test/support/place/ssh-lab'
import { runCli } from '../test/support/run-cli'
import { expect, test } from './app'
import { findings } from './assistive'
import { chooseInMenu, pictures, reload, sendPrompt, transcriptText } from './steps'

test.use({
  model: {
    script: [
      { toolCalls: [{ name: 'Write', input: { path: 'made.txt', content: 'made far away\n' } }] },
      { text: 'It is made.' },
      { text: 'Back again.' },
      { text: 'Here now.' },
    ],
  },
})
test.skip(!hasSshd, 'no ssh server is installed')
test.setTimeout(240_000)

let lab: SshLab
test.beforeAll(async () => {
  lab = await startSshLab()
  mkdirSync(join(lab.home, 'shop'))
  writeFileSync(join(lab.home, 'shop', 'notes.md'), 'one\n')
})
test.afterAll(async () => {
  spawnSync(lab.program, ['engine', 'stop'], { env: { ...process.env, HOME: lab.home, TRESTLE_HOME: '' } })
  await lab.close()
})

test('a machine is added and tested, runs a prompt, loses its connection and reconnects', async ({ app }) => {
  const { page, scratch } = app
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await page.getByRole('tab', { name: 'Places' }).click()
  await expect(page.getByText('No places yet')).toBeVisible()
  await pictures(app, 'places-empty')
  await page.getByRole('button', { name: 'Add a place' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a place' })
  await dialog.getByRole('textbox', { name: 'Host' }).fill('ada@no-such-host.invalid')
  await pictures(app, 'places-add')
  expect(await findings(page)).toEqual([])
  const kind = dialog.getByRole('combobox', { name: 'Kind' })
  await kind.selectOption('A Slurm cluster')
  await dialog.getByRole('textbox', { name: 'Cores' }).fill('many')
  await dialog.getByRole('textbox', { name: 'Memory' }).fill('32G')
  await expect(dialog.getByText('A number, such as 8.')).toBeVisible()
  await pictures(app, 'places-add-slurm')
  await kind.selectOption('A Kubernetes cluster')
  await dialog.getByText('More options').click()
  await dialog.getByRole('textbox', { name: 'Image' }).fill('ghcr.io/acme/tools:2')
  await expect(dialog.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('tools')
  await expect(dialog.getByText('An amount such as 16Gi.')).toBeHidden()
  await dialog.getByRole('textbox', { name: 'Pool' }).fill('warm')
  await expect(dialog.getByText('Name either an image or a pool.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Pool' }).fill('')
  await pictures(app, 'places-add-kubernetes')
  expect(await findings(page)).toEqual([])
  await kind.selectOption('A machine over ssh')
  await dialog.getByRole('textbox', { name: 'Host' }).fill('ada@no-such-host.invalid')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('attic')
  await dialog.getByRole('button', { name: 'Add and test' }).click()
  await expect(page.getByText(/There is no host named/).first()).toBeVisible({ timeout: 90_000 })
  await pictures(app, 'places-failed')
  await page.getByRole('button', { name: 'Remove attic' }).click()
  await expect(page.getByText('No places yet')).toBeVisible()

  // The test has its own ssh configuration instead of the user's, so this place is added from the command line.
  const options = ['--ssh-config', lab.configFile, '--program', lab.program, '--no-test']
  const added = await runCli(['place', 'add', 'ssh', 'lab', ...options], { home: scratch.home })
  expect(added.code, added.stderr).toBe(0)
  await reload(page)
  await page.getByRole('button', { name: 'Test lab' }).click()
  await expect(page.getByText(/The engine answers/)).toBeVisible({ timeout: 180_000 })
  await pictures(app, 'places-tested')
  expect(await findings(page)).toEqual([])

  await page.keyboard.press('Control+n')
  await page.getByRole('button', { name: /^Folder:/ }).click()
  await page.getByRole('menuitem', { name: 'On lab…' }).click()
  const browser = page.getByRole('dialog', { name: 'Choose a folder' })
  await browser.getByRole('option', { name: 'shop' }).click()
  await expect(browser.getByRole('button', { name: 'Open shop' })).toBeEnabled()
  await pictures(app, 'places-folder')
  await browser.getByRole('button', { name: 'Open shop' }).click()
  await pictures(app, 'places-new')
  await page.getByRole('button', { name: /Start session/ }).click()
  await sendPrompt(page, 'Make a file')
  await page.getByRole('button', { name: /Allow once/ }).click()
  await expect(transcriptText(page, 'It is made.')).toBeVisible()
  await expect(page.getByRole('treeitem', { name: /Make a file/ })).toBeVisible()
  await pictures(app, 'places-session')
  expect(await findings(page)).toEqual([])

  // The place is connected, and its sessions can be found.
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await page.getByRole('tab', { name: 'Places' }).click()
  await pictures(app, 'places-connected')
  expect(await findings(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Search sessions and messages' }).fill('It is made')
  await expect(page.getByRole('treeitem', { name: /lab/ }).filter({ hasText: 'It is made.' })).toBeVisible()
  await pictures(app, 'places-found')
  await page.getByRole('textbox', { name: 'Search sessions and messages' }).fill('')
  await page.getByRole('treeitem', { name: /Make a file/ }).click()

  await lab.stop()
  lab.cut()
  await expect(page.getByText(/lab: unreachable since/)).toBeVisible()
  await pictures(app, 'places-unreachable')
  expect(await findings(page)).toEqual([])
  await lab.start()
  await expect(page.getByText(/lab: unreachable since/)).toBeHidden({ timeout: 60_000 })
  await sendPrompt(page, 'And now?')
  await expect(transcriptText(page, 'Back again.')).toBeVisible()

  // The session moves to this machine, and continues here.
  await chooseInMenu(page.getByRole('treeitem', { name: /Make a file/ }), 'Move to…')
  const move = page.getByRole('dialog', { name: 'Move to…' })
  await expect(move.getByRole('combobox', { name: 'To' })).toHaveText(/This machine/)
  await pictures(app, 'places-move')
  expect(await findings(page)).toEqual([])
  await move.getByRole('textbox', { name: 'Folder here' }).fill(join(scratch.project, 'moved'))
  await move.getByRole('button', { name: 'Move' }).click()
  await expect(page.getByText('The session continues on this machine.')).toBeVisible({ timeout: 60_000 })
  // The page may still be connecting to the session at its new place; until then, Enter sends nothing.
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  await message.fill('Still there?')
  await expect(async () => {
    await message.press('Enter')
    await expect(message).toHaveValue('', { timeout: 1000 })
  }).toPass()
  await expect(transcriptText(page, 'Here now.')).toBeVisible()
  await pictures(app, 'places-moved')
})
