import { readdir } from 'node:fs/promises'
import { join, delimiter, isAbsolute } from 'node:path'
import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { isEmptyFolder } from '../../sandbox/safe-fs'
import { RESERVED_NAMES } from '../../sandbox/protected-names'
import { sensitiveRule } from '../../workspace/path/sensitive-file'

/** Facts that are only sent at the start of a conversation. */
export interface ProjectSnapshot {
  git?: GitState
  entries: string[]
}

/** Entries of the project folder that are not worth listing. */
const IGNORED_ENTRIES = new Set(['.git', 'node_modules', '.DS_Store', '__pycache__', '.venv'])
/** Sandboxes create empty folders with these names if they do not exist. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(RESERVED_NAMES)

/**
 * Reads a project's folder and the state of its repository. Never rejects; what cannot be read is left out. `hidden`:
 * paths that permission rules hide from the model.
 */
export async function takeProjectSnapshot(
  { folder, top }: { folder: string; /** The repository's top. */ top: string | undefined },
  { env, cwd, hidden }: { env: Record<string, string>; cwd: string; hidden?: (path: string) => boolean },
): Promise<ProjectSnapshot> {
  const [git, entries] = await Promise.all([
    top === undefined ? undefined : gitState(top, { env, cwd }),
    entriesOf(folder, hidden),
  ])
  return { ...(git && { git }), entries }
}

async function entriesOf(folder: string, hidden?: (path: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter(
      ({ name }) =>
        !IGNORED_ENTRIES.has(name) &&
        sensitiveRule(join(folder, name)) === undefined &&
        hidden?.(join(folder, name)) !== true,
    )
    .filter(({ name }) => !PLACEHOLDERS.has(name) || !isEmptyFolder(join(folder, name)))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted()
}

/** The state of the repository at the start of a conversation. */
export interface GitState {
  /** Absent if no branch is checked out. */
  branch?: string
  /** Number of files that git status lists, including new ones; absent if not counted. */
  changedFiles?: number
  /** The first line of the latest commit's message. */
  lastCommit?: string
}

/** Time limit for each git command; slower repositories are skipped. */
const TIME_LIMIT_MS = 1_000
const MAX_GIT_BYTES = 1024 * 1024

/**
 * Filters that a repository's own settings define, or programs for Git LFS, which comparing files would run.
 */
const FILTERS = /^(?:local|worktree)\s+(?:filter|lfs\.(?:extension|customtransfer))\./im

/**
 * Options that keep a repository's own settings from running anything: its hooks, its file monitor, its pager and
 * signature checks.
 */
const HARMLESS = [
  '--no-pager',
  '--no-optional-locks',
  ...[`core.hooksPath=${devNull}`, 'core.fsmonitor=false', 'log.showSignature=false'].flatMap((each) => ['-c', each]),
]

/**
 * Branch, number of changed files and last commit of the repository at `top`, which holds a `.git`. Only reads, and
 * runs no programs of the repository: if comparing files would run some, changes are not counted. Undefined if git is
 * missing or does not respond in time. `env`: the environment of commands; `cwd`: a folder outside the project, because
 * Windows looks for programs there first.
 */
export async function gitState(
  top: string,
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<GitState | undefined> {
  const git = (...args: string[]): Promise<string | undefined> =>
    run([...HARMLESS, '-C', top, ...args], { env: gitEnv(env), cwd })
  const settings = await git('config', '--list', '--show-scope', '--name-only', '--includes')
  if (settings === undefined) return undefined
  const mayCount = !FILTERS.test(settings)
  const [head, status, commit] = await Promise.all([
    git('symbolic-ref', '--quiet', 'HEAD'),
    mayCount
      ? git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=all')
      : undefined,
    git('log', '-1', '--no-show-signature', '--no-mailmap', '--encoding=UTF-8', '--format=%s'),
  ])
  if (head === undefined && status === undefined && commit === undefined) return undefined
  const branch = head?.trim().replace(/^refs\/heads\//, '') ?? ''
  const lastCommit = commit?.trim() ?? ''
  return {
    ...(branch !== '' && { branch }),
    ...(status !== undefined && { changedFiles: status.split('\0').filter((line) => line !== '').length }),
    ...(lastCommit !== '' && { lastCommit }),
  }
}

/**
 * Removes variables that point git to another repository, and relative folders from PATH.
 */
function gitEnv(env: Record<string, string>): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name))
  const path = own.map(([name, value]): [string, string] => [
    name,
    name.toUpperCase() === 'PATH' ? value.split(delimiter).filter(isAbsolute).join(delimiter) : value,
  ])
  return {
    ...Object.fromEntries(path),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // Missing objects are not fetched, because the repository's settings define how.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CONFIG_COUNT: '0',
    LC_ALL: 'C.UTF-8',
  }
}

/** Git's output; undefined if it failed, printed too much, or took too long. */
function run(
  args: readonly string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = {
      env,
      cwd,
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL' as const,
      maxBuffer: MAX_GIT_BYTES,
      windowsHide: true,
    }
    execFile('git', [...args], options, (error, stdout) => resolve(error ? undefined : stdout))
  })
}
