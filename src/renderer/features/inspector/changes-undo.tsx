import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import type { FileHunk, SessionFile } from '../../../shared/model/checkpoint'
import { tell, tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'

const SHOWN_LINES = 40

interface ChangesUndoProps {
  sessionId: string
  file: SessionFile
  /** Changes whenever something may have changed. */
  version: string
  /** Nothing can be undone while a turn runs. */
  busy: boolean
}

/** How one file differs from what it was before the session, with a way to undo each piece, or all of it. */
export function ChangesUndo({ sessionId, file, version, busy }: ChangesUndoProps) {
  const client = useClient()
  const queries = useQueries()
  const { path } = file
  const { data } = useQuery({
    ...queries.checkpoint.hunks.queryOptions({ input: { sessionId, path }, staleTime: 0 }),
    queryKey: ['hunks', sessionId, path, version],
  })
  const undoHunk = (hunkId: string): Promise<void> =>
    saying('Change undone', async () => void (await client.checkpoint.undoHunk({ sessionId, path, hunkId })))
  const undoAll = (): Promise<void> =>
    saying('File restored', async () => {
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

async function saying(done: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    tell(done)
  } catch (error) {
    tellFailure(error)
  }
}

function Hunk({ hunk, busy, onUndo }: { hunk: FileHunk; busy: boolean; onUndo: () => void }) {
  const shown = hunk.lines.slice(0, SHOWN_LINES)
  const more = hunk.lines.length - shown.length
  return (
    <section aria-label={`Change at line ${hunk.line}`} className="mb-1.5 overflow-hidden rounded-md border border-line">
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
          <span key={n} className={cx('block min-w-max px-2', line.startsWith('+') ? 'bg-add text-add-ink' : 'bg-del text-del-ink')}>
            {line}
          </span>
        ))}
      </pre>
      {more > 0 && <p className="px-2 py-0.5 text-tiny text-ink-3">and {more} more lines</p>}
    </section>
  )
}
