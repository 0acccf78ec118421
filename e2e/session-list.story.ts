import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test, type App } from './app'
import { findingsInBothThemes } from './assistive'
import { chooseInMenu, openAt, pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const row = (page: Page, name: RegExp) => page.getByRole('treeitem', { name })

/** Sessions named by their prompts, each with an answer. */
async function sessions(app: App, names: readonly string[]): Promise<void> {
  const { page } = app
  await startSession(app)
  for (const [index, name] of names.entries()) {
    if (index > 0) {
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('/clear')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { name: 'What would you like to do?' })).toBeVisible()
    }
    await sendPrompt(page, name)
    await expect(transcriptText(page, `Answer ${index + 1}.`)).toBeVisible()
    await expect(page.getByRole('button', { name: /^Stop/ })).toBeHidden()
  }
}

test.describe('the list of sessions', () => {
  test.use({ model: { script: (_request, index) => ({ text: `Answer ${index + 1}.` }) } })

  test('selects several by keyboard, archives and deletes them, and undoes both', async ({ app }) => {
    const { page } = app
    await sessions(app, ['apples', 'pears', 'plums'])
    await row(page, /plums/).focus()
    await page.keyboard.press('Shift+ArrowDown')
    const bar = page.getByRole('toolbar', { name: 'Selected sessions' })
    await expect(bar).toContainText('2 selected')
    await expect(row(page, /plums/)).toBeChecked()
    await expect(row(page, /pears/)).toBeChecked()
    await expect(row(page, /apples/)).not.toBeChecked()
    expect(await findingsInBothThemes(page)).toEqual([])
    await pictures(app, 'selected-sessions')
    await bar.getByRole('button', { name: 'Archive' }).press('Enter')
    await expect(row(page, /plums/)).toHaveCount(0)
    await expect(page.getByText('2 sessions archived')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
    await expect(row(page, /plums/)).toHaveCount(1)
    await expect(bar).toHaveCount(0)

    await row(page, /apples/).focus()
    await page.keyboard.press('Control+Space')
    await expect(bar).toContainText('1 selected')
    await bar.getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(row(page, /apples/)).toHaveCount(0)
    await expect(page.getByText('1 session deleted')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
    await expect(row(page, /apples/)).toHaveCount(1)

    await row(page, /apples/).focus()
    await page.keyboard.press('Control+Space')
    await page.keyboard.press('Control+a')
    await expect(bar).toContainText('3 selected')
    await page.keyboard.press('Escape')
    await expect(bar).toHaveCount(0)

    // Archives a whole project at once, and restores the sessions from the archive.
    await chooseInMenu(row(page, /^project/), 'Select all sessions')
    await expect(bar).toContainText('3 selected')
    await bar.getByRole('button', { name: 'Archive' }).press('Enter')
    await expect(page.getByText('3 sessions archived')).toBeVisible()
    await row(page, /^Archived/).press('Enter')
    await row(page, /apples/).focus()
    await page.keyboard.press('Control+a')
    await bar.getByRole('button', { name: 'Restore' }).press('Enter')
    await expect(page.getByText('3 sessions restored')).toBeVisible()
    await expect(row(page, /^project/)).toHaveCount(1)
  })

  test('is grouped by day on request, also after a restart', async ({ app }) => {
    const { page } = app
    await sessions(app, ['apples', 'pears'])
    await page.getByRole('button', { name: 'Session list options' }).press('Enter')
    await page.getByRole('menuitemradio', { name: 'Day' }).press('Enter')
    const tree = page.getByRole('tree', { name: 'Sessions' })
    await expect(tree).toContainText('Today')
    await expect(row(page, /^project/)).toHaveCount(0)
    expect(await findingsInBothThemes(page)).toEqual([])
    await pictures(app, 'grouped-by-day')
    await reload(page)
    await expect(page.getByRole('tree', { name: 'Sessions' })).toContainText('Today')
  })

  test('exports a session as Markdown and imports its JSON as a new session, marked as imported', async ({ app }) => {
    const { page } = app
    await sessions(app, ['apples'])
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    const saved = async (how: () => Promise<void>): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([page.waitForEvent('download'), how()])
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
    }
    const markdown = await saved(async () => {
      await field.fill('/export')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Enter')
    })
    expect(markdown.name).toBe('apples.md')
    expect(markdown.text).toContain('## You\n\napples\n\n## Agent\n\nAnswer 1.')

    const json = await saved(async () => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('export')
      await page.keyboard.press('Enter')
      await page.keyboard.type('json')
      await page.keyboard.press('Enter')
    })
    expect(json.name).toBe('apples.json')

    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Session list options' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Import a session…' }).press('Enter')
    await (await chooser).setFiles({ name: json.name, mimeType: 'application/json', buffer: Buffer.from(json.text) })
    await expect(page.getByText('Session imported')).toBeVisible()
    await expect(page.getByText('Imported', { exact: true })).toBeVisible()
    await expect(transcriptText(page, 'Answer 1.')).toBeVisible()
    await page.getByRole('button', { name: 'Use its project folder' }).press('Enter')
    await expect(row(page, /apples/)).toHaveCount(2)

    const second = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Session list options' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Import a session…' }).press('Enter')
    await (await second).setFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('{"a":1}') })
    await expect(page.getByText(/not a session exported by Trestle/)).toBeVisible()
    await expect(row(page, /apples/)).toHaveCount(2)
  })

  test('renames by command, and a moved folder is chosen again', async ({ app }) => {
    const { page } = app
    await sessions(app, ['apples'])
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill('/rename Fruit of the garden')
    await page.keyboard.press('Enter')
    await expect(row(page, /Fruit of the garden/)).toHaveCount(1)

    const moved = join(app.scratch.project, '..', 'moved')
    renameSync(app.scratch.project, moved)
    await reload(page)
    await expect(page.getByText(/no longer exists/)).toBeVisible()
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Choose where it is now…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Where is project now?' })
    expect(await findingsInBothThemes(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Path' }).fill(moved)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Open moved' }).press('Enter')
    await expect(page.getByText('The session is in moved now')).toBeVisible()
    await expect(page.getByText(/no longer exists/)).toHaveCount(0)
    await sendPrompt(page, 'and now?')
    await expect(transcriptText(page, 'Answer 2.')).toBeVisible()
    renameSync(moved, app.scratch.project)
  })

  test('has one row for sessions started without a message, and another after a message is sent', async ({ app }) => {
    const { page } = app
    const untouched = row(page, /New session/).and(page.getByRole('treeitem', { level: 2 }))
    await startSession(app)
    const first = page.url()
    await startSession(app)
    await expect(page).toHaveURL(first)
    await expect(untouched).toHaveCount(1)
    await sendPrompt(page, 'apples')
    await expect(transcriptText(page, 'Answer 1.')).toBeVisible()
    await startSession(app)
    await expect(page).not.toHaveURL(first)
    await expect(untouched).toHaveCount(1)
    await expect(row(page, /apples/)).toBeVisible()
  })

  test('a new session never starts in a folder that no longer exists', async ({ app }) => {
    const { page, scratch } = app
    await sessions(app, ['apples'])
    const missingFolder = `${scratch.project}-gone`
    mkdirSync(missingFolder)
    await openAt(page, `/new?${new URLSearchParams({ folder: missingFolder }).toString()}`)
    await page.getByRole('button', { name: /Start session/ }).click()
    await sendPrompt(page, 'pears')
    await expect(row(page, /pears/)).toHaveCount(1)
    rmSync(missingFolder, { recursive: true })
    await reload(page)
    await page.getByRole('button', { name: 'New session', exact: true }).click()
    // The folder of the last session is skipped.
    await expect(page.getByRole('button', { name: 'Folder: project', exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: /Start session/ })).toBeEnabled()
    // A missing folder that was requested is named, and no session starts.
    await openAt(page, `/new?${new URLSearchParams({ folder: missingFolder }).toString()}`)
    await expect(page.getByText(`The folder ${missingFolder} no longer exists.`)).toBeVisible()
    await expect(page.getByRole('button', { name: /Start session/ })).toBeDisabled()
    await pictures(app, 'new-session-folder-gone')
    expect(await findingsInBothThemes(page)).toEqual([])
  })
})

test.describe('a session that finishes', () => {
  const finish = Promise.withResolvers<void>()
  test.use({
    model: {
      script: async (_request, index) => {
        if (index === 2) await finish.promise
        return { text: `Answer ${index + 1}.` }
      },
    },
  })

  test('while another one is shown is announced, and marked until it is read', async ({ app }) => {
    const { page } = app
    await sessions(app, ['apples', 'pears'])
    await row(page, /apples/).press('Enter')
    await sendPrompt(page, 'once more')
    await row(page, /pears/).press('Enter')
    await expect(page.getByRole('heading', { name: /^pears/ })).toBeVisible()
    finish.resolve()
    await expect(page.getByText('apples has finished')).toBeVisible()
    await expect(row(page, /apples ?, unread/)).toBeVisible()
    await page.getByRole('button', { name: 'Show', exact: true }).press('Enter')
    await expect(row(page, /apples ?, unread/)).toHaveCount(0)
  })
})
