import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { findings } from './assistive'
import { expect, test, type App } from './app'
import { chooseInMenu, pictures, reload, sendPrompt, startSession, transcriptText } from './steps'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The file pane beside the conversation. */
const pane = (page: Page): Locator => page.getByRole('region', { name: /^File / })

async function openTree({ page }: App): Promise<Locator> {
  await page.keyboard.press('ControlOrMeta+Shift+E')
  const tree = page.getByRole('tree', { name: 'Project files' })
  await expect(tree.getByRole('treeitem', { name: 'README.md' })).toBeVisible()
  return tree
}

/** Expects no violations in either theme. */
async function expectAccessible({ page }: App): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await findings(page)).toEqual([])
  }
}

test.describe('the file tree', () => {
  test.use({
    files: {
      'README.md': '# A project\n\nSee [the app](src/app.ts) and ![the dot](docs/dot.png).\n',
      'src/app.ts': 'export function one() {\n  return 1\n}\n\nexport class Two {\n  three() {\n    return 3\n  }\n}\n',
      'src/deep/er/inner.ts': 'inner\n',
      '.gitignore': 'dist/\n',
      'dist/out.js': 'out\n',
      '.env': 'KEY=secret\n',
    },
    model: {
      script: [
        { toolCalls: [{ name: 'Write', input: { path: 'src/new.ts', content: 'new\n' } }] },
        { text: 'Written.' },
        { text: 'Read.' },
      ],
    },
    config: { more: 'default_permission_mode = "auto"' },
  })

  test('opens by keyboard, marks ignored and changed files, and mentions files', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'write it')
    await expect(page.getByText('Written.').first()).toBeVisible()
    const tree = await openTree(app)
    await expect(tree.getByRole('treeitem', { name: 'dist (ignored)' })).toBeVisible()
    await expect(tree.getByRole('treeitem', { name: '.env', exact: true })).toHaveAttribute('aria-disabled', 'true')
    await expect(tree.getByRole('treeitem', { name: 'src (changed)' })).toBeVisible()
    await tree.focus()
    await page.keyboard.type('src')
    await page.keyboard.press('ArrowRight')
    await expect(tree.getByRole('treeitem', { name: 'new.ts (changed)' })).toBeVisible()
    await expect(tree.getByRole('treeitem', { name: 'app.ts', exact: true })).toHaveAttribute('aria-level', '2')
    await expectAccessible(app)
    await pictures(app, 'file-tree')
    await page.keyboard.type('app')
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Mention in the message' }).press('Enter')
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue(/@src\/app\.ts /)
    await tree.focus()
    await page.keyboard.press('Enter')
    await expect(pane(page).getByRole('heading', { name: 'src/app.ts' })).toBeVisible()
  })

  test('filters the whole project while the user types', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await openTree(app)
    const filter = page.getByRole('combobox', { name: 'Filter files' })
    await filter.fill('inner')
    const result = page.getByRole('option', { name: 'src/deep/er/inner.ts' })
    await expect(result).toHaveAttribute('aria-selected', 'true')
    await expectAccessible(app)
    await pictures(app, 'file-filter')
    await filter.press('Enter')
    await expect(pane(page).getByRole('heading', { name: 'src/deep/er/inner.ts' })).toBeVisible()
  })

  test('shows the marks of git as they change, and renames a folder by keyboard', async ({ app }) => {
    const { page, scratch } = app
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: scratch.project })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'first')
    appendFileSync(join(scratch.project, 'src/app.ts'), '// more\n')
    writeFileSync(join(scratch.project, 'fresh.txt'), 'fresh\n')
    await startSession(app)
    const tree = await openTree(app)
    await expect(tree.getByRole('treeitem', { name: 'fresh.txt (untracked)' })).toBeVisible()
    const folder = tree.getByRole('treeitem', { name: 'src (modified files inside)' })
    await expect(folder).toBeVisible()
    await expectAccessible(app)
    // Another program changes the repository.
    git('add', 'fresh.txt')
    await expect(tree.getByRole('treeitem', { name: 'fresh.txt (added)' })).toBeVisible()

    await tree.focus()
    await page.keyboard.type('src')
    await page.keyboard.press('F2')
    const name = page.getByRole('textbox', { name: 'Name of the folder' })
    await name.fill('lib')
    await page.keyboard.press('Enter')
    await expect(tree.getByRole('treeitem', { name: /^lib/ })).toBeVisible()
    expect(readFileSync(join(scratch.project, 'lib/deep/er/inner.ts'), 'utf8')).toBe('inner\n')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect(tree.getByRole('treeitem', { name: /^src/ })).toBeVisible()
    expect(readFileSync(join(scratch.project, 'src/deep/er/inner.ts'), 'utf8')).toBe('inner\n')
    await pictures(app, 'file-marks')
  })

  test('creates, renames and deletes files, and undoes each', async ({ app }) => {
    const { page, scratch } = app
    await startSession(app)
    const tree = await openTree(app)
    await page.getByRole('button', { name: 'New file' }).click()
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('folder/')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText(/Enter a file name/)
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('notes.txt')
    await expectAccessible(app)
    await page.keyboard.press('Enter')
    await expect(pane(page).getByText('The file is empty.')).toBeVisible()
    await page.getByRole('tab', { name: 'Files' }).click()
    const made = tree.getByRole('treeitem', { name: /notes\.txt/ })
    await chooseInMenu(made, 'Rename…')
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('kept.txt')
    await page.keyboard.press('Enter')
    const kept = tree.getByRole('treeitem', { name: /kept\.txt/ })
    await expect(kept).toBeVisible()
    writeFileSync(join(scratch.project, 'kept.txt'), 'precious')
    await chooseInMenu(kept, 'Delete')
    await expect(kept).toBeHidden()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect(kept).toBeVisible()
    expect(readFileSync(join(scratch.project, 'kept.txt'), 'utf8')).toBe('precious')
  })
})

