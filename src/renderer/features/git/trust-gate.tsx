import { useQuery } from '@tanstack/react-query'
import { ShieldAlert } from 'lucide-react'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { useGit } from './git-context'
import { cx } from '../../ui/cx'

/** Shows what the repository would run, and asks whether to trust it. Until then git is not used at all. */
export function TrustGate() {
  const queries = useQueries()
  const { sessionId, run, busy, failure } = useGit()
  const { data, error } = useQuery(queries.git.trustView.queryOptions({ input: { sessionId }, retry: false }))
  return (
    <section aria-labelledby="git-trust" className="min-h-0 flex-1 overflow-y-auto px-4 py-4">
      <h2 id="git-trust" className="flex items-center gap-2 font-semibold">
        <ShieldAlert aria-hidden className="size-4 text-wait-ink" />
        This repository can run its own programs
      </h2>
      <p className="mt-1 max-w-[62ch] text-ui text-ink-2">
        Git would run these hooks and use these settings. None of this runs until you trust the repository. You are
        asked again when they change.
      </p>
      <ul
        tabIndex={0}
        aria-label="What the repository can run"
        className={cx(
          'my-3 max-h-[320px] overflow-y-auto rounded-md border',
          'border-line bg-sunken px-3 py-2 font-mono text-small',
        )}
      >
        {data?.programs.map((line, index) => (
          <li key={index} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
      <Button
        disabled={!data}
        busy={busy !== undefined}
        onClick={() => data && void run('Trusting', (git) => git.trust({ sessionId, hash: data.hash }))}
      >
        Trust repository
      </Button>
      {(failure ?? error) && <ErrorNote failure={failure ?? failureFrom(error)} className="mt-3" />}
    </section>
  )
}
