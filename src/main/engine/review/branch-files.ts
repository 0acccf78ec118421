import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { errorText } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import type { ReviewBases } from '../../../shared/model/session/review'
import { captureFile, statAt } from '../checkpoint/capture/file-state'
import type { ReadableRepository } from '../git/repository/open-to-read'
import { isSafeTreePath } from '../git/run/git-path'
import { submoduleChanges, submoduleNote } from '../git/state/submodules'
import type { Listing, ReviewDeps, ReviewedFile, Version } from './reviewed-file'
import { WorkSlices } from '../runtime/work-slices'

/** More untracked files indicate a folder that should be ignored, not work to review. */
const MAX_UNTRACKED = 2_000
/** Lists differences using git objects only. */
const RAW_DIFF =
  'diff --raw -z -M --no-abbrev --no-ext-diff --no-textconv --no-color --ignore-submodules=dirty --relative'.split(' ')

/**
 * The files that differ from the merge base with `base`: committed, staged, unstaged and untracked. Throws
 * `request.invalid` if there is no repository or no such branch. Skips paths outside the folder or in the repository's
 * own files, and files behind links: a hostile repository may contain any names.
 */
export async function branchFiles(deps: ReviewDeps, folder: string, base: string): Promise<Listing> {
  const repository = await deps.openRepository(folder).catch(refuseFolder)
  const { commit, note } = await branchPoint(repository, base)
  const raw = await repository.read([...RAW_DIFF, commit, '--'], READING).catch(refuse)
  const listed = await repository.read(['ls-files', '--others', '--exclude-standard', '-z'], READING).catch(refuse)
  const untracked = splitZero(listed.stdout)
  const files = new Map<string, ReviewedFile>()
  const isUsable = namesIn(folder)
  let unusable = 0
  const slices = new WorkSlices()
  const add = async (entry: string, before: Version, earlier?: string): Promise<void> => {
    const [name, from] = [isUsable(entry), earlier === undefined ? undefined : isUsable(earlier)]
    if (name === undefined || (earlier !== undefined && from === undefined)) return void (unusable += 1)
    const path = join(folder, name)
    // A file with a merge conflict is listed twice, the second time without its old side.
    if (files.has(path)) return
    const now = captureFile(path, { maxBytes: deps.maxBytes() })
    if (now.kind === 'absent' && before.kind === 'absent') return
    if (now.kind !== 'folder' || before.kind === 'unkept')
      files.set(path, { path, before, after: now, now, ...(from !== undefined && { from: join(folder, from) }) })
    if (slices.isOver) await slices.next()
  }
  for (const { name, from, oid, mode } of rawEntries(raw.stdout)) await add(name, versionOf(oid, mode), from)
  for (const name of untracked.slice(0, MAX_UNTRACKED)) if (!name.endsWith('/')) await add(name, { kind: 'absent' })
  const left = untracked.length - MAX_UNTRACKED
  const inside = await submoduleChanges(repository, deps.openRepository).catch(refuse)
  const notes = [
    note,
    submoduleNote(inside),
    left > 0 && `${left.toLocaleString('en-US')} more untracked ${left === 1 ? 'file is' : 'files are'} not shown.`,
    unusable > 0 &&
      `${unusable.toLocaleString('en-US')} ${unusable === 1 ? 'file is' : 'files are'} not shown: ` +
        'the names cannot be used, or a link is on the way.',
  ]
  const all = notes.filter((text) => typeof text === 'string').join(' ')
  return { files: [...files.values()], base: { name: base, commit }, ...(all !== '' && { note: all }) }
}

/** Ignores files that were touched but not changed. */
const READING = { maxBytes: 256 * 1024 * 1024, settings: ['diff.autoRefreshIndex=true'] }

/** Returns a function that reads names as git prints them; undefined for a name outside the folder itself. */
function namesIn(folder: string): (latin1: string) => string | undefined {
  const links = new Map<string, boolean>()
  const isLink = (name: string): boolean => {
    const stat = statAt(join(folder, name))
    return stat !== undefined && !stat.isDirectory()
  }
  return (latin1) => {
    const bytes = Buffer.from(latin1, 'latin1')
    if (!isSafeTreePath(latin1) || !isUtf8(bytes)) return undefined
    const name = bytes.toString('utf8')
    const parts = name.split('/')
    for (let count = 1; count < parts.length; count += 1) {
      const parent = parts.slice(0, count).join('/')
      if (!links.has(parent)) links.set(parent, isLink(parent))
      if (links.get(parent)) return undefined
    }
    return name
  }
}

async function branchPoint(git: ReadableRepository, base: string): Promise<{ commit: string; note?: string }> {
  const tip = await commitOf(git, base)
  const shared = await git.read(['merge-base', tip, 'HEAD']).catch(() => undefined)
  const commit = shared?.stdout.toString('utf8').trim()
  return commit ? { commit } : { commit: tip, note: `${base} has no commit in common with what is checked out.` }
}

