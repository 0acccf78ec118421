import type { ContextFact } from './context-fact'
import type { GitState } from './git-state'

/** Where a session works. */
export interface Environment {
  folder: string
  addedFolders: readonly string[]
  isGitRepository: boolean
  /** e.g. `linux 6.8.0 (x64)`. */
  system: string
  /** e.g. `bash 5.2.15`; absent: not known. */
  shell?: string
  /** Local date, e.g. `2026-11-20`. */
  today: string
  /** Absent where there is no repository, or git did not answer in time. */
  git?: GitState
  /** What the project folder holds, folders with a `/` behind; absent: not looked at. */
  entries?: readonly string[]
}

/** Most bytes of the line that lists the project folder. */
const TREE_BYTES = 400
const NAME_CHARS = 60

/** The folder, the system and the date; what the repository and the folder look like is told once and never announced again. */
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
  const names = [...entries.filter((name) => name.endsWith('/')), ...entries.filter((name) => !name.endsWith('/'))].map(oneLine)
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

/** Names and subjects come with the project: they cannot begin a line of their own, and are cut. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  return line.length > NAME_CHARS * 2 ? `${line.slice(0, NAME_CHARS * 2 - 1).toWellFormed()}…` : line
}
