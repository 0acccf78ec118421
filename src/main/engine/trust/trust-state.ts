import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../shared/lazy-schema'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import type { TrustView } from '../../../shared/configuration/customize/customizations'
import { projectFilesHash, projectFiles, type ProjectFile } from './project-files'
import { readConfigText } from '../config/read-config-file'
import { projectOf } from '../config/worktree-record'
import { writePrivateFile } from '../config/write-private-file'
import { agentTrace } from '../runtime/agent-trace'

/** Whether a project's own configuration currently applies. */
export interface TrustState {
  state: TrustView['state']
  files: ProjectFile[]
  hash: string
  accepted?: NonNullable<TrustDecision['accepted']>
  /** Why the user's decision cannot be read. */
  problem?: ConfigProblem
}

/**
 * Reads the project's files and the user's decision about it. `folder` is a real path. Reads nothing more if the
 * project has no files.
 */
export function readTrustState(home: string, folder: string): TrustState {
  const files = projectFiles(folder, home)
  const hash = projectFilesHash(folder, files)
  if (files.length === 0) return { state: 'nothing', files, hash }
  const found = readTrustDecision(home, folder)
  if ('problem' in found) return { state: 'asked', files, hash, problem: found.problem }
  const project = projectOf(home, folder)
  if (project !== folder && !found.entry.accepted && found.entry.refused !== hash)
    return worktreeState(home, { folder, project, files, hash })
  const { accepted, refused } = found.entry
  const state = accepted?.hash === hash ? 'trusted' : refused === hash ? 'refused' : accepted ? 'changed' : 'asked'
  return { state, files, hash, ...(accepted && { accepted }) }
}

/** Maps a path in one folder to the same path in another; other paths are unchanged. */
function moved(path: string, from: string, to: string): string {
  return path.startsWith(from + sep) ? join(to, relative(from, path)) : path
}

/**
 * In a worktree, the decision about its project applies as long as the files are identical, with the same text at the
 * same paths.
 */
function worktreeState(
  home: string,
  { folder, project, files, hash }: { folder: string; project: string; files: ProjectFile[]; hash: string },
): TrustState {
  const found = readTrustDecision(home, project)
  if ('problem' in found) return { state: 'asked', files, hash, problem: found.problem }
  const asInProject = files.map((one) => ({
    ...one,
    file: moved(one.file, folder, project),
    ...(one.link !== undefined && { link: moved(one.link, folder, project) }),
  }))
  const inProject = projectFilesHash(project, asInProject)
  const { accepted, refused } = found.entry
  const state =
    accepted?.hash === inProject ? 'trusted' : refused === inProject ? 'refused' : accepted ? 'changed' : 'asked'
  const here = accepted && {
    ...accepted,
    files: accepted.files.map(({ file, text }) => ({ file: moved(file, project, folder), text })),
  }
  return { state, files, hash, ...(here && { accepted: here }) }
}

const TrustDecisionSchema = lazySchema(() =>
  z.object({
    /** Real path. */
    folder: z.string().min(1),
    /** The exact text that the user trusts. */
    accepted: z
      .object({
        hash: z.string().min(1),
        at: z.number(),
        files: z.array(z.object({ file: z.string(), text: z.string() })),
      })
      .optional(),
    /** The hash of the text that the user does not trust. */
    refused: z.string().optional(),
  }),
)

/**
 * The user's decision about one folder. Each decision has its own file, so that processes do not overwrite each other's
 * decisions.
 */
export type TrustDecision = SchemaOutput<typeof TrustDecisionSchema>

/** The decision about a folder. An unreadable one trusts nothing, and is left unchanged. */
export function readTrustDecision(home: string, folder: string): { entry: TrustDecision } | { problem: ConfigProblem } {
  const file = decisionFile(home, folder)
  const found = readConfigText(file)
  if ('missing' in found) return { entry: { folder } }
  if ('problem' in found)
    return { problem: { file, message: `${found.problem.message} Nothing in ${folder} is trusted because of that.` } }
  const entry = parseDecision(found.text)
  if (entry?.folder === folder) return { entry }
  return {
    problem: { file, message: `It is damaged, so nothing in ${folder} is trusted. Remove it, then decide again.` },
  }
}

/** Replaces the decision; an unreadable file is kept next to it. */
export function writeTrustDecision(home: string, entry: TrustDecision): void {
  mkdirSync(join(home, 'trust'), { recursive: true, mode: 0o700 })
  const file = decisionFile(home, entry.folder)
  if ('problem' in readTrustDecision(home, entry.folder)) renameSync(file, `${file}.damaged-${Date.now()}`)
  writePrivateFile(file, `${JSON.stringify(entry, undefined, 2)}\n`)
}

export function removeTrustDecision(home: string, folder: string): void {
  rmSync(decisionFile(home, folder), { force: true })
}

/** All folders with a readable decision. */
export function listTrustDecisions(home: string): TrustDecision[] {
  let names: string[]
  try {
    names = readdirSync(join(home, 'trust')).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const found = readConfigText(join(home, 'trust', name))
    const entry = 'text' in found ? parseDecision(found.text) : undefined
    return entry && decisionFile(home, entry.folder) === join(home, 'trust', name) ? [entry] : []
  })
}

function decisionFile(home: string, folder: string): string {
  return join(home, 'trust', `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`)
}

function parseDecision(text: string): TrustDecision | undefined {
  try {
    return TrustDecisionSchema().safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Lets `write` change one file of a project at the user's request. If all of the folder's configuration was trusted
 * before, or did not exist, it stays trusted if only this file has changed, to the text that `write` returns.
 * Otherwise, and if an agent's command makes the change, the user is asked as usual. `folder` is a real path.
 */
export async function writeKeepingTrust(
  home: string,
  folder: string,
  file: string,
  now: () => number,
  write: () => Promise<string>,
): Promise<void> {
  const before = readTrustState(home, folder)
  const text = await write()
  if (
    (before.state !== 'trusted' && before.state !== 'nothing') ||
    (await agentTrace({ home, orphans: false })) !== undefined
  )
    return
  const after = readTrustState(home, folder)
  const others = (files: typeof after.files): string => JSON.stringify(files.filter((one) => one.file !== file))
  const isOurs = after.files.every(
    (one) => one.file !== file || (one.text === text && one.link === undefined && !one.problem),
  )
  const found = readTrustDecision(home, folder)
  if (!isOurs || after.files.length === 0 || others(before.files) !== others(after.files) || !('entry' in found)) return
  const files = after.files.map((one) => ({ file: one.file, text: one.text }))
  writeTrustDecision(home, { folder, accepted: { hash: after.hash, at: now(), files } })
}
