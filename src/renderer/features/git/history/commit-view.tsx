import { plural } from '../../../../shared/language/plural'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight, X } from 'lucide-react'
import { useState } from 'react'
import { gitPathText, type GitCommitDetails } from '../../../../shared/model/project/git'
import { useClient, useQueries } from '../../../state/page/queries'
import { Button, IconButton } from '../../../ui/button'
import { CopyButton } from '../../../ui/content/copy-button'
import { cx } from '../../../ui/cx'
import { Skeleton } from '../../../ui/loading'
import { HunkList } from '../changes/change-diff'
import { ChangeMark, PathText } from '../changes/change-row'
import { useGit } from '../git-context'
import { showIntegrationResult } from '../integration-notice'
import { NameDialog } from '../refs/name-dialog'
import { TagDialog } from '../refs/tag-dialog'
import { formatMoment } from '../../../../shared/language/speak'
import { LoadError } from '../../../ui/load-error'

/** One commit below the history: its message, and the diffs of its files. Escape closes it. */
export function CommitView({ hash, onClose }: { hash: string; onClose: () => void }) {
  const queries = useQueries()
  const client = useClient()
  const { sessionId, run, switchTo, busy } = useGit()
  const [naming, setNaming] = useState(false)
  const [tagging, setTagging] = useState(false)
  const query = useQuery(
    queries.git.commitDetails.queryOptions({ input: { sessionId, hash }, retry: false, staleTime: Infinity }),
  )
  const { data, error } = query
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Handles Escape from its controls.
    <section
      aria-label="Commit"
      className="flex max-h-[60%] min-h-[160px] flex-none flex-col border-t border-line-strong"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      <div className="flex flex-none flex-wrap items-center gap-1.5 border-b border-line px-3 py-1">
        <code className="min-w-0 flex-1 truncate font-mono text-small text-ink-2">{hash.slice(0, 12)}</code>
        <CopyButton text={hash} label="Copy the hash" />
        <Button
          size="small"
          variant="quiet"
          disabled={busy !== undefined}
          onClick={() => void switchTo(hash, `Checked out ${hash.slice(0, 8)}`)}
        >
          Check out
        </Button>
        <Button size="small" variant="quiet" onClick={() => setNaming(true)}>
          New branch…
        </Button>
        <Button size="small" variant="quiet" onClick={() => setTagging(true)}>
          New tag…
        </Button>
        <Button
          size="small"
          variant="quiet"
          disabled={busy !== undefined || (data && data.parents.length > 1)}
          onClick={() =>
            void run('Cherry-picking', async (git) =>
              showIntegrationResult(await git.cherryPick({ sessionId, hash }), `Cherry-picked ${hash.slice(0, 8)}`),
            )
          }
        >
          Cherry-pick
        </Button>
        <IconButton label="Close the commit" kbd="Esc" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error && <LoadError query={query} className="m-3" />}
        {data ? <Details details={data} /> : !error && <Skeleton className="m-3 h-12 w-2/3" />}
      </div>
      {naming && (
        <NameDialog
          title="New branch"
          label="Name"
          initial=""
          action="Create and switch"
          hint={`Starts at ${hash.slice(0, 12)}.`}
          onClose={() => setNaming(false)}
          onDone={(name) => client.git.createBranch({ sessionId, name, from: hash, checkout: true })}
        />
      )}
      {tagging && <TagDialog at={hash} onClose={() => setTagging(false)} />}
    </section>
  )
}

function Details({ details }: { details: GitCommitDetails }) {
  const { message, author, email, at, committer, files, hidden, hash } = details
  return (
    <>
      <pre tabIndex={0} aria-label="Message" className="px-3 pt-2 font-mono text-small whitespace-pre-wrap">
        {message}
      </pre>
      <p className="px-3 py-2 text-small text-ink-3">
        {author} &lt;{email}&gt;, {formatMoment(at)}
        {committer !== author && `, committed by ${committer}`}
      </p>
      <ul aria-label="Files of the commit">
        {files.map((file) => (
          <FileOfCommit key={file.path} file={file} hash={hash} />
        ))}
      </ul>
      {hidden > 0 && (
        <p className="px-3 py-2 text-small text-ink-3">
          And {hidden.toLocaleString()} {plural(hidden, 'more file')}.
        </p>
      )}
    </>
  )
}

function FileOfCommit({ file, hash }: { file: GitCommitDetails['files'][number]; hash: string }) {
  const queries = useQueries()
  const { sessionId } = useGit()
  const [open, setOpen] = useState(false)
  const { path, from, kind, added, removed } = file
  const name = gitPathText(path)
  const query = useQuery(
    queries.git.commitDiff.queryOptions({
      input: { sessionId, hash, path, ...(from !== undefined && { from }) },
      enabled: open,
      retry: false,
      staleTime: Infinity,
    }),
  )
  const { data, error } = query
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        title={name}
        onClick={() => setOpen(!open)}
        className={cx(
          'flex min-h-[28px] w-full min-w-0 items-center gap-1.5 px-2.5',
          'text-left hover:bg-sunken focus-visible:-outline-offset-2',
        )}
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 flex-none text-ink-3 transition-transform', open && 'rotate-90')}
        />
        <ChangeMark kind={kind} />
        <PathText path={name} />
        {added !== undefined && (
          <span className="flex-none text-tiny tabular-nums">
            <span className="text-add-ink">+{added}</span> <span className="text-del-ink">−{removed}</span>
          </span>
        )}
      </button>
      {open && error && <LoadError query={query} className="m-2" />}
      {open && data && <HunkList diff={data} path={name} />}
    </li>
  )
}
