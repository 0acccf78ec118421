import { plural } from '../../../shared/language/plural'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronRight, FileDiff, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { SessionFile, FileHunk } from '../../../shared/model/session/checkpoint'
import type { SessionHeader } from '../../../shared/model/session/session'
import { visiblePath, visibleText } from '../../../shared/visible-text'
import { openPane } from '../../state/panes/panes-state'
import { useQueries, useClient } from '../../state/page/queries'
import { FileLink } from '../../ui/content/file-link'
import { VisibleTokens } from '../../ui/content/visible-tokens'
import { cx } from '../../ui/cx'
import { EmptyState } from '../../ui/notice'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { useChangedLines, type ChangedLines } from './changed-lines'

interface ChangesPaneProps {
  sessionId: string
  header: SessionHeader
  /** Edits in the loaded part of the conversation. */
  changes: readonly Change[]
  /** Scrolls to the call in the conversation. */
  onJump: (callId: string) => void
  /** Called when there are changes to review. */
  onChanges: () => void
}

/**
 * The files that tools or commands of the session have changed and that still differ from before; each expands to its
 * hunks, which can be undone.
 */
export function ChangesPane({ sessionId, header, changes, onJump, onChanges }: ChangesPaneProps) {
  const busy = header.turnId !== undefined
  const version = versionOf(header, changes)
  const listed = useChangedFiles(sessionId, version)
  const lines = useChangedLines(sessionId, listed)
  const files = listed ?? []
  const [open, setOpen] = useState<string>()
  const hasFiles = files.length > 0
  useEffect(() => {
    if (hasFiles) onChanges()
  }, [hasFiles, onChanges])
  if (files.length === 0) {
    return (
      <EmptyState icon={<FileDiff aria-hidden />} title="No changes">
        Files that the agent changes, with its tools or by commands, appear here. You can undo each change.
      </EmptyState>
    )
  }
  const edits = latestEdits(changes)
  return (
    <div className="py-2">
      <div className="flex items-center gap-2 px-3.5 pb-1.5">
        <p className="flex-1 text-tiny text-ink-3 tabular-nums">
          {files.length} {files.length === 1 ? 'file' : 'files'} changed in this session
        </p>
        <Button size="small" onClick={() => openPane(sessionId, { kind: 'review', scope: { kind: 'session' } })}>
          Review
        </Button>
      </div>
      <ul className="px-1.5">
        {files.toReversed().map((file) => (
          <FileRow
            key={file.path}
            file={file}
            lines={lines.get(file.path)}
            latestEdit={edits.get(file.path)}
            folder={header.folder}
            isOpen={open === file.path}
            onToggle={() => setOpen(open === file.path ? undefined : file.path)}
            onJump={onJump}
          >
            {open === file.path && <ChangesUndo sessionId={sessionId} file={file} version={version} busy={busy} />}
          </FileRow>
        ))}
      </ul>
    </div>
  )
}

/** While a turn runs, only edits trigger a reload; afterwards any event may. */
function versionOf(header: SessionHeader | undefined, changes: readonly Change[]): string {
  return header?.turnId === undefined ? `idle ${header?.seq}` : `turn ${changes.length}`
}

/** The files that the session has changed and that still differ from before; undefined until they are known. */
function useChangedFiles(sessionId: string, version: string, enabled = true): readonly SessionFile[] | undefined {
  const queries = useQueries()
  const { data } = useQuery({
    ...queries.checkpoint.files.queryOptions({ input: { sessionId }, staleTime: 0, retry: false }),
    queryKey: ['changes', sessionId, version],
    placeholderData: keepPreviousData,
    enabled,
  })
  return data
}

/**
 * Number of files that the session has changed, including by commands, and that still differ from before. While a turn
 * runs, at least the `edited` ones, because the engine is not queried then.
 */
export function useChangeCount(
  sessionId: string,
  header: SessionHeader | undefined,
  changes: readonly Change[],
  edited: number,
): number {
  const busy = header === undefined || header.turnId !== undefined
  const files = useChangedFiles(sessionId, versionOf(header, changes), !busy)
  if (!files) return edited
  return busy ? Math.max(files.length, edited) : files.length
}

interface FileRowProps {
  file: SessionFile
  /** Undefined if they are unknown, or if it has no lines. */
  lines: ChangedLines | undefined
  /** The latest tool call that edited it; undefined when only commands did. */
  latestEdit: string | undefined
  folder: string
  isOpen: boolean
  onToggle: () => void
  onJump: (callId: string) => void
  children: React.ReactNode
}

function FileRow({ file, lines, latestEdit, folder, isOpen, onToggle, onJump, children }: FileRowProps) {
  const path = visiblePath(fromFolder(file.path, folder))
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  const what = file.before.kind === 'absent' ? 'new' : file.now.kind === 'absent' ? 'deleted' : undefined
  return (
    // Rows off the screen are neither laid out nor painted: there can be thousands.
    <li
      className={cx(
        '[contain-intrinsic-height:auto_30px] [content-visibility:auto]',
        isOpen && 'my-1 rounded-[6px] border border-line',
      )}
    >
      <div className="flex items-center gap-1">
        <button
          type="button"
          title={visiblePath(file.path)}
          aria-expanded={isOpen}
          onClick={onToggle}
          className={cx(
            'flex min-h-[30px] min-w-0 flex-1 items-center gap-1.5 rounded-[6px]',
            'px-1.5 text-left hover:bg-sunken focus-visible:-outline-offset-2',
          )}
        >
          <ChevronRight
            aria-hidden
            className={cx('size-3.5 flex-none text-ink-3 transition-transform', isOpen && 'rotate-90')}
          />
          <span className="flex min-w-0 flex-1 font-mono text-small">
            <span className="min-w-0 truncate text-ink-3">{path.slice(0, cut)}</span>
            <span className="max-w-full flex-none truncate">{path.slice(cut)}</span>
          </span>
          {what && (
            <span className={cx('flex-none text-tiny', what === 'new' ? 'text-add-ink' : 'text-del-ink')}>{what}</span>
          )}
          {file.standing === 'changed' && <span className="flex-none text-tiny text-wait-ink">changed since</span>}
          {lines && <Counts {...lines} />}
        </button>
        {what !== 'deleted' && (
          <span className="flex-none px-1.5 py-1 text-tiny text-ink-3">
            <FileLink path={file.path}>
              Open<span className="sr-only"> {path}</span>
            </FileLink>
          </span>
        )}
        {latestEdit !== undefined && (
          <button
            type="button"
            onClick={() => onJump(latestEdit)}
            aria-label={`Show the latest edit of ${path}`}
            className="flex-none rounded-[6px] px-1.5 py-1 text-tiny text-ink-3 hover:bg-sunken hover:text-ink"
          >
            Show
          </button>
        )}
      </div>
      {children}
    </li>
  )
}

