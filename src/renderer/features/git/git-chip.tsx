import { visibleLine } from '../../../shared/visible-text'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { GitBranch, ShieldAlert } from 'lucide-react'
import { useEffect } from 'react'
import type { GitSummary } from '../../../shared/model/project/git'
import { openPane } from '../../state/panes/panes-state'
import { useQueries } from '../../state/page/queries'
import { useSessionHeader } from '../../state/session/session-view'
import { ChipButton } from '../../ui/chip'
import { Tooltip } from '../../ui/tooltip'

/** The repository is read again after this long without events of the session. */
const QUIET_MS = 800
/** Terminals and other programs change the repository too. The git pane polls more often. */
const REFETCH_MS = 30_000

/** The branch of a session's folder and its changes; opens the git pane. Not shown without a repository. */
export function GitChip({ sessionId }: { sessionId: string }) {
  const queries = useQueries()
  useGitRefresh(sessionId)
  const { data } = useQuery(
    queries.git.summary.queryOptions({
      input: { sessionId },
      retry: false,
      refetchInterval: REFETCH_MS,
      refetchOnWindowFocus: 'always',
    }),
  )
  if (!data || data.state === 'none') return null
  const { branch, commit, ahead = 0, behind = 0, changed = 0, conflicts = 0, operation } = data
  const name = visibleLine(branch ?? commit ?? 'No branch')
  return (
    <Tooltip text={summaryText(data)}>
      <ChipButton className="max-w-[220px]" onClick={() => openPane(sessionId, { kind: 'git' })}>
        {data.state === 'untrusted' ? <ShieldAlert aria-hidden className="text-wait-ink" /> : <GitBranch aria-hidden />}
        <span className="sr-only">Git: {summaryText(data)}</span>
        <span aria-hidden className="flex min-w-0 items-center gap-1.5">
          <span className="min-w-0 truncate">{name}</span>
          {operation !== undefined && <span className="text-wait-ink">{operation}</span>}
          <span className="flex flex-none gap-1 tabular-nums">
            {ahead > 0 && <span>↑{ahead}</span>}
            {behind > 0 && <span>↓{behind}</span>}
            {conflicts > 0 ? (
              <span className="text-fail-ink">!{conflicts}</span>
            ) : (
              changed > 0 && <span className="text-wait-ink">±{changed.toLocaleString()}</span>
            )}
          </span>
        </span>
      </ChipButton>
    </Tooltip>
  )
}

/** The same as text, for the tooltip and screen readers. */
function summaryText({ state, branch, commit, ahead, behind, changed, conflicts, operation }: GitSummary): string {
  return [
    branch === undefined ? (commit === undefined ? 'no branch' : `no branch, at ${commit}`) : `branch ${branch}`,
    ...(state === 'untrusted' ? ['not trusted yet'] : []),
    ...(operation === undefined ? [] : [`${operation} in progress`]),
    ...(ahead ? [`${count(ahead, 'commit')} ahead`] : []),
    ...(behind ? [`${count(behind, 'commit')} behind`] : []),
    ...(conflicts ? [count(conflicts, 'conflict')] : []),
    ...(changed ? [`${count(changed, 'file')} changed`] : []),
  ].join(', ')
}

function count(n: number, word: string): string {
  return `${n.toLocaleString()} ${word}${n === 1 ? '' : 's'}`
}

/** Reads the repository again after tool calls and turns, when the session has been quiet for a moment. */
function useGitRefresh(sessionId: string): void {
  const queryClient = useQueryClient()
  const header = useSessionHeader(sessionId)
  const version = header && `${header.seq} ${header.turnId ?? ''}`
  useEffect(() => {
    if (version === undefined) return undefined
    const timer = setTimeout(() => {
      if (document.visibilityState !== 'visible') return
      for (const part of ['summary', 'status', 'diff'])
        void queryClient.invalidateQueries({ queryKey: [['git', part]] })
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [version, queryClient])
}
