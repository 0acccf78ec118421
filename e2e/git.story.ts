import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Locator } from '@playwright/test'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, startSession } from './steps'

const LINES = Array.from({ length: 30 }, (_, n) => `const line${n} = ${n}`)
const source = (changes: Record<number, string> = {}): string =>
  `${LINES.map((line, n) => changes[n] ?? line).join('\n')}\n`

test.use({
  files: { 'src/app.ts': source(), 'README.md': '# Shop\n', 'notes.txt': 'notes\n' },
  model: { script: [{ text: 'app: price in cents' }, { text: 'app: price in cents' }] },
})

function git({ scratch }: App, ...args: string[]): string {
  return execFileSync('git', ['-C', scratch.project, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
}

function write({ scratch }: App, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch.project, path)), { recursive: true })
    writeFileSync(join(scratch.project, path), text)
  }
}

function begin(app: App): void {
  git(app, 'init', '-q', '-b', 'main')
  git(app, 'config', 'user.name', 'Ada')
  git(app, 'config', 'user.email', 'ada@example.com')
  git(app, 'add', '-A')
  git(app, 'commit', '-qm', 'first')
}

/** Opens the git pane by keyboard. */
async function openGit(app: App): Promise<Locator> {
  await startSession(app)
  await app.page.getByRole('button', { name: /^Git: / }).press('Enter')
  return app.page.getByRole('tabpanel', { name: 'Git' })
}

/** Takes screenshots of the pane, and expects no violations in either theme. */
async function look(app: App, name: string): Promise<void> {
  await pictures(app, name)
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.page.emulateMedia({ colorScheme })
    expect(await findings(app.page)).toEqual([])
  }
}

