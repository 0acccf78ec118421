import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderGit2, GitMerge } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useEffect, useState } from 'react'
import type { GitOperation, GitStatus, GitSummary } from '../../../shared/model/project/git'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { Banner, EmptyState, ErrorNote } from '../../ui/notice'
import { BranchesTab } from '../../features/git/refs/branches-tab'
import { ChangesTab } from '../../features/git/changes/changes-tab'
import { GitProvider, useGit } from '../../features/git/git-context'
import { GitToolbar } from '../../features/git/git-toolbar'
import { HistoryTab } from '../../features/git/history/history-tab'
import { StashesTab } from '../../features/git/stashes-tab'
import { TagsTab } from '../../features/git/refs/tags-tab'
import { TrustGate } from '../../features/git/trust-gate'
import { cx } from '../../ui/cx'

/** A terminal and other programs change the repository too. Trestle's own changes are shown immediately. */
const REFETCH_MS = 5_000

/** Branch, changes, branches, stashes, tags and history of a session's repository. */
export function GitPane({ sessionId }: { sessionId: string }) {
  return (
    <GitProvider sessionId={sessionId}>
      <GitContent />
    </GitProvider>
  )
}

function GitContent() {
  const queries = useQueries()
  const { sessionId, run, busy, failure, dismiss } = useGit()
  const input = { sessionId }
  const { data: summary, error: unreadable } = useQuery(queries.git.summary.queryOptions({ input, retry: false }))
  const ready = summary?.state === 'ready'
  const { data: status, error } = useQuery(
    queries.git.status.queryOptions({
      input,
      enabled: ready,
      retry: false,
      refetchInterval: REFETCH_MS,
      refetchOnWindowFocus: 'always',
    }),
  )
  useSummaryOf(sessionId, summary, status, error)
  if (summary?.state === 'none')
    return (
      <div className="m-auto">
        <EmptyState
          icon={<FolderGit2 aria-hidden />}
          title="No repository"
          actions={
            <Button busy={busy !== undefined} onClick={() => void run('Initializing', (git) => git.init(input))}>
              Initialize repository
            </Button>
          }
        >
          This folder is not in a Git repository. Initialize one to see changes, commit them and go back to them.
        </EmptyState>
        {failure && <ErrorNote failure={failure} className="m-3" />}
      </div>
    )
  if (summary?.state === 'untrusted') return <TrustGate />
  // The last status stays on screen while it cannot be read again, such as without a connection.
  const problem = status ? undefined : (unreadable ?? error)
  if (problem) return <ErrorNote failure={failureFrom(problem)} className="m-3" />
  if (!status) return <Loading />
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <GitToolbar status={status} />
      {status.operation && <OperationBanner operation={status.operation} status={status} />}
      {failure && (
        <ErrorNote
          failure={failure}
          className="m-2 max-h-[40%] flex-none overflow-y-auto font-normal"
          actions={
            <Button size="small" variant="quiet" onClick={dismiss}>
              Dismiss
            </Button>
          }
        />
      )}
      <GitTabs status={status} />
    </div>
  )
}

/** Refetches the summary when the status differs from it, or when the repository is no longer trusted. */
function useSummaryOf(
  sessionId: string,
  summary: GitSummary | undefined,
  status: GitStatus | undefined,
  error: Error | null,
): void {
  const client = useQueryClient()
  const queries = useQueries()
  const isOld = error !== null || (summary?.state === 'ready' && status !== undefined && differs(summary, status))
  useEffect(() => {
    if (isOld) void client.invalidateQueries({ queryKey: queries.git.summary.key({ input: { sessionId } }) })
  }, [isOld, client, queries, sessionId])
}

function differs(summary: GitSummary, status: GitStatus): boolean {
  const { branch, commit, ahead, behind, staged, unstaged, conflicts, hidden, operation } = status
  const files = new Set([...staged, ...unstaged, ...conflicts].map(({ path }) => path)).size + hidden
  return (
    summary.branch !== branch ||
    summary.commit !== commit?.slice(0, 8) ||
    summary.ahead !== ahead ||
    summary.behind !== behind ||
    summary.operation !== operation?.kind ||
    (summary.conflicts ?? 0) !== conflicts.length ||
    (summary.changed ?? 0) !== files
  )
}

