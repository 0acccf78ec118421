import { createHash } from 'node:crypto'
import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { visibleLine } from '../../../../shared/visible-text'
import { readPlainFile } from '../../workspace/path/plain-file'
import type { Repository } from '../run/find-repository'
import { readSettings, settingPath } from './read-settings'
import type { Setting } from './parse-settings'

/**
 * Addresses that git reaches over a network without running other programs. Paths are excluded, because git runs the
 * hooks of the repository there, and `ext::` and others, because they name programs.
 */
const ADDRESS = /^(?:https?|git|ssh|git\+ssh|ssh\+git):\/\/(?!-)[A-Za-z0-9._~%:[\]+,=@!$&'()*-]+(?:\/[^\s"\\#;]*)?$/i
/** `user@host:path`. A single letter without a user is a drive on Windows. */
const SHORT_ADDRESS = /^(?:[A-Za-z0-9._+~-]+@)?(?!-)(?:[A-Za-z0-9._-]{2,}|\[[0-9A-Fa-f:.]+\]):(?!:|\/\/)[^\s"\\#;]*$/
const START = /^[^:/]*@-|^-|:\/\/(?:[^/]*@)?-/

/** Whether fetching from and pushing to an address runs no programs. */
function isNetworkAddress(address: string): boolean {
  return !START.test(address) && (ADDRESS.test(address) || SHORT_ADDRESS.test(address))
}

const URL = /^remote\.([^]*)\.(?:url|pushurl)$/
const OF_REMOTE = /^remote\.([^]*)\.[^.]+$/
/** Settings whose value is the name of a remote or an address. */
const NAME = /^(?:branch\.[^]*\.(?:remote|pushremote)|remote\.pushdefault|checkout\.defaultremote)$/

/** Settings that point git to a folder or another program on fetch or push; one line each. */
function unusualRemotes(settings: readonly Setting[]): string[] {
  const lines: string[] = []
  const named = new Set(settings.flatMap(({ key }) => (key.endsWith('.url') ? (URL.exec(key)?.[1] ?? []) : [])))
  for (const { key, value } of settings) {
    const remote = OF_REMOTE.exec(key)?.[1]
    if (URL.test(key) || key === 'lfs.url') {
      if (!isNetworkAddress(value)) lines.push(`setting ${key} = ${value}, which is not a network address`)
    } else if (remote !== undefined && !named.has(remote))
      lines.push(`setting ${key} = ${value}: git takes ${remote} as the address of a remote`)
    else if (NAME.test(key) && value !== '.' && !named.has(value))
      lines.push(`setting ${key} = ${value}, which is not a configured remote`)
  }
  return lines
}

/** What in a repository can run programs or point git elsewhere. */
export interface RepositoryPrograms {
  /** One line each, for display. */
  lines: string[]
  /** Identifies exactly these programs and their content. */
  hash: string
  /** Why the programs are not completely known and so cannot be trusted, as a sentence. */
  problem?: string
}

/** The user's settings that apply to repositories. */
export interface GitUser {
  /** `core.hooksPath` in the user's own settings; a relative path is a hooks folder inside each repository. */
  hooks?: string
  /** The meaning of `~` in settings. */
  home: string
}

/** Settings with which git runs no programs and stays in the repository's folder. Any other is shown to the user. */
const HARMLESS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|compression|loosecompression|preloadindex|untrackedcache|splitindex|commitgraph|sharedrepository|checkstat|trustctime|whitespace|protecthfs|protectntfs|createobject|packedgitlimit|packedgitwindowsize|bigfilethreshold|multipackindex|sparsecheckout|sparsecheckoutcone|commentchar|deltabasecachelimit|hidedotfiles)|extensions\.(?:objectformat|worktreeconfig|refstorage|partialclone|noop|compatobjectformat|preciousobjects)|(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)|remote\..*\.(?:url|fetch|pushurl|push|tagopt|prune|prunetags|mirror|gh-resolved|skipfetchall|skipdefaultupdate|promisor|partialclonefilter)|remote\.pushdefault|branch\..*\.(?:remote|merge|rebase|pushremote|description|gh-merge-base|vscode-merge-base|github-pr-owner-number)|branch\.(?:autosetupmerge|autosetuprebase|sort)|checkout\.defaultremote|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags|useforceifincludes|gpgsign)|fetch\.(?:prune|prunetags|writecommitgraph|parallel)|merge\.(?:ff|conflictstyle|renames|renamelimit|log|autostash|stat)|rebase\.(?:autosquash|autostash|updaterefs|stat|forkpoint|missingcommitscheck|abbreviatecommands)|color\..*|column\..*|submodule\..*\.(?:url|active|branch|ignore|shallow|fetchrecursesubmodules)|submodule\.(?:recurse|active|alternatelocation|alternateerrorstrategy|fetchjobs)|advice\..*|gc\.(?!recentobjectshook)[a-z]+|pack\.[a-z]+|index\.[a-z]+|feature\.[a-z]+|rerere\.(?:enabled|autoupdate)|commit\.(?:gpgsign|verbose|status|cleanup)|tag\.(?:gpgsign|sort|forcesignannotated)|status\.(?!submodulesummary)[a-z]+|diff\.(?:renames|renamelimit|algorithm|colormoved|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|relative|statgraphwidth|ignoresubmodules|submodule)|log\.(?:abbrevcommit|date|decorate|follow|graphcolors|mailmap|showroot)|lfs\.(?:repositoryformatversion|url|locksverify|https?:.*\.(?:access|locksverify))|http\.(?:postbuffer|lowspeedlimit|lowspeedtime|version)|maintenance\.(?:auto|strategy)|receive\.[a-z]+|help\.autocorrect|versionsort\..*|gui\.[a-z.]+|blame\.[a-z]+|format\.(?:signoff|pretty))$/

