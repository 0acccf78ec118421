import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type App } from './app'
import { findings } from './assistive'
import { pictures, sendPrompt, transcriptText } from './steps'

test.use({
  files: { 'a.txt': 'one\n', '.gitignore': '.env\n', '.env': 'KEY=1\n' },
  config: { more: '[worktree]\nsetup = "echo prepared; cat .env"' },
  model: {
    script: [
      { toolCalls: [{ name: 'Write', input: { path: 'made.txt', content: 'made by the agent\n' } }] },
      { text: 'It is made.' },
    ],
  },
})

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
}

/** Opens the page that starts a session in the project, by keyboard. */
async function openStartPage({ page, scratch }: App): Promise<void> {
  git(scratch.project, 'init', '-q', '-b', 'main')
  git(scratch.project, 'config', 'user.name', 'Ada')
  git(scratch.project, 'config', 'user.email', 'ada@example.com')
  git(scratch.project, 'add', '-A')
  git(scratch.project, 'commit', '-qm', 'first')
  await page.getByRole('button', { name: /Choose a folder/ }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(scratch.project)
  await dialog.getByRole('textbox').press('Enter')
  const open = dialog.getByRole('button', { name: /Open|Choose|Use/ })
  await expect(open).toBeEnabled()
  await open.press('Enter')
  await expect(dialog).toBeHidden()
}

async function look(app: App, name: string): Promise<void> {
  await pictures(app, name)
  for (const colorScheme of ['light', 'dark'] as const) {
    await app.page.emulateMedia({ colorScheme })
    expect(await findings(app.page)).toEqual([])
  }
}

test('a session in a worktree is marked, merged, hits a conflict, is removed with its changes saved, and restored, all by keyboard', async ({
  app,
}) => {
  const { page, scratch } = app
  const { project } = scratch
  await openStartPage(app)
  await page.getByRole('switch', { name: 'Work in a worktree' }).press('Space')
  await page.getByRole('textbox', { name: 'Branch' }).fill('make-it')
  await look(app, 'worktree-start')
  await page.getByRole('button', { name: /Start session/ }).press('Enter')
  const chip = page.getByRole('button', { name: /^In a worktree, branch make-it/ })
  await expect(chip).toBeVisible()
  await expect(page.getByRole('treeitem', { name: /in a worktree: make-it/ })).toBeVisible()

  await sendPrompt(page, 'Make the file')
  const allow = page.getByRole('button', { name: 'Allow once' })
  await expect(allow).toBeEnabled()
  await allow.press('Enter')
  await expect(transcriptText(page, 'It is made.')).toBeVisible()
  const root = join(scratch.home, '..', '.trestle-worktrees')
  const folder = join(
    root,
    readdirSync(root).find((name) => !name.startsWith('.'))!,
  )
  expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made by the agent\n')
  expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('KEY=1\n')
  expect(existsSync(join(project, 'made.txt'))).toBe(false)

  await chip.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Worktree' })
  await expect(dialog.getByRole('region', { name: 'Output of the setup command' })).toContainText('prepared')
  const message = dialog.getByRole('textbox', { name: /^Commit 1 uncommitted file/ })
  await message.fill('Make the file')
  await look(app, 'worktree-merge')
  // The message is still there after a failure.
  const lock = join(project, '.git', 'refs', 'heads', 'make-it.lock')
  writeFileSync(lock, '')
  await dialog.getByRole('button', { name: 'Merge into main' }).press('Enter')
  await expect(dialog.getByRole('alert')).toBeVisible()
  await expect(message).toHaveValue('Make the file')
  rmSync(lock)
  await dialog.getByRole('button', { name: 'Merge into main' }).press('Enter')
  await expect(dialog.getByText(/^Done: main is at/)).toBeVisible()
  expect(existsSync(join(project, 'made.txt'))).toBe(true)
  expect(git(project, 'log', '-1', '--format=%s').trim()).toBe("Merge branch 'make-it' into main")

  writeFileSync(join(project, 'a.txt'), 'ours\n')
  git(project, 'commit', '-qam', 'ours')
  writeFileSync(join(folder, 'a.txt'), 'theirs\n')
  git(folder, 'commit', '-qam', 'theirs')
  await page.keyboard.press('Escape')
  await chip.press('Enter')
  await expect(dialog.getByText(/^1 commit ahead of and 2 behind main/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Merge into main' }).press('Enter')
  await expect(dialog.getByRole('list', { name: 'Files with conflicts' })).toHaveText('a.txt')
  await look(app, 'worktree-conflicts')
  expect(git(project, 'status', '--porcelain')).toBe('')
  await dialog.getByRole('button', { name: 'Resolve in the worktree' }).press('Enter')
  await expect(dialog.getByText(/A merge is in progress/)).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Show the conflicts' })).toBeVisible()
  writeFileSync(join(folder, 'a.txt'), 'both\n')
  git(folder, 'commit', '-qam', 'resolved')

  writeFileSync(join(folder, 'draft.txt'), 'not committed\n')
  await page.keyboard.press('Escape')
  await chip.press('Enter')
  await dialog.getByRole('button', { name: 'Remove worktree' }).press('Enter')
  await expect(page.getByText(/Worktree removed, 1 uncommitted file saved/)).toBeVisible()
  expect(existsSync(folder)).toBe(false)
  await page.keyboard.press('Control+,')
  await page.getByRole('tab', { name: 'Worktrees' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Removed worktrees' })).toContainText('.patch')
  await look(app, 'worktree-settings')
  await page.getByRole('button', { name: 'Restore make-it' }).press('Enter')
  await expect(page.getByRole('list', { name: 'Worktrees', exact: true })).toContainText('make-it')
  expect(readFileSync(join(folder, 'draft.txt'), 'utf8')).toBe('not committed\n')
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('both\n')
})