async function commitOf(git: ReadableRepository, base: string): Promise<string> {
  const found = base.startsWith('-')
    ? undefined
    : await git.read(['rev-parse', '--verify', '--quiet', `${base}^{commit}`]).catch(missing)
  if (found) return found.stdout.toString('utf8').trim()
  throw new CodedError('request.invalid', `base: there is no branch or commit ${JSON.stringify(base)}.`)
}

/** Treats a failed look-up as a missing commit, but rethrows if the repository cannot be used at all. */
function missing(error: unknown): undefined {
  if (error instanceof CodedError && /^git\.(?:ownership|no_repository|missing|untrusted)$/.test(error.code))
    throw error
}

interface RawEntry {
  name: string
  from?: string
  oid: string
  mode: number
}

/** Entries of `git diff --raw -z`; `oid` and `mode` are those of the old side. */
function rawEntries(raw: Buffer): RawEntry[] {
  const fields = splitZero(raw)
  const entries: RawEntry[] = []
  for (let n = 0; n < fields.length;) {
    const head = /^:(\d+) \d+ ([0-9a-f]+) [0-9a-f]+ ([A-Z])/.exec(fields[n]!)
    if (!head) break
    const isMoved = head[3] === 'R' || head[3] === 'C'
    const [first, second] = [fields[n + 1] ?? '', fields[n + 2] ?? '']
    entries.push({
      name: isMoved ? second : first,
      ...(head[3] === 'R' && { from: first }),
      oid: head[2]!,
      mode: Number.parseInt(head[1]!, 8),
    })
    n += isMoved ? 3 : 2
  }
  return entries
}

const SUBMODULE = 0o160000
const LINK = 0o120000

function versionOf(oid: string, mode: number): Version {
  if (mode === 0 || /^0+$/.test(oid)) return { kind: 'absent' }
  if (mode === SUBMODULE) return { kind: 'unkept', why: `it is a submodule at ${oid.slice(0, 10)}`, mark: oid }
  return { kind: 'object', oid, mode: mode & 0o777, isLink: mode === LINK }
}

/** Whether the name fits on one line. */
function isPlain({ name }: { name: string }): boolean {
  return !/[\n\r]/.test(name)
}

/** Names keep their bytes, as one character each. */
function splitZero(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\0').slice(0, -1)
}

function refuseFolder(error: unknown): never {
  if (error instanceof CodedError && error.code === 'git.no_repository')
    throw new CodedError('request.invalid', error.message)
  throw error
}

function refuse(error: unknown): never {
  if (error instanceof CodedError && error.code === 'git.untrusted') throw error
  throw new CodedError('request.invalid', `git could not compare: ${errorText(error)}`)
}

const MAX_BRANCHES = 100
const BY_DATE = ['--sort=-committerdate', `--count=${MAX_BRANCHES}`, '--format=%(refname:short)']

/** The branches that the work in a folder can be compared with. */
export async function reviewBases(deps: Pick<ReviewDeps, 'openRepository'>, folder: string): Promise<ReviewBases> {
  try {
    const git = await deps.openRepository(folder)
    const text = async (...args: string[]): Promise<string> => (await git.read(args)).stdout.toString('utf8').trim()
    const current = await text('symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => '')
    const main = await text('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD').catch(() => '')
    const listed = await text('for-each-ref', ...BY_DATE, 'refs/heads', 'refs/remotes')
    const names = listed.split('\n').filter((name) => name !== '' && !name.endsWith('/HEAD') && name !== 'origin')
    const likely = [main, 'main', 'master', 'origin/main', 'origin/master'].filter((name) => names.includes(name))
    const others = [...likely, ...names].filter((name) => name !== current)
    const hasCommits = (await text('rev-parse', '--verify', '--quiet', 'HEAD').catch(() => '')) !== ''
    return {
      ...(current !== '' && { current }),
      branches: [...new Set([...others, ...(hasCommits ? ['HEAD'] : [])])],
      ...(!hasCommits && { problem: 'This repository has no commits yet.' }),
    }
  } catch (error) {
    return { branches: [], problem: errorText(error) }
  }
}

/** The contents of objects, filtered as git writes them to the working tree; by `oid`. */
export async function objectContents(
  git: ReadableRepository,
  objects: readonly { oid: string; name: string }[],
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>()
  // A name with a line feed cannot be passed with its object, so such objects are not filtered: filters may depend on
  // names.
  const filtered = objects.filter(isPlain)
  const read = async (args: string[], list: typeof objects, line: (one: (typeof objects)[number]) => string) => {
    if (list.length === 0) return
    const input = list.map((one) => `${line(one)}\n`).join('')
    const { stdout: out } = await git.read(args, { ...READING, input })
    let at = 0
    for (const { oid } of list) {
      const end = out.indexOf(10, at)
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(out.toString('latin1', at, end))?.[1]
      if (end < 0) return
      at = end + 1
      if (size === undefined) continue
      contents.set(oid, out.subarray(at, at + Number(size)))
      at += Number(size) + 1
    }
  }
  await read(['cat-file', '--batch', '--filters'], filtered, ({ oid, name }) => `${oid} ${name}`)
  const others = objects.filter((one) => !isPlain(one))
  await read(['cat-file', '--batch'], others, ({ oid }) => oid)
  return contents
}
