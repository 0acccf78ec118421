import type { FileHunks, FileState, SessionFile } from '../../../shared/model/checkpoint'
import { CodedError } from '../../../shared/model/errors'
import { isWithin } from '../workspace/real-path'
import { captureFile, sameState } from './file-state'
import type { PathHistory } from './path-history'
import { carryOut, historiesAfter, type RestoreDeps, type RestoringSession } from './restore-session'
import { noteRefs } from './session-place'
import { textHunks, withoutHunk } from './text-hunks'

/** What the session has changed and is not as it was before; the latest changed last. */
export function sessionFiles(deps: RestoreDeps, sessionId: string): SessionFile[] {
  const files: SessionFile[] = []
  for (const { path, before, after, foreign } of historiesAfter(deps, sessionId, { to: 0 }).values()) {
    if (before.kind === 'folder' || after.kind === 'folder' || isWithin(path, deps.home)) continue
    const now = captureFile(path, { maxBytes: deps.maxBytes() })
    if (sameState(now, before)) continue
    files.push({ path, before, now, standing: foreign || !sameState(now, after) ? 'changed' : 'ours' })
  }
  return files
}

/** Of these files, those that say what agents of the session's family have written last. */
export function filesWritten(deps: RestoreDeps, sessionId: string, paths: readonly string[]): Set<string> {
  const written = new Set<string>()
  for (const { path, after } of historiesAfter(deps, sessionId, { to: 0, paths }).values()) {
    if (after.kind === 'file' && sameState(captureFile(path, { maxBytes: deps.maxBytes() }), after)) written.add(path)
  }
  return written
}

/** Where a file differs from what it was before the session, piece by piece. */
export async function fileHunks(deps: RestoreDeps, sessionId: string, path: string): Promise<FileHunks> {
  const { before, now } = sidesOf(deps, sessionId, path)
  const [old, text] = [textOf(before, deps), textOf(now, deps)]
  if (old === undefined || text === undefined) return { path, note: 'It is no text, or too large to compare.' }
  const hunks = await textHunks(old, text)
  return hunks ? { path, hunks } : { path, note: 'The two are too different to compare line by line.' }
}

/** Takes back one piece; all else in the file stays. Throws `checkpoint.changed` when the file is not what was shown. */
export async function undoHunk(deps: RestoreDeps, session: RestoringSession, path: string, id: string): Promise<{ seq: number }> {
  const { before, now } = sidesOf(deps, session.id, path)
  const [old, text] = [textOf(before, deps), textOf(now, deps)]
  const next = old === undefined || text === undefined ? undefined : await withoutHunk(old, text, id)
  if (next === undefined || now.kind !== 'file') throw new CodedError('checkpoint.changed', `${path} is not what was shown any more.`)
  const bytes = Buffer.from(next)
  const to: FileState = { kind: 'file', hash: deps.blobs.put(bytes), size: bytes.length, mode: now.mode }
  noteRefs(deps.place, session.id, [now, to])
  const { seq, kept } = await carryOut(deps, session, {
    restoreId: deps.newId('restore'),
    to: 0,
    part: 'hunk',
    steps: [{ path, action: 'change', isFolder: false, from: now, to }],
    kept: [],
  })
  if (kept[0]) throw new CodedError('checkpoint.changed', `${path}: ${kept[0].why}`)
  return { seq }
}

function sidesOf(deps: RestoreDeps, sessionId: string, path: string): { before: FileState; now: FileState } {
  const history: PathHistory | undefined = historiesAfter(deps, sessionId, { to: 0, paths: [path] }).get(path)
  if (!history) throw new CodedError('request.invalid', `path: this session has not changed ${path}.`)
  return { before: history.before, now: captureFile(path, { keepIn: deps.blobs, maxBytes: deps.maxBytes() }) }
}

/** Undefined for what is no UTF-8 text. */
function textOf(state: FileState, { blobs }: RestoreDeps): string | undefined {
  if (state.kind === 'absent') return ''
  const bytes = state.kind === 'file' ? blobs.get(state.hash) : undefined
  if (!bytes || bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