function Counts({ added, removed }: ChangedLines) {
  return (
    <span className="flex flex-none gap-1 text-small tabular-nums">
      {added > 0 && (
        <span className="text-add-ink">
          +{added}
          <span className="sr-only">
            {' '}
            {plural(added, 'line')} added{removed > 0 && ','}
          </span>
        </span>
      )}{' '}
      {removed > 0 && (
        <span className="text-del-ink">
          −{removed}
          <span className="sr-only"> {plural(removed, 'line')} removed</span>
        </span>
      )}
    </span>
  )
}

function fromFolder(path: string, folder: string): string {
  const next = path.charAt(folder.length)
  return folder !== '' && path.startsWith(folder) && (next === '/' || next === '\\')
    ? path.slice(folder.length + 1)
    : path
}

/** One edit of one file by a tool call. */
interface Change {
  path: string
  callId: string
}

/** The latest call that edited each file, by path. */
export function latestEdits(changes: readonly Change[]): ReadonlyMap<string, string> {
  return new Map(changes.map(({ path, callId }) => [path, callId]))
}

const SHOWN_LINES = 40

interface ChangesUndoProps {
  sessionId: string
  file: SessionFile
  /** Changes whenever files may have changed. */
  version: string
  /** Nothing can be undone while a turn runs. */
  busy: boolean
}

/** The diff of one file against its state before the session, with undo for each hunk and for the file. */
function ChangesUndo({ sessionId, file, version, busy }: ChangesUndoProps) {
  const client = useClient()
  const queries = useQueries()
  const { path } = file
  const { data } = useQuery({
    ...queries.checkpoint.hunks.queryOptions({ input: { sessionId, path }, staleTime: 0 }),
    queryKey: ['hunks', sessionId, path, version],
  })
  const undoHunk = (hunkId: string): Promise<void> =>
    runWithToast('Change undone', async () => void (await client.checkpoint.undoHunk({ sessionId, path, hunkId })))
  const undoAll = (): Promise<void> =>
    runWithToast('File restored', async () => {
      const request = { sessionId, to: 0, files: true, conversation: false, paths: [path], overwrite: [path] }
      const { kept } = await client.checkpoint.restore(request)
      if (kept[0]) throw new Error(kept[0].why)
    })
  return (
    <div className="border-t border-line px-2 pt-1.5 pb-2">
      {file.standing === 'changed' && (
        <p className="pb-1.5 text-small text-wait-ink">
          This file was also changed elsewhere. The current version is backed up when you undo.
        </p>
      )}
      {data?.note && <p className="pb-1.5 text-small text-ink-3">{data.note}</p>}
      {data?.hunks?.map((hunk) => (
        <Hunk key={hunk.id} hunk={hunk} busy={busy} onUndo={() => void undoHunk(hunk.id)} />
      ))}
      <Button size="small" icon={<Undo2 aria-hidden />} disabled={busy} onClick={() => void undoAll()}>
        {file.before.kind === 'absent'
          ? 'Undo: delete the file'
          : file.now.kind === 'absent'
            ? 'Undo: restore the file'
            : 'Undo all changes'}
      </Button>
    </div>
  )
}

async function runWithToast(done: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    showToast(done)
  } catch (error) {
    showFailureToast(error)
  }
}

function Hunk({ hunk, busy, onUndo }: { hunk: FileHunk; busy: boolean; onUndo: () => void }) {
  const shown = hunk.lines.slice(0, SHOWN_LINES)
  const more = hunk.lines.length - shown.length
  return (
    <section
      aria-label={`Change at line ${hunk.line}`}
      className="mb-1.5 overflow-hidden rounded-md border border-line"
    >
      <div className="flex items-center gap-2 bg-panel px-2 py-0.5 text-tiny text-ink-3">
        <span className="flex-1">Line {hunk.line}</span>
        <button
          type="button"
          disabled={busy}
          onClick={onUndo}
          aria-label={`Undo the change at line ${hunk.line}`}
          className="rounded px-1.5 py-0.5 text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-40"
        >
          Undo
        </button>
      </div>
      <pre className="overflow-x-auto font-mono text-small leading-[1.45]">
        {shown.map((line, n) => (
          <span
            key={n}
            className={cx('block min-w-max px-2', line.startsWith('+') ? 'bg-add text-add-ink' : 'bg-del text-del-ink')}
          >
            <VisibleTokens text={visibleText(line)} />
          </span>
        ))}
      </pre>
      {more > 0 && (
        <p className="px-2 py-0.5 text-tiny text-ink-3">
          and {more} {plural(more, 'more line')}
        </p>
      )}
    </section>
  )
}
