import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ContextFact } from './context-fact'
import type { GitState } from './project-snapshot'
import { openCacheFile } from '../../config/cache-file'
import { findShell } from '../../process/find-shell'
import { shortText } from '../../../../shared/cut-text'

/** The environment of a session. */
export interface Environment {
  folder: string
  addedFolders: readonly string[]
  isGitRepository: boolean
  /** e.g. `linux 6.8.0 (x64)`. */
  system: string
  /** e.g. `bash 5.2.15`; absent if unknown. */
  shell?: string
  /** Local date, e.g. `2026-11-20`. */
  today: string
  /** Absent without a repository, or if git did not respond in time. */
  git?: GitState
  /** Entries of the project folder, folders with a trailing `/`; absent if not read. */
  entries?: readonly string[]
}

/** Maximum bytes of the line that lists the project folder. */
const TREE_BYTES = 400
const NAME_CHARS = 60

/**
 * The folder, the system and the date; the state of the repository and the folder is sent once, and changes to it are
 * not announced.
 */
export function environmentFacts(environment: Environment): ContextFact[] {
  const { folder, addedFolders, isGitRepository, system, shell, today, git, entries = [] } = environment
  const facts: (ContextFact | undefined)[] = [
    { key: 'folder', text: `Project folder: ${folder}${isGitRepository ? ' (a git repository)' : ''}` },
    addedFolders.length === 0
      ? undefined
      : {
          key: 'added-folders',
          text: `Other folders you may use: ${addedFolders.join(', ')}`,
          changed: 'The folders you may use beside the project have changed:',
          removed: 'You may no longer use folders beside the project.',
        },
    { key: 'system', text: `System: ${system}.${shell === undefined ? '' : ` Shell: ${shell}.`}` },
    { key: 'date', text: `Today: ${today}.`, changed: 'The date has changed.' },
    git && { key: 'git', text: `Git when this conversation began: ${gitSentence(git)}` },
    entries.length === 0 ? undefined : { key: 'tree', text: treeLine(entries) },
  ]
  return facts.filter((fact) => fact !== undefined)
}

function gitSentence({ branch, changedFiles, lastCommit }: GitState): string {
  const where = branch === undefined ? 'no branch is checked out' : `branch ${oneLine(branch)}`
  const changes =
    changedFiles === undefined
      ? ''
      : changedFiles === 0
        ? ', no changed files'
        : `, ${changedFiles} changed or new file${changedFiles === 1 ? '' : 's'}`
  return `${where}${changes}${lastCommit === undefined ? '' : `, last commit: ${JSON.stringify(oneLine(lastCommit))}`}.`
}

/** Names in one line, folders first, as many as fit. */
function treeLine(entries: readonly string[]): string {
  const names = [...entries.filter((name) => name.endsWith('/')), ...entries.filter((name) => !name.endsWith('/'))].map(
    oneLine,
  )
  const shown: string[] = []
  let bytes = 'In the project folder: , and 100000 more'.length
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 2
    if (bytes > TREE_BYTES) break
    shown.push(name)
  }
  const more = names.length - shown.length
  return `In the project folder: ${shown.join(', ')}${more === 0 ? '' : `, and ${more} more`}`
}

/** Names and subjects come from the project, so they must not start a new line, and are shortened. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  return shortText(line, NAME_CHARS * 2)
}

const VERSION_TIMEOUT_MS = 1_000

/** The version a shell reported, and its program. */
interface Asked {
  version: string
  mtimeMs: number
  size: number
}

let shell: Promise<string | undefined> | undefined

/**
 * The shell commands run in, with its version, e.g. `bash 5.2.15`; asked once. Undefined if no shell was found. `home`:
 * where the result is cached for later processes.
 */
export function shellName(env: Record<string, string>, home: string): Promise<string | undefined> {
  return (shell ??= readShellVersion(env, home))
}

/** The same without remembering it in this process. */
export async function readShellVersion(env: Record<string, string>, home: string): Promise<string | undefined> {
  const found = findShell({ platform: process.platform, env: process.env, isFile })
  if ('error' in found) return undefined
  const name = basename(found.path).replace(/\.exe$/i, '')
  if (name !== 'bash') return name
  const version = await versionOf(found.path, env, home)
  return version === undefined ? name : `${name} ${version}`
}

/**
 * Starting a program takes longer than gathering everything else for a first request, so it is repeated only when the
 * program has changed.
 */
async function versionOf(path: string, env: Record<string, string>, home: string): Promise<string | undefined> {
  const file = statSync(path, { throwIfNoEntry: false })
  if (!file) return undefined
  const cache = openCacheFile(join(home, 'cache', 'shell.json'), isAsked)
  const known = cache.get(path)
  if (known?.mtimeMs === file.mtimeMs && known.size === file.size) return known.version
  const said = await new Promise<string>((resolve) => {
    const options = { env, cwd: home, timeout: VERSION_TIMEOUT_MS, windowsHide: true }
    execFile(path, ['--version'], options, (error, stdout) => resolve(error ? '' : stdout))
  })
  const version = /version (\d+(?:\.\d+)*)/.exec(said)?.[1]
  if (version !== undefined) cache.set(path, { version, mtimeMs: file.mtimeMs, size: file.size })
  return version
}

function isAsked(value: unknown): value is Asked {
  const { version, mtimeMs, size } = (value ?? {}) as Partial<Asked>
  return (
    typeof version === 'string' &&
    /^\d+(?:\.\d+)*$/.test(version) &&
    typeof mtimeMs === 'number' &&
    typeof size === 'number'
  )
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
