import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadedTask, Place } from './task.ts'

/** The folders of a run, with a separate HOME: nothing of the user's own home is used. */
export interface RunPlace extends Place {
  person: string
  remove(): void
}

/** Makes the folders of one run and copies the task's files. */
export function createPlace(task: LoadedTask): RunPlace {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-eval-'))
  const [project, home, person] = ['project', 'home', 'person'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [project, home, person]) mkdirSync(folder, { mode: 0o700 })
  const files = join(task.folder, 'files')
  if (existsSync(files)) cpSync(files, project, { recursive: true })
  return {
    root,
    project,
    home,
    person,
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  }
}

/**
 * The environment of everything that is run for a task. The Node that runs the evals comes first, for the tests of the
 * projects.
 */
export function environmentOf({ home, person }: RunPlace): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  return {
    PATH: `${join(process.execPath, '..')}:${PATH}`,
    LANG,
    HOME: person,
    TRESTLE_KEY_STORE: 'file',
    TRESTLE_HOME: home,
  }
}

/** Runs git in a project, and fails when git does; for tasks that prepare or inspect a repository. */
export function git(project: string, ...args: string[]): string {
  const identity = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'commit.gpgSign=false']
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LANG: 'C' }
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: project, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`)
  return stdout
}

/** Makes the project a repository with one commit of all its files. */
export function commitAll(project: string): void {
  git(project, 'init', '-q', '-b', 'main')
  git(project, 'config', 'user.name', 'Robin Doe')
  git(project, 'config', 'user.email', 'robin@example.com')
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'Start')
}
