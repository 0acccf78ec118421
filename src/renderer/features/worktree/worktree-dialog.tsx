import { useQuery } from '@tanstack/react-query'
import type { WorktreeStatus } from '../../../shared/model/project/worktree'
import { openPane } from '../../state/panes/panes-state'
import { useQueries } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { MergeForm } from './merge-form'
import { useWorktreeActions } from './worktree-actions'
import { LoadError } from '../../ui/load-error'

interface WorktreeDialogProps {
  worktreeId: string
  sessionId: string
  onClose: () => void
}

/** The worktree of a session: how it compares with its base, and its actions. */
export function WorktreeDialog({ worktreeId, sessionId, onClose }: WorktreeDialogProps) {
  const queries = useQueries()
  const query = useQuery(
    queries.worktree.status.queryOptions({ input: { worktreeId }, retry: false, refetchOnMount: 'always' }),
  )
  const { data, error } = query
  const actions = useWorktreeActions()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Worktree"
      description={data && (data.problem ?? comparison(data))}
      width={560}
      footer={
        data?.state === 'removed' ? (
          <Button variant="primary" onClick={() => actions.restore(worktreeId)}>
            Restore worktree
          </Button>
        ) : (
          data && (
            <>
              <Button variant="danger" onClick={() => actions.remove(worktreeId, onClose)}>
                Remove worktree
              </Button>
              <span className="flex-1" />
              {data.hasRemote && (
                <Button
                  onClick={() => {
                    onClose()
                    openPane(sessionId, { kind: 'git' })
                  }}
                >
                  Push or create pull request
                </Button>
              )}
            </>
          )
        )
      }
    >
      {error ? (
        <LoadError query={query} />
      ) : data ? (
        <Details
          status={data}
          onOpenGit={() => {
            onClose()
            openPane(sessionId, { kind: 'git' })
          }}
        />
      ) : (
        <Skeleton className="h-40 w-full rounded-lg" />
      )}
    </Dialog>
  )
}

function Details({ status, onOpenGit }: { status: WorktreeStatus; onOpenGit: () => void }) {
  const { worktreeId, folder, branch, base, setup, removed, state, conflicts, operation } = status
  const actions = useWorktreeActions()
  return (
    <div className="space-y-4">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-ui">
        <dt className="text-ink-3">Branch</dt>
        <dd className="font-mono text-small wrap-anywhere">{branch ?? 'none'}</dd>
        {base !== undefined && (
          <>
            <dt className="text-ink-3">Started from</dt>
            <dd className="font-mono text-small wrap-anywhere">{base}</dd>
          </>
        )}
        <dt className="text-ink-3">Folder</dt>
        <dd className="font-mono text-small wrap-anywhere">{folder}</dd>
        {removed?.patch !== undefined && (
          <>
            <dt className="text-ink-3">Saved in</dt>
            <dd className="font-mono text-small wrap-anywhere">{removed.patch}</dd>
          </>
        )}
      </dl>
      {setup && (
        <section aria-label="Setup command" className="rounded-lg border border-line">
          <div className="flex items-center gap-2 px-3 py-2">
            <code className="min-w-0 flex-1 truncate font-mono text-small" title={setup.command}>
              {setup.command}
            </code>
            <Badge tone={setup.state === 'running' ? 'run' : setup.state === 'done' ? 'done' : 'fail'}>
              {setup.state === 'failed' && setup.exitCode !== undefined ? `exit code ${setup.exitCode}` : setup.state}
            </Badge>
            {state === 'ready' && (
              <Button size="small" onClick={() => actions.setup(worktreeId, setup.state !== 'running')}>
                {setup.state === 'running' ? 'Stop' : 'Run again'}
              </Button>
            )}
          </div>
          {setup.output !== '' && (
            <pre
              tabIndex={0}
              role="region"
              aria-label="Output of the setup command"
              className="max-h-40 overflow-auto border-t border-line px-3 py-2 font-mono text-small whitespace-pre-wrap"
            >
              {plain(setup.output)}
            </pre>
          )}
        </section>
      )}
      {operation !== undefined && (
        <div role="status" className="rounded-lg border border-line bg-wait-bg px-3 py-2 text-ui text-wait-ink">
          A {operation} is in progress in the worktree.
          {conflicts.length > 0
            ? ` Resolve the conflicts in ${conflicts.join(', ')}, or ask the agent to, then commit.`
            : ' Continue or abort it in the Git pane.'}
          <Button size="small" className="mt-2 block" onClick={onOpenGit}>
            {conflicts.length > 0 ? 'Show the conflicts' : 'Open the Git pane'}
          </Button>
        </div>
      )}
      {state === 'ready' && status.problem === undefined && operation === undefined && <MergeForm status={status} />}
    </div>
  )
}

function comparison({ state, base = 'its start', ahead, behind, changed }: WorktreeStatus): string {
  if (state === 'removed') return 'This worktree was removed. Its commits and uncommitted changes were saved.'
  return `${count(ahead, 'commit')} ahead of and ${behind} behind ${base}, ${count(changed, 'uncommitted file')}.`
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** The text without terminal escape codes. */
function plain(output: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is removed
  return output.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').replaceAll(/\r+\n/g, '\n')
}
