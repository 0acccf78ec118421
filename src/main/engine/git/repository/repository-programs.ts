import { createHash } from 'node:crypto'
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { visibleLine } from '../../../../shared/visible-text'
import type { Repository } from './find-repository'

/** What of a repository can run programs, or lead git elsewhere. */
export interface RepositoryPrograms {
  /** One line each, for people. */
  lines: string[]
  /** Names exactly these programs, with their content. */
  hash: string
}

/** Settings of a repository with which git runs nothing and stays in its folder. Any other is shown to the user. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|compression|loosecompression|preloadindex|untrackedcache|splitindex|commitgraph|sharedrepository|checkstat|trustctime|whitespace|protecthfs|protectntfs|createobject|packedgitlimit|packedgitwindowsize|bigfilethreshold|multipackindex|sparsecheckout|sparsecheckoutcone|commentchar|deltabasecachelimit|hidedotfiles)|extensions\.(?:objectformat|worktreeconfig|refstorage|partialclone|noop|compatobjectformat|preciousobjects)|(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)|remote\..*\.(?:url|fetch|pushurl|push|tagopt|prune|prunetags|mirror|gh-resolved|skipfetchall|skipdefaultupdate|promisor|partialclonefilter)|remote\.pushdefault|branch\..*\.(?:remote|merge|rebase|pushremote|description|gh-merge-base|vscode-merge-base|github-pr-owner-number)|branch\.(?:autosetupmerge|autosetuprebase|sort)|checkout\.defaultremote|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags|useforceifincludes|gpgsign)|fetch\.(?:prune|prunetags|writecommitgraph|parallel)|merge\.(?:ff|conflictstyle|renames|renamelimit|log|autostash|stat)|rebase\.(?:autosquash|autostash|updaterefs|stat|forkpoint|missingcommitscheck|abbreviatecommands)|color\..*|column\..*|submodule\..*\.(?:url|active|branch|ignore|shallow|fetchrecursesubmodules)|submodule\.(?:recurse|active|alternatelocation|alternateerrorstrategy|fetchjobs)|advice\..*|gc\.(?!recentobjectshook)[a-z]+|pack\.[a-z]+|index\.[a-z]+|feature\.[a-z]+|rerere\.(?:enabled|autoupdate)|commit\.(?:gpgsign|verbose|status|cleanup)|tag\.(?:gpgsign|sort|forcesignannotated)|status\.(?!submodulesummary)[a-z]+|diff\.(?:renames|renamelimit|algorithm|colormoved|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|relative|statgraphwidth|ignoresubmodules|submodule)|log\.(?:abbrevcommit|date|decorate|follow|graphcolors|mailmap|showroot)|lfs\.(?:repositoryformatversion|url|locksverify|https?:.*\.(?:access|locksverify))|http\.(?:postbuffer|lowspeedlimit|lowspeedtime|version)|maintenance\.(?:auto|strategy)|receive\.[a-z]+|help\.autocorrect|versionsort\..*|gui\.[a-z.]+|blame\.[a-z]+|format\.(?:signoff|pretty))$/

const MAX_CONFIG_BYTES = 512 * 1024
const MAX_HOOK_BYTES = 1024 * 1024
const MAX_LINES = 200

/**
 * Lists what git could run because of this repository: settings that name programs or files, and hooks. Reads files
 * only. What cannot be read counts as something to ask about. `userHooks`: where the user's own settings look for hooks;
 * a relative path leads into the repository.
 */
export function repositoryPrograms(repository: Repository, userHooks?: string): RepositoryPrograms {
  const lines: string[] = []
  const sum = createHash('sha256')
  const found = (line: string, content: string | Buffer = ''): void => {
    lines.push(visibleLine(line))
    sum.update(`${line}\0`).update(content).update('\0')
  }
  const { commonDir, gitDir } = repository
  let hooks = userHooks === undefined ? join(commonDir, 'hooks') : resolve(repository.top, userHooks)
  const configs = new Set([
    join(commonDir, 'config'),
    join(commonDir, 'config.worktree'),
    join(gitDir, 'config.worktree'),
  ])
  for (const file of configs) {
    const settings = settingsOf(file)
    if (settings === 'missing') continue
    if (typeof settings === 'string') {
      found(`the settings in ${file}, which ${settings}`, contentOf(file, MAX_CONFIG_BYTES))
      continue
    }
    for (const [key, value] of settings) {
      if (HARMLESS.test(key.toLowerCase()) || isOwnWorktree(key, value, repository)) continue
      found(`setting ${key} = ${value}`)
      if (key === 'core.hookspath') hooks = isAbsolute(value) ? value : resolve(repository.top, value)
    }
  }
  // Absolute in the user's own settings: the user's own hooks.
  if (userHooks === undefined || hooks !== userHooks)
    for (const [name, content] of hooksIn(hooks)) found(`hook ${name}`, content)
  if (lines.length > MAX_LINES) lines.splice(MAX_LINES, lines.length, `${lines.length - MAX_LINES} more`)
  return { lines, hash: lines.length === 0 ? '' : sum.digest('hex') }
}

/** A submodule names its own working tree, which is no other place. */
function isOwnWorktree(key: string, value: string, { top, gitDir }: Repository): boolean {
  if (key !== 'core.worktree') return false
  try {
    return realpathSync.native(resolve(gitDir, value)) === top
  } catch {
    return false
  }
}

/** Hooks that git would run: executable, without the samples. */
function hooksIn(folder: string): [name: string, content: Buffer][] {
  let names: string[]
  try {
    names = readdirSync(folder).toSorted()
  } catch {
    return []
  }
  return names
    .filter((name) => !name.endsWith('.sample') && isProgram(join(folder, name)))
    .map((name) => [name, contentOf(join(folder, name), MAX_HOOK_BYTES)])
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false
    // On Windows every hook is run.
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function contentOf(path: string, maxBytes: number): Buffer {
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return Buffer.alloc(0)
    return stat.size <= maxBytes ? readFileSync(path) : Buffer.from(`${stat.size} ${stat.mtimeMs}`)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Every setting of a file in order, with keys in lower case except for names; or why it cannot be read completely. */
function settingsOf(file: string): [key: string, value: string][] | string {
  let text: string
  try {
    const stat = statSync(file)
    if (!stat.isFile()) return 'are not in a plain file'
    if (stat.size > MAX_CONFIG_BYTES) return 'are very long'
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' ? 'missing' : 'cannot be read'
  }
  const settings: [string, string][] = []
  let section = ''
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*([#;].*)?$/.exec(trimmed)
    if (header) {
      section = header[2] === undefined ? header[1]!.toLowerCase() : `${header[1]!.toLowerCase()}.${header[2]}`
      continue
    }
    const setting = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(trimmed)
    if (!setting || section === '' || trimmed.endsWith('\\')) return 'are written in an unusual way'
    settings.push([`${section}.${setting[1]!.toLowerCase()}`, unquoted(setting[2])])
  }
  return settings
}

function unquoted(value: string | undefined): string {
  if (value === undefined) return 'true'
  const whole = /^"([^"\\]*)"$/.exec(value)
  return whole ? whole[1]! : value
}