test.describe('the viewer', () => {
  test.use({
    files: {
      'README.md': '# A project\n\nSee [the app](../src/app.ts).\n',
      'docs/guide.md':
        '# Guide\n\nSee [the app](../src/app.ts) and ![the dot](dot.png).\n\n<script>alert(1)</script>\n',
      'docs/dot.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>alert(1)</script><rect ' +
        'width="40" height="40"/></svg>',
      'src/app.ts':
        `${Array.from({ length: 300 }, (_, n) => `const line${n + 1} = 'needle ${n + 1}'`).join('\n')}\n\n` +
        'export function last() {\n  return 1\n}\n',
      'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
      'data.bin': '\0\u0001\u0002',
    },
    model: { script: [{ text: 'See docs/guide.md and src/app.ts.' }] },
  })

  test('searches the whole file and goes to lines and symbols, by keyboard alone', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await sendPrompt(page, 'where?')
    await page.locator('.answer').getByRole('button', { name: 'src/app.ts' }).press('Enter')
    const lines = pane(page).getByRole('group', { name: 'Lines of src/app.ts' })
    await expect(lines).toContainText("const line1 = 'needle 1'")
    await lines.focus()
    await page.keyboard.press('ControlOrMeta+F')
    const find = page.getByRole('search', { name: 'This file' })
    await page.keyboard.type('needle')
    await expect(find.getByRole('status')).toHaveText('300 matches')
    await page.keyboard.press('Shift+Enter')
    await expect(find.getByRole('status')).toHaveText('300 of 300')
    await expect(lines.locator('mark[data-current]')).toBeInViewport()
    await expect(lines).toContainText("'needle 300'")
    await find.getByRole('textbox').fill('needle (9|10)\\b')
    await find.getByRole('button', { name: 'Regular expression' }).press('Space')
    await expect(find.getByRole('status')).toHaveText('2 matches')
    await expectAccessible(app)
    await pictures(app, 'file-find')
    await find.getByRole('textbox').press('Escape')
    await expect(find).toBeHidden()
    await page.keyboard.press('ControlOrMeta+G')
    await page.keyboard.type('150')
    await page.keyboard.press('Enter')
    await expect(lines.locator('[data-marked]')).toHaveText(/needle 150/)
    await page.keyboard.press('ControlOrMeta+Shift+O')
    await page.keyboard.type('last')
    await expect(page.getByRole('option', { name: /last/ })).toBeVisible()
    await expectAccessible(app)
    await page.keyboard.press('Enter')
    await expect(lines.locator('[data-marked]')).toHaveText(/export function last/)
    await page.keyboard.press('ControlOrMeta+F')
    await expect(find.getByRole('textbox')).toBeFocused()
    // Panes are tabs at this width.
    await page.setViewportSize({ width: 500, height: 800 })
    await page.getByRole('tab', { name: 'Conversation' }).click()
    await expect(find).toBeHidden()
    await page.getByRole('tab', { name: 'app.ts' }).click()
    await expect(find).toBeVisible()
    await expect(page.getByRole('tab', { name: 'app.ts' })).toBeFocused()
  })

  test('shows Markdown, images and bytes, and runs nothing', async ({ app }) => {
    const { page, scratch } = app
    writeFileSync(join(scratch.project, 'docs/dot.png'), PNG)
    writeFileSync(join(scratch.project, 'data.bin'), Buffer.from([0, 1, 2, 65, 255]))
    let dialogs = 0
    page.on('dialog', (dialog) => {
      dialogs += 1
      void dialog.dismiss()
    })
    await startSession(app)
    await sendPrompt(page, 'where?')
    await page.locator('.answer').getByRole('button', { name: 'docs/guide.md' }).click()
    await expect(pane(page).getByRole('heading', { name: 'Guide', exact: true })).toBeVisible()
    await expect(pane(page).getByRole('img', { name: 'the dot' })).toBeVisible()
    await expectAccessible(app)
    await pictures(app, 'file-markdown')
    await pane(page).getByRole('button', { name: 'Source' }).click()
    await expect(pane(page).getByText('# Guide')).toBeVisible()
    await pane(page).getByRole('button', { name: 'Rendered' }).click()
    await pane(page).getByRole('button', { name: 'the app' }).click()
    await expect(pane(page).getByRole('heading', { name: 'src/app.ts' })).toBeVisible()
    const tree = await openTree(app)
    await tree.getByRole('treeitem', { name: 'data.bin' }).click()
    await expect(pane(page).getByRole('group', { name: /Bytes of data\.bin/ })).toContainText('00 01 02 41 ff')
    await page.getByRole('tab', { name: 'Files' }).click()
    await tree.getByRole('treeitem', { name: 'docs' }).click()
    await tree.getByRole('treeitem', { name: 'dot.svg' }).click()
    await expect(pane(page).getByRole('img', { name: 'dot.svg' })).toBeVisible()
    await page.getByRole('tab', { name: 'Files' }).click()
    await tree.getByRole('treeitem', { name: 'dot.png' }).click()
    await expect(pane(page).getByRole('img', { name: 'dot.png' })).toBeVisible()
    await expect(pane(page).getByText('1 × 1 pixels')).toBeVisible()
    expect(dialogs).toBe(0)
  })

  test('follows a file that changes on disk, and says when it is deleted', async ({ app }) => {
    const { page, scratch } = app
    await startSession(app)
    const tree = await openTree(app)
    await tree.getByRole('treeitem', { name: 'crlf.txt' }).click()
    const lines = pane(page).getByRole('group', { name: 'Lines of crlf.txt' })
    await expect(lines).toContainText('three')
    appendFileSync(join(scratch.project, 'crlf.txt'), 'four\r\n')
    await expect(lines).toContainText('four')
  })
})

