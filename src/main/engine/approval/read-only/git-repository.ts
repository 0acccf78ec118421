import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { readGitLink } from '../../git/run/find-repository'
import { readPlainFile, readPlainText } from '../../workspace/path/plain-file'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import { isWithin } from '../../workspace/path/real-path'
import type { RepositoryRead } from './program-grammar'

const MAX_BYTES = 32_000_000
const MAX_SETTINGS_BYTES = 400_000
/** The layout of an index entry: its length up to the name, and the position of its mode. */
const HEADER = 62
const MODE = 24
const EXTENDED = 0x4000
const SUBMODULE = 0o16
/**
 * Repository settings with which a read-only git command runs nothing and reads no other files. Any other setting asks.
 */
const HARMLESS_SETTING =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|compression|preloadindex|untrackedcache|splitindex|commitgraph|sharedrepository|checkstat|trustctime|whitespace|protecthfs|protectntfs|createobject|packedgitlimit|bigfilethreshold|multipackindex)|extensions\.(?:objectformat|worktreeconfig|refstorage)|(?:user|author|committer)\..*|remote\..*\.(?:url|fetch|pushurl|push|tagopt|prune|mirror|gh-resolved|skipfetchall)|branch\..*|init\..*|pull\..*|push\..*|fetch\.(?:prune|prunetags|writecommitgraph|parallel)|merge\.(?:ff|conflictstyle|renames|renamelimit|log)|rebase\..*|color\..*|column\..*|submodule\..*|advice\..*|gc\..*|pack\..*|index\..*|feature\..*|rerere\..*|commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|status\.(?!submodulesummary).*|diff\.(?:renames|renamelimit|algorithm|colormoved|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|relative|statgraphwidth)|log\.(?:abbrevcommit|date|decorate|follow|graphcolors|mailmap|showroot)|lfs\..*|http\.(?:postbuffer|lowspeedlimit|lowspeedtime|version|sslverify)|credential\.helper|maintenance\..*|receive\..*|help\.autocorrect|versionsort\..*|gui\..*|vscode-merge-base|branch)$/

/** Why git cannot read here without asking, or undefined. `root`: the project. */
export async function repositoryProblem(
  folder: string,
  read: RepositoryRead,
  root: string,
): Promise<string | undefined> {
  const found = await repositoryOf(folder)
  if (found === undefined) return undefined
  const { git, own, top } = found
  // The project itself may be a worktree or part of a larger repository; a folder inside it must not refer to a
  // repository elsewhere.
  if (!isWithin(git, root) && top !== root && isWithin(top, root))
    return `the repository of ${top} is outside the project`
  if (!isWithin(git, root) && read.contents !== 'none') return `the repository ${top} is larger than the project`
  const runs = await runsPrograms(found, read.addresses === true)
  if (runs !== undefined) return runs
  if (read.contents === 'none' && !read.entersSubmodules) return undefined
  const index = await readIndex(own)
  if (read.entersSubmodules) {
    // Git enters every submodule, even those that .gitmodules does not list.
    if (typeof index === 'string') return index
    for (const name of index.submodules) {
      const inner = await repositoryOf(join(top, name))
      const problem = inner && inner.git !== git ? await runsPrograms(inner, false) : undefined
      if (problem !== undefined) return problem
    }
  }
  if (read.contents === 'none') return undefined
  const files = [...read.only]
  let isOld = read.contents === 'history'
  for (const word of read.revisions) {
    if (await exists(resolve(folder, word.text))) files.push(word)
    // A file from a commit or the index, which is printed in addition to the named files.
    else if (word.text.includes(':')) return 'older versions of files may hold secrets'
    else isOld = true
  }
  if (files.length > 0) return contentsOfFiles(folder, top, files)
  if (isOld) return 'older versions of files may hold secrets'
  if (typeof index === 'string') return index
  return index.secret === undefined ? undefined : `${index.secret} is tracked, and sensitive`
}

/** Which settings or hooks of a repository make a read-only git command run something or read elsewhere. */
async function runsPrograms(repository: Repository, addresses: boolean): Promise<string | undefined> {
  const { git } = repository
  const settings = await settingsOf(repository)
  if (!settings) return `the settings of ${git} cannot be read`
  const isModule = git.includes('/.git/modules/')
  const odd = settings.find(([key]) => !HARMLESS_SETTING.test(key) && !(isModule && key === 'core.worktree'))
  if (odd) return `the setting ${odd[0]} of ${git} can make git run programs`
  if (addresses && settings.some(([key, value]) => key.startsWith('remote.') && /:\/\/[^/@\s]*@/.test(value)))
    return 'an address of a remote holds a password'
  return (await exists(join(git, 'hooks', 'post-index-change'))) ? 'a hook of the repository may run' : undefined
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}

