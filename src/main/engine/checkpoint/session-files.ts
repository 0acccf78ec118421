import { hash } from 'node:crypto'
import type {
  FileHunks,
  FileState,
  SessionFile,
  FileHunk,
  RestorePoint,
} from '../../../shared/model/session/checkpoint'
import { CodedError } from '../../../shared/errors'
import { isWithin } from '../workspace/path/real-path'
import { captureFile, sameState } from './capture/file-state'
import type { PathHistory } from './plan-restore'
import {
  executeRestore,
  historiesAfter,
  type RestoreDeps,
  type RestoringSession,
  isUserMessage,
} from './restore-session'
import { addRefs } from './capture/checkpoint-files'
import { isUserProvided, textOf } from '../../../shared/model/turn/message'
import type { Store } from '../store/store'

/** Files that the session has changed and that still differ from before; the latest changed last. */
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

/** The files among `paths` whose current content was written by agents of the session's family. */
export function filesWritten(deps: RestoreDeps, sessionId: string, paths: readonly string[]): Set<string> {
  const written = new Set<string>()
  for (const { path, after } of historiesAfter(deps, sessionId, { to: 0, paths }).values()) {
    if (after.kind === 'file' && sameState(captureFile(path, { maxBytes: deps.maxBytes() }), after)) written.add(path)
  }
  return written
}

/** The hunks in which a file differs from its state before the session. */
export async function fileHunks(deps: RestoreDeps, sessionId: string, path: string): Promise<FileHunks> {
  const { before, now } = sidesOf(deps, sessionId, path)
  const [old, text] = [storedText(before, deps), storedText(now, deps)]
  if (old === undefined || text === undefined) return { path, note: 'It is not text, or too large to compare.' }
  const hunks = await textHunks(old, text)
  return hunks ? { path, hunks } : { path, note: 'The two are too different to compare line by line.' }
}

/**
 * Undoes one hunk and keeps the rest of the file. Throws `checkpoint.changed` when the file has changed since it was
 * shown.
 */
export async function undoHunk(
  deps: RestoreDeps,
  session: RestoringSession,
  path: string,
  id: string,
): Promise<{ seq: number }> {
  const { before, now } = sidesOf(deps, session.id, path)
  const [old, text] = [storedText(before, deps), storedText(now, deps)]
  const next = old === undefined || text === undefined ? undefined : await withoutHunk(old, text, id)
  if (next === undefined || now.kind !== 'file')
    throw new CodedError('checkpoint.changed', `${path} has changed since it was shown.`)
  const bytes = Buffer.from(next)
  const to: FileState = { kind: 'file', hash: deps.blobs.put(bytes), size: bytes.length, mode: now.mode }
  addRefs(deps.place, session.id, [now, to])
  const { seq, kept } = await executeRestore(deps, session, {
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

/** Undefined when the content is not UTF-8 text. */
function storedText(state: FileState, { blobs }: RestoreDeps): string | undefined {
  if (state.kind === 'absent') return ''
  const bytes = state.kind === 'file' ? blobs.get(state.hash) : undefined
  if (!bytes || bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const MAX_DIFF_MS = 300
const MAX_LINES = 20_000

/** A run of lines that differs; `at`: index of its first line in the new text. */
interface Difference {
  at: number
  old: string[]
  new: string[]
}

/** The hunks between two texts; undefined when the comparison takes too long. */
async function textHunks(before: string, now: string): Promise<FileHunk[] | undefined> {
  const differences = await differencesOf(before, now)
  return differences?.map((difference) => ({
    id: idOf(difference),
    line: difference.at + 1,
    lines: [...difference.old.map((line) => `-${bare(line)}`), ...difference.new.map((line) => `+${bare(line)}`)],
  }))
}

/** The new text with one hunk undone; undefined when the hunk no longer exists. */
async function withoutHunk(before: string, now: string, id: string): Promise<string | undefined> {
  const difference = (await differencesOf(before, now))?.find((one) => idOf(one) === id)
  if (!difference) return undefined
  return linesOf(now)
    .toSpliced(difference.at, difference.new.length, ...difference.old)
    .join('')
}

async function differencesOf(before: string, now: string): Promise<Difference[] | undefined> {
  const [old, next] = [linesOf(before), linesOf(now)]
  if (old.length + next.length > MAX_LINES) return undefined
  const { diffArrays } = await import('diff')
  const parts = diffArrays(old, next, { timeout: MAX_DIFF_MS })
  if (!parts) return undefined
  const differences: Difference[] = []
  let at = 0
  let open: Difference | undefined
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      open = undefined
      at += value.length
      continue
    }
    if (!open) differences.push((open = { at, old: [], new: [] }))
    if (removed) open.old.push(...value)
    if (added) {
      open.new.push(...value)
      at += value.length
    }
  }
  return differences
}

/** Lines including their line endings, so that joining them gives the text again. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, '')
}

function idOf(difference: Difference): string {
  return hash('sha256', JSON.stringify(difference), 'hex').slice(0, 16)
}

/** The user's messages in the conversation, oldest first: each is a restore point. */
export function restorePoints(store: Pick<Store, 'historyBackwards'>, sessionId: string): RestorePoint[] {
  const points: Omit<RestorePoint, 'n'>[] = []
  for (const event of store.historyBackwards(sessionId)) {
    if (!isUserMessage(event)) continue
    points.push({ seq: event.seq, at: event.at, text: textOf(event.parts.filter(isUserProvided)) })
  }
  return points.toReversed().map((point, index) => ({ n: index + 1, ...point }))
}