test('a hunk is staged, and a message drafted and committed, all by keyboard', async ({ app }) => {
  const { page } = app
  begin(app)
  write(app, {
    'src/app.ts': source({ 2: 'const price = 250', 25: 'const unrelated = true' }),
    'notes.txt': 'scribbles\n',
    'new file.txt': 'new\n',
  })
  const pane = await openGit(app)
  await expect(page.getByRole('button', { name: 'Git: branch main, 3 files changed' })).toBeVisible()
  await expect(pane.getByRole('list', { name: 'Changes' })).toContainText('app.ts')
  for (const width of [400, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expect(pane.getByRole('list', { name: 'Changes' }).getByRole('listitem')).toHaveCount(4)
    await expect(page.getByRole('button', { name: 'Maximize' })).toHaveCount(width === 400 ? 0 : 2)
    await expect(pane.getByRole('button', { name: /modified.*app\.ts/ })).toBeVisible()
  }
  await look(app, 'git-changes')

  const file = pane.getByRole('button', { name: /modified.*app\.ts/ })
  await file.press('Enter')
  await pane.getByRole('button', { name: 'Stage hunk 1 of src/app.ts' }).press('Enter')
  await expect(pane.getByRole('heading', { name: 'Staged 1', exact: true })).toBeVisible()
  await look(app, 'git-hunk')
  expect(git(app, 'diff', '--cached', '--numstat')).toBe('1\t1\tsrc/app.ts\n')

  const message = pane.getByRole('textbox', { name: 'Commit message' })
  await message.fill('half a message')
  await pane.getByRole('button', { name: 'Draft message' }).press('Enter')
  await expect(message).toHaveValue('app: price in cents')
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
  await expect(message).toHaveValue('half a message')
  await message.fill('app: price in cents')
  await message.press('Control+Enter')
  await expect(message).toHaveValue('')
  expect(git(app, 'log', '-1', '--format=%s')).toBe('app: price in cents\n')
  expect(git(app, 'show', 'HEAD:src/app.ts')).toBe(source({ 2: 'const price = 250' }))
})

test('a branch is merged with a conflict that is resolved, a commit picked, and tags made and deleted', async ({
  app,
}) => {
  const { page } = app
  begin(app)
  git(app, 'switch', '-qc', 'work')
  write(app, { 'notes.txt': 'theirs\n' })
  git(app, 'commit', '-qam', 'their notes')
  write(app, { 'more.txt': 'more\n' })
  git(app, 'add', '-A')
  git(app, 'commit', '-qm', 'one more file')
  git(app, 'switch', '-q', 'main')
  write(app, { 'notes.txt': 'ours\n' })
  git(app, 'commit', '-qam', 'our notes')
  const pane = await openGit(app)
  await pane.getByRole('tab', { name: 'History' }).press('Enter')
  await pane.getByRole('button', { name: 'All branches' }).press('Enter')
  await pane.getByRole('button', { name: /one more file/ }).press('Enter')
  const commit = pane.getByRole('region', { name: 'Commit' })
  await commit.getByRole('button', { name: 'Cherry-pick' }).press('Enter')
  await expect.poll(() => git(app, 'log', '-1', '--format=%s')).toBe('one more file\n')
  await commit.getByRole('button', { name: 'New tag…' }).press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).fill('v1')
  await page.getByRole('textbox', { name: 'Message', exact: true }).last().fill('The first')
  await page.keyboard.press('Enter')
  await expect.poll(() => git(app, 'tag', '--format=%(contents:subject)')).toBe('The first\n')

  await pane.getByRole('tab', { name: 'Tags' }).press('Enter')
  await expect(pane.getByRole('listitem').filter({ hasText: 'v1' })).toContainText('The first')
  await look(app, 'git-tags')
  await pane.getByRole('button', { name: 'Actions for v1' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete here' }).press('Enter')
  await expect(pane.getByText('No tags yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
  await expect(pane.getByRole('listitem').filter({ hasText: 'v1' })).toBeVisible()

  await pane.getByRole('tab', { name: 'Branches' }).press('Enter')
  await pane.getByRole('button', { name: 'Actions for work' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Merge into main' }).press('Enter')
  await expect(pane.getByText('A merge is in progress')).toBeVisible()
  await expect(pane.getByRole('tab', { name: /Changes/ })).toHaveAttribute('aria-selected', 'true')
  await look(app, 'git-merge')
  await pane.getByRole('button', { name: 'Abort' }).press('Enter')
  await expect(pane.getByText('A merge is in progress')).toBeHidden()
  expect(readFileSync(join(app.scratch.project, 'notes.txt'), 'utf8')).toBe('ours\n')
})

test('a file is staged, another is discarded and restored, and the focus stays in the list', async ({ app }) => {
  const { page } = app
  begin(app)
  write(app, { 'notes.txt': 'scribbles\n', 'new file.txt': 'new\n' })
  const pane = await openGit(app)
  // Another program creates a file.
  write(app, { 'made.txt': 'made\n' })
  await expect(pane.getByRole('button', { name: /new.*made\.txt/ })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: 'Git: branch main, 3 files changed' })).toBeVisible()
  rmSync(join(app.scratch.project, 'made.txt'))
  await expect(page.getByRole('button', { name: 'Git: branch main, 2 files changed' })).toBeVisible({ timeout: 20_000 })
  await pane.getByRole('button', { name: /new.*new file\.txt/ }).press('s')
  await expect(pane.getByRole('heading', { name: 'Staged 1', exact: true })).toBeVisible()
  await expect(pane.getByRole('list', { name: 'Changes' }).locator(':focus')).toBeVisible()
  await pane.getByRole('button', { name: /modified.*notes\.txt/ }).press('Delete')
  await expect(pane.getByRole('button', { name: /modified.*notes\.txt/ })).toBeHidden()
  expect(readFileSync(join(app.scratch.project, 'notes.txt'), 'utf8')).toBe('notes\n')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(pane.getByRole('button', { name: /modified.*notes\.txt/ })).toBeVisible()
  expect(readFileSync(join(app.scratch.project, 'notes.txt'), 'utf8')).toBe('scribbles\n')
})

test('branches are created, switched and deleted, and changes stashed and applied', async ({ app }) => {
  const { page } = app
  begin(app)
  write(app, { 'notes.txt': 'half done\n' })
  const pane = await openGit(app)
  await pane.getByRole('tab', { name: /Changes/ }).press('ArrowRight')
  await pane.getByRole('button', { name: 'New branch' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New branch' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('a..b')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('no name for a branch')
  await look(app, 'git-new-branch')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('topic/prices')
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await expect(page.getByRole('button', { name: /^Git: branch topic\/prices/ })).toBeVisible()
  await look(app, 'git-branches')
  // The list is still there after the pane was narrow.
  const size = page.viewportSize()!
  for (const width of [400, size.width]) await page.setViewportSize({ width, height: size.height })
  await expect(pane.getByRole('list', { name: 'Branches' })).toContainText('topic/prices')

  await pane.getByRole('tab', { name: /Branches/ }).press('ArrowRight')
  await pane.getByRole('textbox', { name: 'Message of the stash' }).fill('half done')
  await pane.getByRole('textbox', { name: 'Message of the stash' }).press('Enter')
  await expect(pane.getByRole('list', { name: 'Stashes' })).toContainText('half done')
  expect(git(app, 'status', '--porcelain')).toBe('')
  await pictures(app, 'git-stashes')
  expect(await findings(page)).toEqual([])
  await pane.getByRole('button', { name: /^Drop / }).press('Enter')
  await expect(pane.getByRole('list', { name: 'Stashes' })).not.toContainText('half done')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await pane.getByRole('button', { name: /^Pop / }).press('Enter')
  await expect(pane.getByRole('list', { name: 'Stashes' })).not.toContainText('half done')
  expect(git(app, 'status', '--porcelain')).toBe(' M notes.txt\n')

  await pane.getByRole('tab', { name: /Stashes/ }).press('ArrowLeft')
  await pane.getByRole('button', { name: /^Switch to main/ }).press('Enter')
  await expect(page.getByRole('button', { name: /^Git: branch main/ })).toBeVisible()
  await pane.getByRole('button', { name: 'Actions for topic/prices' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await expect(pane.getByRole('list', { name: 'Branches' })).not.toContainText('topic/prices')
  await page.getByRole('button', { name: 'Undo' }).last().press('Enter')
  await expect(pane.getByRole('list', { name: 'Branches' })).toContainText('topic/prices')
})

test('conflicts are resolved part by part, and the merge is concluded', async ({ app }) => {
  begin(app)
  git(app, 'switch', '-qc', 'other')
  write(app, { 'src/app.ts': source({ 2: 'const theirs = 1' }) })
  git(app, 'commit', '-qam', 'theirs')
  git(app, 'switch', '-q', 'main')
  write(app, { 'src/app.ts': source({ 2: 'const ours = 1' }) })
  git(app, 'commit', '-qam', 'ours')
  expect(() => git(app, 'merge', 'other')).toThrow(/Command failed/)
  const pane = await openGit(app)
  await expect(pane.getByText('A merge is in progress')).toBeVisible()
  await pane.getByRole('button', { name: /in conflict.*app\.ts/ }).press('Enter')
  await expect(pane.getByRole('region', { name: 'Conflict 1' })).toContainText('const theirs = 1')
  await look(app, 'git-conflict')
  await pane.getByRole('button', { name: 'Both for conflict 1' }).press('Enter')
  await expect(pane.getByText('No conflict markers are left')).toBeVisible()
  await pane.getByRole('button', { name: 'Mark as resolved' }).press('Enter')
  await expect(pane.getByRole('button', { name: 'Continue' })).toBeEnabled()
  await pane.getByRole('button', { name: 'Continue' }).press('Enter')
  await expect(pane.getByText('No changes')).toBeVisible()
  expect(readFileSync(join(app.scratch.project, 'src/app.ts'), 'utf8')).toContain('const ours = 1\nconst theirs = 1\n')
})

test('a commit without a branch can be kept as a branch after switching away from it', async ({ app }) => {
  const { page } = app
  begin(app)
  git(app, 'checkout', '-q', '--detach')
  write(app, { 'notes.txt': 'on no branch\n' })
  const pane = await openGit(app)
  await expect(pane).toContainText('No branch is checked out. To keep what you commit here, create a branch')
  await pane.getByRole('textbox', { name: 'Commit message' }).fill('on no branch')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText(/^Committed \w+ on no branch$/)).toBeVisible()
  await pane.getByRole('tab', { name: 'Branches' }).click()
  await pane.getByRole('button', { name: /^Switch to/ }).click()
  await expect(page.getByText(/^Commit \w+ “on no branch” is on no branch\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Keep as a branch' }).press('Enter')
  await expect.poll(() => git(app, 'log', '-1', '--format=%s', '--branches=kept-*')).toBe('on no branch\n')
})

test('the pull request dialog says where one can be created, and returns the focus', async ({ app }) => {
  const { page } = app
  begin(app)
  git(app, 'remote', 'add', 'origin', 'https://git.example.com/ada/shop.git')
  git(app, 'switch', '-qc', 'topic')
  const pane = await openGit(app)
  const more = pane.getByRole('button', { name: 'More', exact: true })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Create pull request…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Create pull request' })
  await expect(dialog).toContainText('Push the branch, then create the pull request there')
  await look(app, 'git-pull-request')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(more).toBeFocused()
})

test('the history shows a merge as a graph, and the diffs of a commit', async ({ app }) => {
  const { page } = app
  begin(app)
  git(app, 'switch', '-qc', 'other')
  write(app, { 'src/app.ts': source({ 2: 'const theirs = 1' }) })
  git(app, 'commit', '-qam', 'theirs')
  git(app, 'switch', '-q', 'main')
  write(app, { 'notes.txt': 'ours\n' })
  git(app, 'commit', '-qam', 'ours')
  git(app, 'merge', '-q', '--no-edit', 'other')
  const pane = await openGit(app)
  await pane.getByRole('tab', { name: /Changes/ }).press('End')
  const commit = pane.getByRole('list', { name: 'History' }).getByRole('button').first()
  await expect(commit).toContainText("Merge branch 'other'")
  // Either side of the merge: both commits were made in the same second.
  await commit.press('ArrowDown')
  await expect(pane.getByRole('list', { name: 'History' }).locator(':focus')).toBeVisible()
  await commit.focus()
  await page.keyboard.press('Enter')
  const details = pane.getByRole('region', { name: 'Commit' })
  await details.getByRole('button', { name: /app\.ts/ }).press('Enter')
  await expect(details).toContainText('const line2 = 2')
  await look(app, 'git-history')
  await page.keyboard.press('Escape')
  await expect(details).toBeHidden()
})

test('a repository that configures programs runs none until it is trusted, and a failing hook shows its output', async ({
  app,
}) => {
  const { page } = app
  begin(app)
  const marker = join(app.scratch.home, 'ran')
  const hook = join(app.scratch.project, '.git/hooks/pre-commit')
  writeFileSync(hook, `#!/bin/sh\ntouch '${marker}'\necho 'prices must be integers' >&2\nexit 1\n`)
  chmodSync(hook, 0o755)
  git(app, 'config', 'core.fsmonitor', `touch '${marker}'; false`)
  write(app, { 'notes.txt': 'changed\n' })
  const pane = await openGit(app)
  await expect(page.getByRole('button', { name: 'Git: branch main, not trusted yet' })).toBeVisible()
  await expect(pane.getByRole('list', { name: 'What the repository can run' })).toContainText('hook pre-commit')
  await expect(pane.getByRole('list', { name: 'What the repository can run' })).toContainText('core.fsmonitor')
  await look(app, 'git-trust')
  expect(existsSync(marker)).toBe(false)
  await pane.getByRole('button', { name: 'Trust repository' }).press('Enter')
  const message = pane.getByRole('textbox', { name: 'Commit message' })
  await message.fill('change notes')
  await message.press('Control+Enter')
  await expect(pane.getByRole('alert')).toContainText('prices must be integers')
  await pictures(app, 'git-failing-hook')
  expect(await findings(page)).toEqual([])
  await expect(message).toHaveValue('change notes')
  expect(git(app, 'diff', '--cached', '--name-only')).toBe('')
})

test('an expanded file stays expanded out of view, and turning Amend off clears the message again', async ({ app }) => {
  const { page } = app
  begin(app)
  write(
    app,
    Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`new-${String(n).padStart(2, '0')}.txt`, `${n}\n`])),
  )
  const pane = await openGit(app)
  const list = pane.getByRole('list', { name: 'Changes' })
  const first = list.getByRole('button', { name: /new new-00/ })
  await first.press('Enter')
  await expect(list).toContainText('+0')
  await first.press('End')
  await expect(list.getByRole('button', { name: /new new-89/ })).toBeFocused()
  await expect(first).toBeHidden()
  await page.keyboard.press('Home')
  await expect(first).toHaveAttribute('aria-expanded', 'true')

  const message = pane.getByRole('textbox', { name: 'Commit message' })
  const amend = pane.getByRole('checkbox', { name: 'Amend' })
  await amend.press('Space')
  await expect(message).toHaveValue('first')
  await amend.press('Space')
  await expect(message).toHaveValue('')
  await message.fill('half a message')
  await page.reload()
  await expect(message).toHaveValue('half a message')
})

test('a repository can be created in a folder without one', async ({ app }) => {
  const { page } = app
  await startSession(app)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('git changes')
  await page.keyboard.press('Enter')
  const pane = page.getByRole('tabpanel', { name: 'Git' })
  await expect(pane.getByText('No repository')).toBeVisible()
  await look(app, 'git-none')
  await pane.getByRole('button', { name: 'Initialize repository' }).press('Enter')
  await expect(pane.getByRole('list', { name: 'Changes' })).toContainText('README.md')
})

test('the viewer shows who last changed each line of a file', async ({ app }) => {
  const { page } = app
  begin(app)
  write(app, { 'README.md': '# Shop\nnew\n' })
  await startSession(app)
  await page.keyboard.press('Control+Shift+E')
  await page.getByRole('treeitem', { name: /^README\.md/ }).press('Enter')
  await page.getByRole('button', { name: 'Source' }).press('Enter')
  await page.getByRole('button', { name: 'More for this file' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Show who changed each line' }).press('Enter')
  const lines = page.getByRole('group', { name: 'Lines of README.md' })
  await expect(lines.getByText(/^Ada, /)).toBeVisible()
  await expect(lines.getByText('Not committed yet')).toBeVisible()
  await look(app, 'git-blame')
})

test('a diff shows invisible characters, and a failing hook shows its output', async ({ app }) => {
  const { page } = app
  begin(app)
  write(app, { 'notes.txt': 'if (admin\u202e) {\n', 'README.md': '# Shop\r\n' })
  writeFileSync(join(app.scratch.project, '.git/hooks/pre-commit'), '#!/bin/sh\nseq -f "problem %.0f" 2000; exit 1\n')
  chmodSync(join(app.scratch.project, '.git/hooks/pre-commit'), 0o755)
  const pane = await openGit(app)
  // A key does nothing while what would run is still being listed.
  await expect(pane.getByRole('listitem').filter({ hasText: 'hook pre-commit' })).toBeVisible()
  await pane.getByRole('button', { name: 'Trust repository' }).press('Enter')
  await pane.getByRole('button', { name: /modified.*notes\.txt/ }).press('Enter')
  await expect(pane.locator('.visible-token').getByText('\\u{202e}')).toBeVisible()
  await pane.getByRole('button', { name: /modified.*README\.md/ }).press('Enter')
  await expect(pane.getByText('Only line ends change: from LF to CRLF.')).toBeVisible()
  await pane.getByRole('textbox', { name: 'Commit message' }).fill('first')
  await page.keyboard.press('Control+Enter')
  const failure = pane.getByRole('alert')
  await expect(failure).toContainText('The hook pre-commit failed:')
  const printed = (await failure.locator('pre').innerText()).split('\n')
  expect([printed[0], printed[1]]).toEqual(['…', expect.stringMatching(/^problem \d+$/)])
  expect(printed.at(-1)).toBe('problem 2000')
})