/** Opens crlf.txt in the editor. */
async function edit(app: App): Promise<Locator> {
  const tree = await openTree(app)
  await tree.getByRole('treeitem', { name: 'crlf.txt' }).click()
  await pane(app.page).getByRole('button', { name: 'Edit' }).click()
  const field = pane(app.page).getByRole('textbox', { name: /Edit crlf\.txt/ })
  await expect(field).toBeFocused()
  return field
}

test.describe('editing in the viewer', () => {
  test.use({
    files: { 'README.md': '# A project\n', 'crlf.txt': 'one\r\ntwo\r\n' },
    model: {
      script: [
        { toolCalls: [{ name: 'Read', input: { path: 'crlf.txt' } }] },
        { text: 'Read it.' },
        { toolCalls: [{ name: 'Edit', input: { path: 'crlf.txt', old_string: 'one', new_string: 'agent' } }] },
        { text: 'Done.' },
      ],
    },
  })

  test('saves with the line endings of the file, and can be undone', async ({ app }) => {
    const { page, scratch } = app
    const file = join(scratch.project, 'crlf.txt')
    await startSession(app)
    await edit(app)
    await page.keyboard.type('zero\n')
    await expect(pane(page).getByText('Unsaved changes, kept as a draft')).toBeVisible()
    await expectAccessible(app)
    await pictures(app, 'file-edit')
    await page.keyboard.press('ControlOrMeta+S')
    await expect(pane(page).getByText('No unsaved changes')).toBeVisible()
    expect(readFileSync(file, 'utf8')).toBe('zero\r\none\r\ntwo\r\n')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('one\r\ntwo\r\n')
  })

  test('keeps an unsaved edit when the tab is closed and the page is reloaded', async ({ app }) => {
    const { page, scratch } = app
    await startSession(app)
    await edit(app)
    await page.keyboard.type('draft ')
    await page.getByRole('button', { name: 'Close crlf.txt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save your changes?' })
    await expect(dialog).toBeVisible()
    await expectAccessible(app)
    await dialog.getByRole('button', { name: 'Keep as a draft' }).click()
    await expect(page.getByRole('tab', { name: 'crlf.txt' })).toBeHidden()
    await reload(page)
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
    const tree = await openTree(app)
    await tree.getByRole('treeitem', { name: 'crlf.txt' }).click()
    await expect(pane(page).getByText('draft one')).toBeVisible()
    expect(readFileSync(join(scratch.project, 'crlf.txt'), 'utf8')).toBe('one\r\ntwo\r\n')
  })

  test('keeps an unsaved edit and its undo history behind another tab', async ({ app }) => {
    const { page } = app
    await startSession(app)
    const field = await edit(app)
    await page.keyboard.type('draft ')
    // Panes are tabs at this width.
    await page.setViewportSize({ width: 500, height: 800 })
    await page.getByRole('tab', { name: 'Conversation' }).click()
    await expect(field).toBeHidden()
    await page.getByRole('tab', { name: 'crlf.txt' }).click()
    await expect(field).toContainText('draft one')
    await expect(page.getByRole('tab', { name: 'crlf.txt' })).toBeFocused()
    await field.focus()
    await page.keyboard.press('End')
    await page.keyboard.type(' kept')
    await expect(field).toContainText('draft one kept')
    // What was typed slowly is undone in several steps.
    await expect(async () => {
      await page.keyboard.press('ControlOrMeta+Z')
      await expect(field).not.toContainText('draft', { timeout: 500 })
    }).toPass()
  })

  test('never overwrites a file that has changed unless the user chooses to', async ({ app }) => {
    const { page, scratch } = app
    const file = join(scratch.project, 'crlf.txt')
    await startSession(app)
    await edit(app)
    await page.keyboard.type('mine ')
    writeFileSync(file, 'theirs\r\n')
    const note = page.getByRole('alert').filter({ hasText: 'changed on disk' })
    await expect(note).toBeVisible()
    await page.keyboard.press('ControlOrMeta+S')
    expect(readFileSync(file, 'utf8')).toBe('theirs\r\n')
    await note.getByRole('button', { name: 'Compare' }).click()
    const compared = page.getByRole('dialog', { name: 'Your changes' })
    await expect(compared).toContainText('mine one')
    await expectAccessible(app)
    await page.keyboard.press('Escape')
    await note.getByRole('button', { name: 'Overwrite with mine' }).click()
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('mine one\r\ntwo\r\n')
  })
})

