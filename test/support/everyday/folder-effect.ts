import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Folders whose files contain times and absolute paths: only the names in these folders are compared. */
const BUILT = new Set(['node_modules', 'target', '.venv', '__pycache__', '.pytest_cache', '.ruff_cache', '.mypy_cache'])
const UNSTABLE = /\.(?:sqlite3|pyc)$/

/**
 * The effect of a command on a project, in a form that is equal for runs with the same effect: files with a digest, and
 * git's state.
 */
export function folderEffect(folder: string): Record<string, string> {
  const effect: Record<string, string> = {}
  walk(folder, '', effect)
  for (const args of [
    ['log', '--format=%H %s', '--all'],
    ['branch', '-a'],
    ['stash', 'list'],
    ['status', '--porcelain'],
  ])
    effect[`git ${args[0]}`] = git(folder, args)
  return effect
}

function walk(folder: string, below: string, effect: Record<string, string>): void {
  for (const name of readdirSync(join(folder, below)).toSorted()) {
    const path = join(below, name)
    if (path === '.git') continue
    const file = join(folder, path)
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) effect[path] = `link ${readlinkSync(file).replace(folder, '')}`
    else if (!stat.isDirectory()) effect[path] = UNSTABLE.test(name) ? 'a file' : digest(file)
    else if (BUILT.has(name)) effect[path] = readdirSync(file).toSorted().join(' ')
    else walk(folder, path, effect)
  }
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)
}

function git(folder: string, args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return 'failed'
  }
}