/** The content of hooks up to this size is hashed; for larger ones, their size, times and inode. */
const MAX_HOOK_BYTES = 32 * 1024 * 1024
const MAX_LINES = 200
/** Where old versions of git kept remotes. */
const OLD_REMOTES = ['remotes', 'branches']

/**
 * Lists what git could run because of this repository: settings that name programs or files, including those in
 * included files, hooks, and remotes that are not network addresses. Only reads files. The user is also asked about
 * what cannot be read.
 */
export function repositoryPrograms(repository: Repository, user: GitUser): RepositoryPrograms {
  const lines: string[] = []
  const sum = createHash('sha256')
  const found = (line: string, content: string | Buffer = ''): void => {
    lines.push(visibleLine(Buffer.from(line, 'latin1').toString('utf8')))
    sum.update(`${line.length} ${content.length}\0`).update(line, 'latin1').update(content)
  }
  const { commonDir, gitDir, top } = repository
  const starts = [join(commonDir, 'config'), join(commonDir, 'config.worktree'), join(gitDir, 'config.worktree')]
  const { settings, files, problem } = readSettings([...new Set(starts)], user.home)
  const hooks = new Set<string>()
  let unknownHooks: string | undefined
  for (const { key, value, file } of settings) {
    if (key === 'core.hookspath') {
      const folder = settingPath(value, { folder: top, userHome: user.home })
      if (folder === undefined) unknownHooks = 'It is not known which folder core.hooksPath names.'
      else hooks.add(folder)
    }
    if (HARMLESS.test(key.toLowerCase()) || isOwnWorktree(key, value, repository)) continue
    const isIncluded = !starts.includes(file)
    found(`setting ${key} = ${value}${isIncluded ? ` in ${bytesOf(file)}` : ''}`)
  }
  for (const line of unusualRemotes(settings)) found(line)
  // The hash also covers included files that name no program now.
  for (const [file, content] of files)
    if (!starts.includes(file)) sum.update(`${file}\0${content?.length}\0`).update(content ?? '')
  if (!settings.some(({ key, isConditional }) => key === 'core.hookspath' && !isConditional))
    hooks.add(user.hooks === undefined ? join(commonDir, 'hooks') : resolve(top, user.hooks))
  // An absolute path in the user's settings has the user's own hooks.
  for (const folder of hooks)
    if (folder !== user.hooks) for (const [name, content] of hooksIn(folder)) found(`hook ${bytesOf(name)}`, content)
  for (const [file, content] of oldRemotes(commonDir)) found(`remote in ${bytesOf(file)}`, content)
  const unknown = problem ?? unknownHooks
  if (unknown !== undefined) lines.unshift(visibleLine(unknown))
  if (lines.length > MAX_LINES) lines.splice(MAX_LINES, lines.length, `${lines.length - MAX_LINES} more`)
  return {
    lines,
    hash: lines.length === 0 ? '' : sum.digest('hex'),
    ...(unknown !== undefined && { problem: unknown }),
  }
}

/** The text's bytes as latin1, like settings. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function oldRemotes(commonDir: string): [file: string, content: Buffer][] {
  return OLD_REMOTES.flatMap((folder) =>
    namesIn(join(commonDir, folder)).map((name): [string, Buffer] => [
      `${folder}/${name}`,
      contentOf(join(commonDir, folder, name)),
    ]),
  )
}

/** A submodule's settings name its own working tree, which is harmless. */
function isOwnWorktree(key: string, value: string, { top, gitDir }: Repository): boolean {
  if (key !== 'core.worktree') return false
  try {
    return realpathSync.native(resolve(gitDir, Buffer.from(value, 'latin1').toString('utf8'))) === top
  } catch {
    return false
  }
}

/** Hooks that git would run: executable, without the samples. */
function hooksIn(folder: string): [name: string, content: Buffer][] {
  return namesIn(folder)
    .filter((name) => !name.endsWith('.sample') && isProgram(join(folder, name)))
    .map((name) => [name, contentOf(join(folder, name))])
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false
    // On Windows, every hook is executable.
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function contentOf(path: string): Buffer {
  try {
    const stat = statSync(path)
    if (!stat.isFile()) return Buffer.alloc(0)
    if (stat.size <= MAX_HOOK_BYTES) return readPlainFile(path, MAX_HOOK_BYTES) ?? Buffer.alloc(0)
    return Buffer.from([stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino].join(' '))
  } catch {
    return Buffer.alloc(0)
  }
}
