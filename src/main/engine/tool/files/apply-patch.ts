import { dirname } from 'node:path'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { FileDiff, Preview } from '../../../../shared/model/approval/preview'
import { FileProblem } from '../../workspace/path/file-problem'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { diffOfChange, endingsNote, foldersNote, hookNote, linksNote, type PlannedChange } from '../edit/planned-change'
import { writeChanges, type WrittenChange } from '../edit/write-changes'
import type { EditDeps } from '../edit/edit-tools'
import { catchFileProblem } from '../edit/file-change'
import { parsePatch, type PatchOperation } from '../edit/parse-patch'
import { planPatch, type PatchPlan } from '../edit/plan-patch'
import { pathRefusal, shownPath, rememberFolder } from '../file-paths'
import {
  failed,
  ok,
  refuse,
  type Access,
  type CallContext,
  type PreparedCall,
  type Refusal,
  type Tool,
  type ToolResult,
} from '../tool'
import description from './apply-patch.md?raw'

/** Maximum number of files in one call; more cannot be judged on a card. */
const MAX_FILES = 100
const MAX_IN_SUMMARY = 3

const input = lazySchema(() =>
  z.strictObject({
    input: z.string().min(1).describe('The patch, from *** Begin Patch to *** End Patch'),
  }),
)

/** Changes several files with one patch, in the format that GPT models were trained on. */
export function applyPatchTool(deps: EditDeps): Tool<typeof input> {
  return {
    name: 'apply_patch',
    description,
    input,
    subject: ['input'],
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async prepare({ input: patch }) {
      try {
        return await prepare(deps, parsePatch(patch))
      } catch (error) {
        if (error instanceof FileProblem) return refuse(error.message)
        throw error
      }
    },
  }
}

async function prepare(deps: EditDeps, operations: readonly PatchOperation[]): Promise<PreparedCall | Refusal> {
  const { workspace } = deps
  const written = new Set(
    operations.flatMap((each) =>
      each.kind === 'update' && each.moveTo !== undefined ? [each.path, each.moveTo] : [each.path],
    ),
  )
  if (written.size > MAX_FILES)
    return refuse(`The patch changes ${written.size} files; at most ${MAX_FILES} go into one call. Split it.`)
  const paths = new Map<string, ResolvedPath>()
  for (const each of written) {
    const path = await workspace.resolve(each)
    const refusal = pathRefusal(workspace, path)
    if (refusal) return refusal
    paths.set(each, path)
  }
  const plan = (checksRead: boolean): Promise<PatchPlan> =>
    planPatch(operations, { workspace, paths, hooks: deps.hooks?.(), hidden: deps.hidden, checksRead })
  const accesses = accessesOf(paths.values())
  const folders = new Set(accesses.map(({ path }) => dirname(path)))
  const [folder] = folders
  return {
    summary: summaryOf(workspace, operations, paths),
    accesses,
    ...(folders.size === 1 && folder !== undefined && { rememberAs: rememberFolder(workspace, 'edit', folder) }),
    preview: () => preview(workspace, plan),
    check: () => catchFileProblem(async () => void (await plan(true))),
    run: async (ctx) => (await catchFileProblem(() => run(deps, plan, ctx))) ?? failed('Nothing was done.'),
  }
}

/** Every way to write a file counts: rules judge the path both as written and as resolved. */
function accessesOf(paths: Iterable<ResolvedPath>): Extract<Access, { kind: 'file' }>[] {
  const accesses = new Map<string, Extract<Access, { kind: 'file' }>>()
  for (const { path, realPath } of paths)
    accesses.set(`${realPath}\0${path}`, { kind: 'file', path: realPath, written: path, write: true })
  return [...accesses.values()]
}

