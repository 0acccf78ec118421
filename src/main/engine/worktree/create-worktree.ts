import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { NewWorktree } from '../../../shared/model/project/worktree'
import { forgetWorktree, makeWorktreesFolder, writeWorktree, type WorktreeRecord } from '../config/worktree-record'
import { commitOf } from '../git/change/branches'
import { findRepository, type Repository } from '../git/run/find-repository'
import { currentBranch, headCommit } from '../git/repository/current-branch'
import type { OpenRepository } from '../git/repository/open-repository'
import { branchWords, freeBranch } from './branch-name'
import { copyAll, copyFiles, isFileAt, type CopiedFiles } from './files/copy-files'
import { isPlainFolder } from '../git/run/plain-path'
import { writeFiles } from './files/saved-files'
import { takeSnapshot } from './files/snapshot'
import type { WorktreePlace } from './worktree-place'

export interface CreateOptions extends NewWorktree {
  /** Real path of the folder a session would work in. */
  project: string
  /** Prefix of drafted branch names. */
  prefix: string
  /** Patterns of files to copy. */
  copy: readonly string[]
  /** Files that configure Trestle in the project, relative to the project folder. */
  configuration: readonly string[]
  onProgress?(line: string): void
  signal?: AbortSignal
}

export interface CreatedWorktree {
  record: WorktreeRecord
  /** Notes for the user, as sentences. */
  notes: string[]
}

const MAX_NAME = 40

/** Creates a worktree for a session. When it fails, nothing is left behind. */
export async function createWorktree(place: WorktreePlace, options: CreateOptions): Promise<CreatedWorktree> {
  const { project } = options
  const repository = findRepository(project)
  if (!repository) throw new CodedError('git.no_repository', `${project} is not in a Git repository.`)
  const main = await place.open(repository)
  if ((await headCommit(main)) === undefined && !options.from)
    throw new CodedError('worktree.no_commit', `${repository.top} has no commit.`)
  return place.exclusively(repository.commonDir, () => create(place, main, options))
}

async function create(place: WorktreePlace, main: OpenRepository, options: CreateOptions): Promise<CreatedWorktree> {
  const { home, now } = place
  const { project, from, changes = false } = options
  const start = await commitOf(main, from ?? 'HEAD')
  if (changes && start !== (await commitOf(main, 'HEAD')))
    throw new CodedError('request.invalid', 'Uncommitted changes can only be taken along from what is checked out.')
  const { branch, isNew, drafted } = await branchOf(main, options)
  const base = await baseOf(main, from)
  const inside = relative(main.top, project).replaceAll('\\', '/')
  const id = await freeId(home, basename(main.bare ? main.top.replace(/\.git$/, '') : main.top))
  const record: WorktreeRecord = {
    id,
    state: 'creating',
    folder: join(makeWorktreesFolder(home), id),
    project,
    inside: main.bare ? '' : inside,
    commonDir: main.commonDir,
    main: main.top,
    branch,
    ownBranch: isNew,
    ...(drafted && { drafted: true }),
    ...(base !== undefined && base !== branch && { base }),
    createdAt: now(),
    copied: {},
  }
  // Recorded first, so that an unfinished worktree can be recognized as ours.
  writeWorktree(home, record)
  const notes: string[] = []
  let made: Repository
  try {
    made = await addWorktree(main, record, { ...options, start, notes })
  } catch (error) {
    await removeUnfinished(place, main, record, isNew ? start : undefined)
    throw error
  }
  record.gitDir = made.gitDir
  writeWorktree(home, record)
  try {
    const worktree = await place.open(made)
    if (changes) {
      const { temporary } = place
      const { commit, tree, files } = await takeSnapshot(main, { temporary, ignored: false })
      if (commit !== start) throw new CodedError('git.changed', 'The project has another commit checked out by now.')
      await writeFiles(worktree, commit, tree)
      if (files > 0)
        notes.push(`${files} uncommitted ${files === 1 ? 'file was' : 'files were'} copied. The project keeps its own.`)
    }
    const isThere = isPlainFolder(made.top, record.inside)
    if (!isThere) {
      notes.push(`The branch has no folder ${record.inside}: the session works at the top.`)
      record.inside = ''
    }
    if (!main.bare) {
      const files = await copyFiles(main, { to: made.top, like: start }, options.copy)
      const configuration = isThere ? options.configuration : []
      const own = copyConfiguration(main.top, made.top, { project, like: start, files: configuration })
      record.copied = { ...files.copied, ...own.copied }
      const skipped = [...files.skipped, ...own.skipped]
      if (skipped.length > 0)
        notes.push(`Not copied, because they are links, large, or there already: ${skipped.slice(0, 10).join(', ')}.`)
    }
    record.state = 'ready'
    writeWorktree(home, record)
    return { record, notes }
  } catch (error) {
    await removeUnfinished(place, main, record, isNew ? start : undefined)
    throw error
  }
}

