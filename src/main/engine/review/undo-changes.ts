import { isUtf8 } from 'node:buffer'
import { CodedError } from '../../../shared/errors'
import type { FileState, KeptFile, RestoreStep } from '../../../shared/model/session/checkpoint'
import type { ReviewedScope, ReviewUndo } from '../../../shared/model/session/review'
import { addRefs } from '../checkpoint/capture/checkpoint-files'
import { captureFile, sameState } from '../checkpoint/capture/file-state'
import { executeRestore, type RestoreDeps, type RestoringSession } from '../checkpoint/restore-session'
import { encodeText } from '../workspace/file/text-file'
import { bytesOf, currentText, gitContents, textsOf } from './file-texts'
import { keyOf, reviewedFiles } from './review-files'
import type { ReviewDeps, ReviewedFile, Version } from './reviewed-file'
import { bareLine, linesOf, textDifference, type LineRun } from './text-diff'

/** What to undo in one file: everything, or the changes with these ids. */
export interface WantedUndo {
  path: string
  /** The file's `key` as it was shown. */
  key: string
  ids?: readonly string[] | undefined
}

const CHANGED = 'This has changed since it was loaded.'

/**
 * Undoes changes of a review. The current content is backed up first, and the undo is recorded as a restore, which can
 * itself be undone. Files that cannot be changed are left alone and returned with the reason; if only one file is
 * wanted, throws `checkpoint.changed` instead.
 */
export async function undoChanges(
  deps: ReviewDeps & RestoreDeps,
  session: RestoringSession,
  scope: ReviewedScope,
  wanted: readonly WantedUndo[],
): Promise<ReviewUndo> {
  const folder = deps.store.header(session.id)?.folder ?? ''
  const { files } = await reviewedFiles(deps, session.id, scope)
  const known = new Map(files.map((file) => [file.path, file]))
  const found = wanted.flatMap(({ path }) => known.get(path) ?? [])
  const contents = await gitContents(deps, folder, found)
  const steps: RestoreStep[] = []
  const kept: KeptFile[] = []
  for (const { path, key, ids } of wanted) {
    const file = known.get(path)
    const made =
      !file || keyOf(file) !== key
        ? { why: CHANGED, kind: 'changed' as const }
        : ids
          ? await withoutChanges(deps, folder, file, ids)
          : await asBefore(deps, folder, file, contents)
    if ('why' in made) kept.push({ path, kind: made.kind ?? 'impossible', why: made.why })
    else steps.push(...made.steps)
  }
  if (wanted.length === 1 && kept[0]) throw new CodedError('checkpoint.changed', `${kept[0].path}: ${kept[0].why}`)
  if (steps.length === 0) return { kept }
  addRefs(
    deps.place,
    session.id,
    steps.flatMap(({ from, to }) => [from, to]),
  )
  const isHunk = wanted.length === 1 && wanted[0]?.ids !== undefined
  const part = isHunk ? ('hunk' as const) : ('file' as const)
  return executeRestore(deps, session, { restoreId: deps.newId('restore'), to: 0, part, steps, kept })
}

type Made = { steps: RestoreStep[] } | { why: string; kind?: KeptFile['kind'] }

/** The current state of a path, backed up. */
function backedUp(deps: RestoreDeps, path: string): FileState {
  return captureFile(path, { keepIn: deps.blobs, maxBytes: deps.maxBytes() })
}

async function withoutChanges(
  deps: ReviewDeps & RestoreDeps,
  folder: string,
  file: ReviewedFile,
  ids: readonly string[],
): Promise<Made> {
  const texts = (await textsOf(deps, folder, [file])).get(file)
  if (!texts || 'problem' in texts.before || 'problem' in texts.after) return { why: 'It is not text.' }
  const { runs, ignoresEnds } = await textDifference(texts.before.text, texts.after.text)
  const chosen = runs.filter(({ id }) => ids.includes(id))
  if (chosen.length < new Set(ids).size) return { why: CHANGED, kind: 'changed' }
  const now = backedUp(deps, file.path)
  if (!sameState(now, file.now)) return { why: CHANGED, kind: 'changed' }
  if (now.kind !== 'file') return { why: 'There is no file whose lines could be changed.' }
  const text = currentText(deps, file.path)
  if ('problem' in text || !text.format) return { why: 'It is not text.' }
  const lines = linesOf(text.text)
  const places = await placesNow(texts.after.text, text.text)
  for (const run of chosen.toReversed()) {
    const at = places(run)
    if (at === undefined) return { why: 'These lines have been changed later.', kind: 'changed' }
    lines.splice(at, run.new.length, ...withEnds(run, ignoresEnds, lines))
  }
  const bytes = encodeText(lines.join(''), text.format)
  const to: FileState = { kind: 'file', hash: deps.blobs.put(bytes), size: bytes.length, mode: now.mode }
  return { steps: [{ path: file.path, action: 'change', isFolder: false, from: now, to }] }
}

