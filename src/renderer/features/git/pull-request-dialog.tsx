import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GitPullRequest } from '../../../shared/model/project/git'
import { useClient, useQueries } from '../../state/page/queries'
import { showToast } from '../../state/page/toasts-state'
import { useOpenLink } from '../../state/use-open-link'
import { Dialog } from '../../ui/overlay/dialog'
import { Field, TextField } from '../../ui/form/field'
import { Skeleton } from '../../ui/loading'
import { FormDialog } from './form-dialog'
import { useGit } from './git-context'
import { cx } from '../../ui/cx'
import { LoadError } from '../../ui/load-error'

/** Creates a pull request with gh or glab, or opens the page of the git host that creates it. */
export function PullRequestDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueries()
  const { sessionId } = useGit()
  const query = useQuery(
    queries.git.pullRequest.queryOptions({
      input: { sessionId },
      retry: false,
      gcTime: 0,
      refetchOnWindowFocus: false,
    }),
  )
  const { data, error } = query
  if (data) return <RequestForm request={data} onClose={onClose} />
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Create pull request">
      {error ? <LoadError query={query} /> : <Skeleton className="h-24 w-full" />}
    </Dialog>
  )
}

function RequestForm({ request, onClose }: { request: GitPullRequest; onClose: () => void }) {
  const { sessionId } = useGit()
  const client = useClient()
  const openLink = useOpenLink()
  const { tool, branch, url, needsPush } = request
  const [title, setTitle] = useState(request.title)
  const [body, setBody] = useState(request.body)
  const [base, setBase] = useState(request.base)
  const [draft, setDraft] = useState(false)
  const create = async (): Promise<void> => {
    if (needsPush) await client.git.push({ sessionId })
    if (tool) {
      const created = await client.git.createPullRequest({ sessionId, title, body, base, draft })
      showToast('Created the pull request', { label: 'Open', run: () => openLink(created) })
    } else if (url !== undefined) openLink(url)
  }
  const action = tool ? 'Create pull request' : 'Open the page'
  const isPossible = tool !== undefined || url !== undefined
  return (
    <FormDialog
      title="Create pull request"
      description={
        tool
          ? `${branch} into ${base}, with ${tool}.`
          : url === undefined
            ? 'The host of this remote is unknown. Push the branch, then create the pull request there.'
            : `${branch} into ${base}, on the page of the host. Install gh or glab to create it here.`
      }
      action={
        !isPossible ? undefined : needsPush ? `Push, then ${action.charAt(0).toLowerCase()}${action.slice(1)}` : action
      }
      isComplete={isPossible && (tool === undefined || title.trim() !== '')}
      onClose={onClose}
      onSubmit={create}
    >
      {tool && (
        <>
          <TextField label="Title" value={title} maxLength={300} onChange={(event) => setTitle(event.target.value)} />
          <TextField
            label="Into branch"
            mono
            value={base}
            maxLength={250}
            onChange={(event) => setBase(event.target.value)}
          />
          <Field label="Description">
            {({ id }) => (
              <textarea
                id={id}
                rows={8}
                value={body}
                maxLength={60_000}
                onChange={(event) => setBody(event.target.value)}
                className={cx(
                  'w-full resize-y rounded-md border border-line-strong',
                  'bg-raised px-2.5 py-1.5 text-ui text-ink',
                )}
              />
            )}
          </Field>
          <label className="flex items-center gap-1.5 text-ui text-ink-2">
            <input type="checkbox" checked={draft} onChange={(event) => setDraft(event.target.checked)} />
            As a draft
          </label>
        </>
      )}
    </FormDialog>
  )
}
