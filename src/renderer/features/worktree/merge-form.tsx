import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { MergeResult, MergeWay, WorktreeStatus } from '../../../shared/model/project/worktree'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { ErrorNote } from '../../ui/notice'

const WAYS: Record<MergeWay, string> = {
  merge: 'Merge commit',
  squash: 'One squashed commit',
  rebase: 'Rebase',
}

type Action = 'merge' | 'update'

/** Merges a worktree into a branch, or brings that branch's commits into the worktree. */
export function MergeForm({ status }: { status: WorktreeStatus }) {
  const { worktreeId, base, branches, changed, ahead, behind } = status
  const client = useClient()
  const queryClient = useQueryClient()
  const [way, setWay] = useState<MergeWay>('merge')
  const [chosen, setInto] = useState<string>()
  const [commit, setCommit] = useState('')
  const title = useId()
  const into = chosen ?? (base !== undefined && branches.includes(base) ? base : branches[0])
  const needsCommit = changed > 0
  const run = useMutation({
    mutationFn: ({ action, keepConflicts }: { action: Action; keepConflicts?: boolean }) =>
      client.worktree[action]({
        worktreeId,
        way: action === 'update' && way === 'squash' ? 'merge' : way,
        ...(into !== undefined && { into }),
        ...(needsCommit && commit.trim() !== '' && { commit: commit.trim() }),
        ...(keepConflicts && { keepConflicts }),
      }),
    onSuccess: () => setCommit(''),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['worktree']] }),
  })
  if (into === undefined) return <p className="text-ui text-ink-3">No other branch to merge into.</p>
  const disabled = needsCommit && commit.trim() === ''
  return (
    <section aria-labelledby={title} className="space-y-3">
      <h3 id={title} className="text-ui font-semibold">
        Merge
      </h3>
      <div className="grid grid-cols-2 gap-3 max-mid:grid-cols-1">
        <SelectField label="Into" value={into} onChange={(event) => setInto(event.target.value)}>
          {branches.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField label="As" value={way} onChange={(event) => setWay(event.target.value as MergeWay)}>
          {(Object.keys(WAYS) as MergeWay[]).map((name) => (
            <option key={name} value={name}>
              {WAYS[name]}
            </option>
          ))}
        </SelectField>
      </div>
      {needsCommit && (
        <TextField
          label={`Commit ${changed} uncommitted ${changed === 1 ? 'file' : 'files'} first, with this message`}
          value={commit}
          onChange={(event) => setCommit(event.target.value)}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          busy={run.isPending && run.variables.action === 'merge'}
          disabled={disabled || (ahead === 0 && !needsCommit)}
          onClick={() => run.mutate({ action: 'merge' })}
        >
          Merge into {into}
        </Button>
        <Button
          busy={run.isPending && run.variables.action === 'update'}
          disabled={disabled || (behind === 0 && into === base)}
          onClick={() => run.mutate({ action: 'update' })}
        >
          Update from {into}
        </Button>
      </div>
      {run.error && <ErrorNote failure={failureFrom(run.error)} />}
      {run.data && (
        <Result
          result={run.data}
          onResolve={() => run.mutate({ action: 'update', keepConflicts: true })}
          busy={run.isPending}
        />
      )}
    </section>
  )
}

function Result({ result, busy, onResolve }: { result: MergeResult; busy: boolean; onResolve: () => void }) {
  if (result.state === 'nothing') return <p role="status">Both already have the same commits.</p>
  if (result.state === 'done')
    return (
      <p role="status" className="text-done-ink">
        Done: {result.into} is at {result.commit.slice(0, 10)}.
      </p>
    )
  return (
    <div role="alert" className="rounded-lg border border-line bg-fail-bg px-3 py-2">
      <p className="font-medium text-fail-ink">
        {result.files.length === 1 ? 'One file has conflicts' : `${result.files.length} files have conflicts`}
        {result.kept ? '; they are in the worktree now.' : '. Nothing was changed.'}
      </p>
      <ul aria-label="Files with conflicts" className="mt-1 list-disc pl-5 font-mono text-small">
        {result.files.map((file) => (
          <li key={file} className="wrap-anywhere">
            {file}
          </li>
        ))}
      </ul>
      {!result.kept && (
        <Button size="small" className="mt-2" busy={busy} onClick={onResolve}>
          Resolve in the worktree
        </Button>
      )}
    </div>
  )
}