function GitTabs({ status }: { status: GitStatus }) {
  const [tab, setTab] = useState(status.bare ? 'history' : 'changes')
  const { staged, unstaged, conflicts, hidden, stashes } = status
  const [hadConflicts, setHadConflicts] = useState(conflicts.length > 0)
  // A stopped merge continues on the tab with its conflicts.
  if (hadConflicts !== conflicts.length > 0) {
    setHadConflicts(!hadConflicts)
    if (!hadConflicts) setTab('changes')
  }
  const changes = staged.length + unstaged.length + conflicts.length + hidden
  const tabs = [
    ...(status.bare ? [] : [{ id: 'changes', label: 'Changes', count: changes }]),
    { id: 'branches', label: 'Branches', count: 0 },
    ...(status.bare ? [] : [{ id: 'stashes', label: 'Stashes', count: stashes }]),
    { id: 'tags', label: 'Tags', count: 0 },
    { id: 'history', label: 'History', count: 0 },
  ]
  return (
    <Tabs.Root value={tab} onValueChange={setTab} className="flex min-h-0 flex-1 flex-col">
      <Tabs.List aria-label="Git" className="flex flex-none gap-1 overflow-x-auto border-b border-line px-2 py-1">
        {tabs.map(({ id, label, count }) => (
          <Tabs.Trigger
            key={id}
            value={id}
            className={cx(
              'h-[25px] flex-none rounded-[6px] px-2 text-small text-ink-2 hover:text-ink',
              'data-[state=active]:bg-sunken data-[state=active]:font-medium data-[state=active]:text-ink',
            )}
          >
            {label}
            {count > 0 && ' '}
            {count > 0 && <span className="ml-1 text-ink-3 tabular-nums">{count.toLocaleString()}</span>}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map(({ id }) => (
        <Tabs.Content
          key={id}
          value={id}
          tabIndex={-1}
          // In a low window the lists keep a few lines, and the tab scrolls.
          className="flex min-h-0 flex-1 flex-col overflow-y-auto data-[state=inactive]:hidden"
        >
          {id === 'changes' && <ChangesTab status={status} />}
          {id === 'branches' && <BranchesTab status={status} />}
          {id === 'stashes' && <StashesTab />}
          {id === 'tags' && <TagsTab status={status} />}
          {id === 'history' && <HistoryTab />}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

const OPERATIONS: Record<GitOperation['kind'], string> = {
  merge: 'A merge is in progress',
  rebase: 'A rebase is in progress',
  'cherry-pick': 'A cherry-pick is in progress',
  revert: 'A revert is in progress',
  bisect: 'A bisect is in progress',
  am: 'Patches are being applied',
}

function OperationBanner({ operation, status }: { operation: GitOperation; status: GitStatus }) {
  const { sessionId, run, busy, undoable } = useGit()
  const { kind, step, steps, branch } = operation
  const left = status.conflicts.length
  const progress = step !== undefined && steps !== undefined ? `, step ${step} of ${steps}` : ''
  return (
    <Banner
      tone="wait"
      icon={<GitMerge aria-hidden />}
      actions={
        <>
          {kind !== 'bisect' && (
            <Button
              size="small"
              disabled={left > 0}
              busy={busy === 'Continuing'}
              onClick={() => void run('Continuing', (git) => git.continueOperation({ sessionId }))}
            >
              Continue
            </Button>
          )}
          <Button
            size="small"
            variant="quiet"
            busy={busy === 'Aborting'}
            onClick={() =>
              void run('Aborting', async (git) =>
                undoable(`Aborted the ${kind}`, await git.abortOperation({ sessionId })),
              )
            }
          >
            Abort
          </Button>
        </>
      }
    >
      <span role="status">
        {OPERATIONS[kind]}
        {branch !== undefined && ` of ${branch}`}
        {progress}.{' '}
        {left > 0
          ? `${left} ${left === 1 ? 'file has' : 'files have'} conflicts.`
          : kind === 'bisect'
            ? ''
            : 'Continue when you are ready.'}
      </span>
    </Banner>
  )
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the repository" className="space-y-4 px-3 py-4">
      {['w-3/5', 'w-2/5', 'w-1/2'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  )
}