/** Finds where a run of the reviewed text starts in the current text; undefined if its lines have changed. */
async function placesNow(after: string, now: string): Promise<(run: LineRun) => number | undefined> {
  if (after === now) return (run) => run.newAt
  const later = (await textDifference(after, now)).runs
  return ({ newAt, new: lines }) => {
    const end = newAt + lines.length
    // Lines inserted between its own lines have changed it, too.
    if (later.some((run) => run.oldAt < end + 1 && run.oldAt + run.old.length > newAt - 1)) return undefined
    return later.reduce((at, run) => (run.oldAt < newAt ? at + run.new.length - run.old.length : at), newAt)
  }
}

/** The old lines of a run; if line ends are ignored, with the file's current line ends. */
function withEnds(run: LineRun, ignoresEnds: boolean, lines: readonly string[]): string[] {
  if (!ignoresEnds) return run.old
  const end = lines[0]?.endsWith('\r\n') ? '\r\n' : '\n'
  return run.old.map((line) => (line.endsWith('\n') ? bareLine(line) + end : line))
}

async function asBefore(
  deps: ReviewDeps & RestoreDeps,
  folder: string,
  file: ReviewedFile,
  contents: ReadonlyMap<string, Buffer>,
): Promise<Made> {
  const { path, before, from: earlier } = file
  const now = backedUp(deps, path)
  if (!sameState(now, file.now)) return { why: CHANGED, kind: 'changed' }
  if (now.kind === 'unkept') return { why: `Its present content could not be backed up: ${now.why}.` }
  if (!sameState(file.after, now)) {
    const texts = (await textsOf(deps, folder, [file])).get(file)
    if (!texts || 'problem' in texts.before || 'problem' in texts.after || before.kind === 'absent')
      return { why: 'It has been changed later.', kind: 'changed' }
    const { runs } = await textDifference(texts.before.text, texts.after.text)
    return withoutChanges(
      deps,
      folder,
      file,
      runs.map(({ id }) => id),
    )
  }
  const to = stateOf(deps, file, now, contents)
  if (typeof to === 'string') return { why: to }
  if (earlier !== undefined) {
    const there = backedUp(deps, earlier)
    if (there.kind !== 'absent') return { why: `There is something at ${earlier} now.` }
    return {
      steps: [
        { path: earlier, action: 'create', isFolder: false, from: there, to },
        { path, action: 'delete', isFolder: false, from: now, to: { kind: 'absent' } },
      ],
    }
  }
  const action = now.kind === 'absent' ? 'create' : to.kind === 'absent' ? 'delete' : 'change'
  return { steps: [{ path, action, isFolder: false, from: now, to }] }
}

const PLAIN_MODE = 0o644

/** The earlier state, with its content in the store; a string is the reason why it is missing. */
function stateOf(
  deps: ReviewDeps & RestoreDeps,
  file: ReviewedFile,
  now: FileState,
  contents: ReadonlyMap<string, Buffer>,
): FileState | string {
  const { before } = file
  if (before.kind === 'unkept') return `Its earlier content was not kept: ${before.why}.`
  if (before.kind === 'file' && !deps.blobs.has(before.hash)) return 'Its earlier content is no longer kept.'
  if (before.kind !== 'object') return before
  const bytes = bytesOf(deps, file, before, contents)
  if (!bytes) return 'git does not have its earlier content.'
  if (before.isLink)
    return isUtf8(bytes)
      ? { kind: 'link', target: bytes.toString('utf8') }
      : 'It was a link to a name that is not UTF-8.'
  return { kind: 'file', hash: deps.blobs.put(bytes), size: bytes.length, mode: modeFor(before, now) }
}

/** Git records only whether a file is executable, so the other permissions stay. */
function modeFor({ mode }: Extract<Version, { kind: 'object' }>, now: FileState): number {
  const base = now.kind === 'file' ? now.mode : PLAIN_MODE
  return (mode & 0o100) === 0 ? base & ~0o111 : base | ((base & 0o444) >> 2)
}