async function addWorktree(
  main: OpenRepository,
  { folder, branch }: WorktreeRecord,
  { start, onProgress, signal, notes, ...options }: CreateOptions & { start: string; notes: string[] },
): Promise<Repository> {
  const isNew = (await main.maybe(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) === undefined
  const where = isNew ? ['--no-track', '-b', branch!, '--', folder, start] : ['--', folder, branch!]
  try {
    await main.write(['worktree', 'add', ...where], {
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    })
  } catch (error) {
    // A hook that runs after the checkout has nothing to undo.
    if (!(error instanceof CodedError && error.code === 'git.hook') || !findRepository(folder)) throw error
    notes.push(error.message)
  }
  const made = findRepository(realpathSync(folder))
  if (!made || made.top !== realpathSync(folder) || made.commonDir !== main.commonDir)
    throw new CodedError('git.failed', `git did not make the worktree for ${options.project}.`)
  return made
}

/** Removes an unfinished worktree. Only removes what this call created. */
async function removeUnfinished(
  { home, log }: WorktreePlace,
  main: OpenRepository,
  record: WorktreeRecord,
  newBranchAt: string | undefined,
): Promise<void> {
  try {
    if (lstatSync(record.folder, { throwIfNoEntry: false }) && findRepository(record.folder)?.top === record.folder)
      await main.write(['worktree', 'remove', '--force', '--', record.folder])
    if (newBranchAt !== undefined)
      await main.write(['update-ref', '-d', `refs/heads/${record.branch}`, newBranchAt], { okCodes: [0, 1, 128] })
    forgetWorktree(home, record.id)
  } catch (error) {
    log(`The unfinished worktree ${record.id} could not be removed: ${String(error)}`)
  }
}

async function branchOf(
  main: OpenRepository,
  { branch, about, prefix }: CreateOptions,
): Promise<{ branch: string; isNew: boolean; drafted: boolean }> {
  if (branch === undefined) {
    const words = about === undefined ? undefined : branchWords(about)
    return { branch: await freeBranch(main, prefix, words), isNew: true, drafted: true }
  }
  if ((await main.maybe(['check-ref-format', '--branch', branch])) !== branch)
    throw new CodedError('git.bad_name', `${JSON.stringify(branch)} is not a name for a branch.`)
  const isThere = (await main.maybe(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])) !== undefined
  return { branch, isNew: !isThere, drafted: false }
}

/** The local branch that the worktree starts from and will be merged into. */
async function baseOf(main: OpenRepository, from: string | undefined): Promise<string | undefined> {
  const name = from?.replace(/^refs\/heads\//, '') ?? (await currentBranch(main))
  if (name === undefined) return undefined
  return (await main.maybe(['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) === undefined ? undefined : name
}

async function freeId(home: string, name: string): Promise<string> {
  const stem =
    name
      .replaceAll(/[^\w-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, MAX_NAME) || 'project'
  const root = makeWorktreesFolder(home)
  for (;;) {
    const id = `${stem}-${randomBytes(3).toString('hex')}`
    if (!existsSync(join(root, id)) && !existsSync(join(home, 'worktrees', `${id}.json`))) return id
  }
}

/** Copies a project's settings into the worktree, so that they apply there even if they are not committed. */
function copyConfiguration(
  from: string,
  to: string,
  { project, like, files }: { project: string; like: string; files: readonly string[] },
): CopiedFiles {
  const paths = files.map((file) =>
    Buffer.from(relative(from, join(project, file)).replaceAll('\\', '/'), 'utf8').toString('latin1'),
  )
  const { copied, skipped } = copyAll({ from, to, like }, paths)
  // The branch may have its own version.
  return { copied, skipped: skipped.filter((path) => !isFileAt(to, Buffer.from(path, 'utf8').toString('latin1'))) }
}
