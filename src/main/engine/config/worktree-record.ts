import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../shared/lazy-schema'
import { WORKTREE_FOLDERS } from '../../../shared/model/project/worktree'
import { writePrivateFile } from './write-private-file'

const Hash = lazySchema(() => z.string().regex(/^[0-9a-f]{40,64}$/))
const Record = lazySchema(() =>
  z.object({
    id: z.string().regex(/^[\w.-]{1,100}$/),
    state: z.enum(['creating', 'ready', 'removing', 'removed']),
    /** The top of the worktree; a real path. */
    folder: z.string(),
    /** The real path of the folder that the session would have worked in without a worktree. */
    project: z.string(),
    /** From the top of the repository to the project; empty for the top. */
    inside: z.string(),
    /** The git folder that all worktrees of the repository share. */
    commonDir: z.string(),
    /** The top of the working tree that it was created from. */
    main: z.string(),
    /** Git's own folder for this worktree; absent until it is created. */
    gitDir: z.string().optional(),
    branch: z.string().optional(),
    /** Whether Trestle created the branch. */
    ownBranch: z.boolean(),
    /** Whether Trestle chose the branch's name before the session's purpose was known. */
    drafted: z.boolean().optional(),
    base: z.string().optional(),
    createdAt: z.number(),
    /** Files copied from the project, relative to its top, with their hashes. */
    copied: z.record(z.string(), z.string()),
    setup: z
      .object({
        command: z.string(),
        state: z.enum(['running', 'done', 'failed', 'stopped']),
        exitCode: z.number().optional(),
        startedAt: z.number(),
        endedAt: z.number().optional(),
      })
      .optional(),
    removed: z
      .object({
        at: z.number(),
        commit: Hash(),
        /**
         * The commit that keeps files and commits: its parents are `commit`, the index and everything no branch has.
         */
        keep: Hash(),
        /** The index as a commit; absent if it matched `commit`. */
        index: Hash().optional(),
        files: z.number(),
        patch: z.string().optional(),
        branchDeleted: z.literal(true).optional(),
        /** Copied files that were not saved because they matched the project's. */
        copies: z.array(z.string()).optional(),
        dropped: z.array(z.string()),
      })
      .optional(),
  }),
)

/** The record of a worktree that Trestle created. Only recorded worktrees can be removed. */
export type WorktreeRecord = SchemaOutput<typeof Record>

/** The folder that contains worktrees. */
export function worktreesFolder(home: string): string {
  return join(dirname(home), WORKTREE_FOLDERS)
}

/** The folder of records, logs and patches. */
export function worktreeRecords(home: string): string {
  return join(home, 'worktrees')
}

export function readWorktree(home: string, id: string): WorktreeRecord | undefined {
  if (!/^[\w.-]{1,100}$/.test(id)) return undefined
  try {
    const record = Record().parse(JSON.parse(readFileSync(join(worktreeRecords(home), `${id}.json`), 'utf8')))
    return record.id === id ? record : undefined
  } catch {
    return undefined
  }
}

/** Replaces a record. Throws when it cannot be written. */
export function writeWorktree(home: string, record: WorktreeRecord): void {
  mkdirSync(worktreeRecords(home), { recursive: true, mode: 0o700 })
  writePrivateFile(join(worktreeRecords(home), `${record.id}.json`), `${JSON.stringify(record, undefined, 2)}\n`)
}

/** Retires a record by renaming its file, which can still be read. */
export function forgetWorktree(home: string, id: string): void {
  const file = join(worktreeRecords(home), `${id}.json`)
  try {
    renameSync(file, `${file}.old`)
  } catch {
    rmSync(file, { force: true })
  }
}

/** All records that can be read, oldest first. */
export function listWorktrees(home: string): WorktreeRecord[] {
  let names: string[]
  try {
    names = readdirSync(worktreeRecords(home))
  } catch {
    return []
  }
  return names
    .flatMap((name) => (name.endsWith('.json') ? (readWorktree(home, name.slice(0, -5)) ?? []) : []))
    .toSorted((a, b) => a.createdAt - b.createdAt)
}

/**
 * The Trestle worktree that contains a folder, which costs nothing for other folders. Includes removed worktrees,
 * because their sessions still belong to the project.
 */
export function worktreeOf(home: string, folder: string): WorktreeRecord | undefined {
  const root = worktreesFolder(home)
  const under = folder.startsWith(root + sep) ? folder : undefined
  const id = under?.slice(root.length + 1).split(sep, 1)[0]
  const record = id === undefined ? undefined : readWorktree(home, id)
  return record && isWithin(record.folder, folder) ? record : undefined
}

/** The project folder that corresponds to a folder: itself, unless it is in a Trestle worktree. Real paths. */
export function projectOf(home: string, folder: string): string {
  const record = worktreeOf(home, folder)
  if (!record) return folder
  const start = join(record.folder, record.inside)
  return isWithin(start, folder) ? join(record.project, relative(start, folder)) : record.project
}

function isWithin(outer: string, path: string): boolean {
  return path === outer || path.startsWith(outer + sep)
}

/** Creates the folder for worktrees if needed; only the user can open it. */
export function makeWorktreesFolder(home: string): string {
  const root = worktreesFolder(home)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return realpathSync(root)
}