/** Only plain names of existing files, so that they cannot refer to an older version of a folder. */
async function contentsOfFiles(folder: string, top: string, only: RepositoryRead['only']): Promise<string | undefined> {
  for (const { text, known } of only) {
    if (!known || /^[:]|[*?[\\]/.test(text)) return `${text} may be more than one file`
    const places = [resolve(folder, text), resolve(top, text)]
    if (places.some((path) => sensitiveRule(path) !== undefined)) return `${text} is sensitive`
    const stats = await Promise.all(places.map((path) => lstat(path).catch(() => undefined)))
    if (stats.some((each) => each?.isDirectory())) return `older versions of ${text} may hold secrets`
  }
  return undefined
}

interface Repository {
  /** The git directory that all working trees share. */
  git: string
  /** The git directory of this working tree. */
  own: string
  /** The working tree. */
  top: string
}

/** The repository that git would use in a folder: the nearest `.git`, or a folder that is itself a bare repository. */
async function repositoryOf(folder: string): Promise<Repository | undefined> {
  for (let next = folder; ; next = dirname(next)) {
    const dotGit = join(next, '.git')
    const stat = await lstat(dotGit).catch(() => undefined)
    if (stat?.isFile()) {
      const text = readGitLink(dotGit)
      const named = typeof text === 'string' ? /^gitdir: ([^]+)$/.exec(text)?.[1] : undefined
      // If the name is missing, its settings cannot be read, so it asks.
      const own = named === undefined ? dotGit : isAbsolute(named) ? named : join(next, named)
      return { git: commonFolder(own), own, top: next }
    }
    if (stat?.isSymbolicLink()) return { git: join(dotGit, 'link'), own: dotGit, top: next }
    if (stat && (await isRepository(dotGit))) return { git: commonFolder(dotGit), own: dotGit, top: next }
    if (await isRepository(next)) return { git: commonFolder(next), own: next, top: next }
    if (dirname(next) === next) return undefined
  }
}

async function isRepository(folder: string): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects'].map((name) => lstat(join(folder, name)).catch(() => undefined)))
  return parts.every((stat) => stat !== undefined)
}

/** Worktrees share the settings of their repository. */
function commonFolder(own: string): string {
  const file = join(own, 'commondir')
  if (!existsSync(file)) return own
  const named = readGitLink(file)
  // If the name is missing, its settings cannot be read, so it asks.
  return typeof named !== 'string' || named === '' ? file : resolve(own, named)
}

/**
 * Every setting of a repository, with the name git uses for it, in lower case; undefined for a file that cannot be
 * parsed.
 */
async function settingsOf({ git, own }: Repository): Promise<[key: string, value: string][] | undefined> {
  const main = join(git, 'config')
  const files = [main, ...new Set([join(git, 'config.worktree'), join(own, 'config.worktree')])]
  const texts = await Promise.all(
    files.map(async (file) => {
      if (file !== main && !(await exists(file))) return ''
      return readPlainText(file, MAX_SETTINGS_BYTES)
    }),
  )
  const settings: [string, string][] = []
  for (const text of texts) {
    if (text === undefined || text.length > 100_000) return undefined
    let section = ''
    for (const line of text.split('\n')) {
      const trimmed = line.trim()
      if (trimmed === '' || /^[#;]/.test(trimmed)) continue
      const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*([#;].*)?$/.exec(trimmed)
      if (header) {
        section = header[2] === undefined ? header[1]! : `${header[1]}.${header[2]}`
        continue
      }
      const setting = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(trimmed)
      if (!setting || section === '' || trimmed.endsWith('\\')) return undefined
      settings.push([`${section}.${setting[1]}`.toLowerCase(), setting[2] ?? 'true'])
    }
  }
  return settings
}

interface Index {
  /** The first tracked file that is sensitive. */
  secret?: string
  submodules: string[]
}

/** What git tracks, from its index; or why it is unknown. */
async function readIndex(git: string): Promise<Index | string> {
  const path = join(git, 'index')
  const stat = await lstat(path).catch(() => undefined)
  const found: Index = { submodules: [] }
  if (!stat) return found
  if (stat.size > MAX_BYTES) return 'too many files are tracked to look for secrets among them'
  const odd = 'the index of the repository is not understood'
  const index = readPlainFile(path, MAX_BYTES)
  if (!index) return odd
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return odd
  const version = index.readUInt32BE(4)
  if (version < 2 || version > 4) return odd
  let at = 12
  let before: Buffer = Buffer.alloc(0)
  for (let count = index.readUInt32BE(8); count > 0; count -= 1) {
    if (at + HEADER > index.length) return odd
    const nameAt = at + HEADER + ((index.readUInt16BE(at + HEADER - 2) & EXTENDED) !== 0 ? 2 : 0)
    const { from, left } = version === 4 ? abbreviated(index, nameAt, before.length) : { from: nameAt, left: 0 }
    const end = index.indexOf(0, from)
    if (end < 0 || left < 0) return odd
    const rest = index.subarray(from, end)
    const bytes = left > 0 ? Buffer.concat([before.subarray(0, left), rest]) : rest
    before = bytes
    const name = bytes.toString('utf8')
    if (index.readUInt32BE(at + MODE) >>> 12 === SUBMODULE) {
      // A name that is not UTF-8 would be resolved to a different folder than the one git enters.
      if (!isUtf8(bytes)) return odd
      found.submodules.push(name)
    } else if (sensitiveRule(`/${name}`) !== undefined) found.secret ??= name
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8
  }
  // A split index keeps more names in another file.
  return index.toString('latin1', at, at + 4) === 'link' ? odd : found
}

/** Where the rest of an abbreviated name starts, and how many bytes of the previous name are its prefix. */
function abbreviated(index: Buffer, start: number, lengthBefore: number): { from: number; left: number } {
  let at = start
  let byte = index[at++] ?? 0
  let removed = byte & 127
  while ((byte & 128) !== 0 && at - start < 5) {
    byte = index[at++] ?? 0
    removed = (removed + 1) * 128 + (byte & 127)
  }
  return { from: at, left: lengthBefore - removed }
}