test.describe('attaching files', () => {
  test.use({
    files: { 'README.md': '# A project\n' },
    model: {
      script: [{ text: 'Got it.' }, { text: 'Read it.' }],
    },
  })

  test('accepts any file: short texts are sent, others are stored where the agent can read them', async ({ app }) => {
    const { page } = app
    await startSession(app)
    await page.getByLabel('Attachments', { exact: true }).setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('remember the milk\n') },
      { name: 'data.zip', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004\0', 'latin1') },
    ])
    const attached = page.getByRole('list', { name: 'Attachments' })
    await expect(attached.getByRole('listitem')).toHaveCount(2)
    await expectAccessible(app)
    await pictures(app, 'file-attached')
    await sendPrompt(page, 'what is this?')
    await expect(transcriptText(page, 'Got it.')).toBeVisible()
    const sent = JSON.stringify(app.server.requests.at(0)?.body)
    expect(sent).toContain('remember the milk')
    expect(sent).toContain('Attached file data.zip (ZIP archive')
    await page.getByRole('button', { name: 'notes.txt' }).click()
    await expect(pane(page)).toContainText('remember the milk')
    await expect(page.getByText('what is this?').first()).toBeVisible()
    await expect(page.locator('.you-text')).toHaveText('what is this?')
  })
})
