import { useQuery } from '@tanstack/react-query'
import { gitPathText, type GitChange, type GitFileDiff, type GitHunk } from '../../../../shared/model/project/git'
import { useQueries } from '../../../state/page/queries'
import { Button } from '../../../ui/button'
import { DiffView } from '../../../ui/code/diff-view'
import { Skeleton } from '../../../ui/loading'
import { useGit } from '../git-context'
import { LoadError } from '../../../ui/load-error'

/** The file is edited while its diff is shown. */
const REFETCH_MS = 5_000

/** The diff of a changed file; each hunk can be staged, unstaged or discarded separately. */
export function ChangeDiff({ change, side }: { change: GitChange; side: 'staged' | 'unstaged' | 'untracked' }) {
  const queries = useQueries()
  const { sessionId, run, busy, undoable } = useGit()
  const { path, from } = change
  const place = { sessionId, path, ...(from !== undefined && { from }) }
  const query = useQuery(
    queries.git.diff.queryOptions({ input: { ...place, side }, retry: false, refetchInterval: REFETCH_MS }),
  )
  const { data, error } = query
  const name = gitPathText(path)
  const actions = ({ id }: GitHunk, number: number) => {
    const hunk = { ...place, hunkIds: [id] }
    const button = (label: string, work: () => void) => (
      <Button
        size="small"
        variant="quiet"
        disabled={busy !== undefined}
        aria-label={`${label} ${number} of ${name}`}
        onClick={work}
      >
        {label}
      </Button>
    )
    if (side === 'staged') return button('Unstage hunk', () => void run('Unstaging', (git) => git.unstageHunks(hunk)))
    return (
      <>
        {button('Stage hunk', () => void run('Staging', (git) => git.stageHunks(hunk)))}
        {button(
          'Discard hunk',
          () =>
            void run('Discarding', async (git) =>
              undoable(`Discarded a hunk of ${name}`, await git.discardHunks(hunk)),
            ),
        )}
      </>
    )
  }
  if (error) return <LoadError query={query} className="m-2" />
  if (!data) return <Skeleton className="m-3 h-10 w-2/3" />
  return <HunkList diff={data} path={name} actions={data.byHunk ? actions : undefined} />
}

interface HunkListProps {
  diff: GitFileDiff
  path: string
  /** Buttons over each hunk. */
  actions?: ((hunk: GitHunk, number: number) => React.ReactNode) | undefined
}

/** The hunks of a file. */
export function HunkList({ diff, path, actions }: HunkListProps) {
  return (
    <div className="border-t border-line bg-paper">
      {diff.note !== undefined && <p className="px-3 py-1.5 text-small text-ink-3">{diff.note}</p>}
      {diff.hunks.map((hunk, index) => (
        <section key={hunk.id} aria-label={`Hunk ${index + 1}`} className="border-b border-line last:border-b-0">
          {actions && (
            <div className="flex items-center justify-end gap-1 px-1.5 py-0.5">
              <span className="min-w-0 flex-1 truncate px-1.5 font-mono text-tiny text-ink-3">
                {/^@@ .*? @@/.exec(hunk.text)?.[0]}
              </span>
              {actions(hunk, index + 1)}
            </div>
          )}
          <DiffView diff={hunk.text} path={path} limit={120} />
        </section>
      ))}
    </div>
  )
}
