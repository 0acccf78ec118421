import { readdir } from 'node:fs/promises'
import { join, delimiter, isAbsolute } from 'node:path'
import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { isEmptyFolder } from '../../sandbox/safe-fs'
import { RESERVED_NAMES } from '../../sandbox/protected-names'
import { sensitiveRule } from '../../workspace/path/sensitive-file'

/** Facts that are only sent when a conversation begins. */
export interface ProjectSnapshot {
  git?: GitState
  entries: string[]
}

/** Entries of the project folder that are not worth listing. */
const IGNORED_ENTRIES = new Set(['.git', 'node_modules', '.DS_Store', '__pycache__', '.venv'])
/** Sandboxes put empty folders of these names where nothing has them. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(RESERVED_NAMES)

/**
 * Looks at a project's folder and its repository. Never rejects: what cannot be seen is left out. `hidden`: what
 * permission rules keep from the model.
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

/** What the repository looks like when a conversation begins. */
export interface GitState {
  /** Absent where no branch is checked out. */
  branch?: string
  /** How many files git status lists, new ones included; absent where it was not counted. */
  changedFiles?: number
  /** The first line of the latest commit's message. */
  lastCommit?: string
}

/** Git has this long for each question; a repository that takes longer is not waited for. */
const TIME_LIMIT_MS = 1_000
const MAX_GIT_BYTES = 1024 * 1024

/**
 * Filters that a repository's own settings define, or programs for those of Git LFS: comparing files would run them.
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
 * Branch, number of changed files and last commit of the repository at `top`, which holds a `.git`. Reads only, and
 * runs nothing that the repository brings along: where comparing files would, the changes are not counted. Undefined
 * when git is missing or does not answer in time. `env`: what commands get; `cwd`: a folder that does not belong to the
 * project, where Windows looks for programs first.
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
 * Without what would point git at another repository, and without programs that are looked for in the current folder.
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
    // Objects that are missing are not fetched: the repository says how that is done.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_CONFIG_COUNT: '0',
    LC_ALL: 'C.UTF-8',
  }
}

/** What it printed; undefined when it failed, printed too much, or took too long. */
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