function summaryOf(
  workspace: Workspace,
  operations: readonly PatchOperation[],
  paths: ReadonlyMap<string, ResolvedPath>,
): string {
  const shown = (written: string): string => shownPath(workspace, paths.get(written)!)
  const all = [
    ...new Set(
      operations.map((each) => {
        if (each.kind === 'delete') return `${shown(each.path)} (delete)`
        return each.kind === 'update' && each.moveTo !== undefined
          ? `${shown(each.path)} (move to ${shown(each.moveTo)})`
          : shown(each.path)
      }),
    ),
  ]
  const more = all.length - MAX_IN_SUMMARY
  return more > 0 ? `${all.slice(0, MAX_IN_SUMMARY).join(', ')} and ${more} more` : all.join(', ')
}

async function preview(workspace: Workspace, plan: (checksRead: boolean) => Promise<PatchPlan>): Promise<Preview> {
  try {
    // `check` and `run` decide whether files were read, because the Read may be an earlier call of the same step.
    const { changes } = await plan(false)
    return detailsOf(await diffsOf(workspace, changes))
  } catch (error) {
    if (error instanceof FileProblem) return { kind: 'text', text: `This would fail: ${error.message}` }
    throw error
  }
}

/** A single file is shown like an Edit; a moved file is listed at its destination. */
function detailsOf(files: readonly FileDiff[]): Extract<Preview, { kind: 'diff' | 'diffs' }> {
  const [file, ...more] = files
  return file && more.length === 0 ? { kind: 'diff', ...file } : { kind: 'diffs', files: [...files] }
}

function diffsOf(workspace: Workspace, changes: readonly PlannedChange[]): Promise<FileDiff[]> {
  return Promise.all(withoutMoved(changes).map((change) => diffOfChange(workspace, change)))
}

function withoutMoved(changes: readonly PlannedChange[]): PlannedChange[] {
  const moved = new Set(changes.flatMap(({ movedFrom }) => (movedFrom ? [movedFrom.path] : [])))
  return changes.filter(({ path, after }) => after !== undefined || !moved.has(path.realPath))
}

async function run(
  { workspace, hooks }: EditDeps,
  plan: (checksRead: boolean) => Promise<PatchPlan>,
  { signal }: CallContext,
): Promise<ToolResult> {
  const { changes, loose } = await plan(true)
  const diffs = await diffsOf(workspace, changes)
  const written = await writeChanges(workspace, changes, { hooks: hooks?.(), signal })
  const byPath = new Map(changes.map((change, index) => [change.path.realPath, { change, written: written[index]! }]))
  const details = detailsOf(
    diffs.map((diff) => {
      const { change, written: made } = byPath.get(diff.path)!
      return {
        ...diff,
        ...(change.isKnown &&
          made.mark !== undefined && { hash: made.mark, ...(change.isPartial && { part: true as const }) }),
      }
    }),
  )
  if (written.every(({ isUnchanged }) => isUnchanged))
    return ok('The files already have exactly this content; nothing was written.', details)
  return ok(await reportOf(workspace, changes, written, loose), details)
}

async function reportOf(
  workspace: Workspace,
  changes: readonly PlannedChange[],
  written: readonly WrittenChange[],
  loose: PatchPlan['loose'],
): Promise<string> {
  const shown = withoutMoved(changes)
  const lines = shown.map((change) => {
    const made = written[changes.indexOf(change)]!
    if (change.movedFrom) return `M ${change.movedFrom.shown} -> ${change.shown}`
    if (made.isUnchanged) return `= ${change.shown} (unchanged)`
    return `${!change.after ? 'D' : change.current ? 'M' : 'A'} ${change.shown}`
  })
  const notes: (string | undefined)[] = loose.map(
    ({ shown: path, count }) =>
      `${path}: ${count} ${count === 1 ? 'hunk' : 'hunks'} matched except for white space or punctuation; ` +
      'lines kept are as the file has them.',
  )
  for (const change of changes) {
    const endings = endingsNote(change.before?.text, change.after?.text)
    const note = written[changes.indexOf(change)]!.note
    notes.push(
      foldersNote(workspace, change.newFolders, 'Made'),
      endings && `${change.shown}: ${endings}`,
      linksNote(change),
      note,
      await hookNote(change),
    )
  }
  return ['Success. Updated the following files:', ...lines, ...notes.filter((note) => note !== undefined)].join('\n')
}
