import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { gitPathText, type GitConflict, type GitConflictPart } from '../../../../shared/model/project/git'
import { openPane } from '../../../state/panes/panes-state'
import { useQueries } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { cx } from '../../../ui/cx'
import { ChangeMark, PathText } from './change-row'
import { useGit } from '../git-context'
import { LoadError } from '../../../ui/load-error'

interface ConflictRowProps {
  conflict: GitConflict
  open: boolean
  onOpen: (open: boolean) => void
  reachable: boolean
  onFocus: () => void
}

/** A file with conflicts: accept a side for the file or for each conflict, edit it, and mark it as resolved. */
export function ConflictRow({ conflict, open, onOpen, reachable, onFocus }: ConflictRowProps) {
  const { sessionId, run, busy, undoable } = useGit()
  const { path, what, ours, theirs } = conflict
  const queries = useQueries()
  const { data: status } = useQuery(queries.git.status.queryOptions({ input: { sessionId }, retry: false }))
  const name = gitPathText(path)
  const take = (choice: 'ours' | 'theirs'): void =>
    void run('Resolving', async (git) =>
      undoable(
        `Took ${choice === 'ours' ? 'our' : 'their'} version of ${name}`,
        await git.takeSide({ sessionId, path, choice }),
      ),
    )
  return (
    <div className={cx(open && 'border-y border-line')}>
      <button
        type="button"
        data-row
        tabIndex={reachable ? 0 : -1}
        aria-expanded={open}
        title={name}
        onFocus={onFocus}
        onClick={() => onOpen(!open)}
        className={cx(
          'flex min-h-[28px] w-full min-w-0 items-center gap-1.5 px-2.5',
          'text-left hover:bg-sunken focus-visible:-outline-offset-2',
        )}
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 flex-none text-ink-3 transition-transform', open && 'rotate-90')}
        />
        <ChangeMark kind="conflict" />
        <PathText path={name} />
        <span className="flex-none text-tiny text-fail-ink">{what}</span>
      </button>
      {open && (
        <div className="space-y-2 px-3 py-2">
          <div className="flex flex-wrap gap-1.5">
            <Button size="small" disabled={busy !== undefined} onClick={() => take('ours')}>
              {ours ? 'Take ours' : 'Keep it deleted'}
            </Button>
            {(ours || theirs) && (
              <Button size="small" disabled={busy !== undefined} onClick={() => take('theirs')}>
                {theirs ? 'Take theirs' : 'Delete it as they did'}
              </Button>
            )}
            {(ours || theirs) && status && !path.startsWith('\0') && (
              <Button
                size="small"
                variant="quiet"
                onClick={() => openPane(sessionId, { kind: 'file', path: `${status.top}/${path}` })}
              >
                Open file
              </Button>
            )}
            <Button
              size="small"
              variant="quiet"
              disabled={busy !== undefined}
              onClick={() => void run('Resolving', (git) => git.markResolved({ sessionId, paths: [path] }))}
            >
              Mark as resolved
            </Button>
          </div>
          {ours && theirs && <ConflictParts path={path} />}
        </div>
      )}
    </div>
  )
}

function ConflictParts({ path }: { path: string }) {
  const { sessionId, run, busy, undoable } = useGit()
  const queries = useQueries()
  const query = useQuery(queries.git.conflictFile.queryOptions({ input: { sessionId, path }, retry: false }))
  const { data, error } = query
  if (error) return <LoadError query={query} />
  if (!data) return null
  if (data.parts.length === 0)
    return <p className="text-small text-ink-3">{data.note ?? 'No conflict markers are left: mark it as resolved.'}</p>
  const resolve = (part: number, choice: 'ours' | 'theirs' | 'both'): void =>
    void run('Resolving', async (git) =>
      undoable('Resolved a conflict', await git.resolvePart({ sessionId, path, part, choice, hash: data.hash })),
    )
  return data.parts.map((part, index) => (
    <section
      key={`${data.hash} ${index}`}
      aria-label={`Conflict ${index + 1}`}
      className="overflow-hidden rounded-md border border-line"
    >
      <div className="flex flex-wrap items-center gap-1 bg-sunken px-2 py-1 text-tiny text-ink-2">
        <span className="flex-1">Line {part.line.toLocaleString()}</span>
        {(['ours', 'theirs', 'both'] as const).map((choice) => (
          <Button
            key={choice}
            size="small"
            variant="quiet"
            disabled={busy !== undefined}
            aria-label={`${WORDS[choice]} for conflict ${index + 1}`}
            onClick={() => resolve(index, choice)}
          >
            {WORDS[choice]}
          </Button>
        ))}
      </div>
      <Side name={`Ours${part.oursName && ` · ${part.oursName}`}`} text={part.ours} tone="bg-add" />
      <Side name={`Theirs${part.theirsName && ` · ${part.theirsName}`}`} text={part.theirs} tone="bg-del" />
    </section>
  ))
}

const WORDS = { ours: 'Ours', theirs: 'Theirs', both: 'Both' }

function Side({ name, text, tone }: { name: string; text: GitConflictPart['ours']; tone: string }) {
  return (
    <div className={cx('border-t border-line', tone)}>
      <p className="px-2 pt-1 text-tiny text-ink-2">{name}</p>
      <pre tabIndex={0} aria-label={name} className="max-h-[180px] overflow-auto px-2 pb-1.5 font-mono text-small">
        {text === '' ? '(nothing)' : text}
      </pre>
    </div>
  )
}
