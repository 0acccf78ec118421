import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { withoutAnsi } from '../../ui/content/ansi-spans'
import { ErrorNote } from '../../ui/error-note'

/** Bytes shown at once. */
const PAGE = 64 * 1024

/** A task's output as plain text, a page at a time, from the newest back to the first: nothing redraws under the cursor. */
export function OutputPages({ taskId }: { taskId: string }) {
  const queries = useQueries()
  /** Ends of the pages that were left by going back, the newest last; undefined is the end of the output. */
  const [ends, setEnds] = useState<(number | undefined)[]>([undefined])
  const before = ends.at(-1)
  const { data, error, refetch } = useQuery(
    queries.task.output.queryOptions({
      input: { taskId, bytes: PAGE, ...(before !== undefined && { before }) },
      retry: false,
      gcTime: 0,
    }),
  )
  const text = useRef<HTMLPreElement>(null)
  // One reads back from the end.
  const shown = data?.text
  useLayoutEffect(() => {
    if (shown !== undefined) text.current?.scrollTo({ top: text.current.scrollHeight })
  }, [shown])
  if (error) return <ErrorNote failure={failureFrom(error)} className="m-2" />
  const earlier = data ? data.from - data.dropped : 0
  return (
    <div className="output-pages">
      <pre ref={text} tabIndex={0} role="region" aria-label="Output as text">
        {data === undefined ? '' : data.text === '' ? '(no output)' : withoutAnsi(data.text)}
      </pre>
      <div className="output-pages-foot">
        <span role="status" className="min-w-0 flex-1 truncate">
          {data && `Bytes ${data.from.toLocaleString()} to ${data.to.toLocaleString()} of ${data.total.toLocaleString()}`}
          {data && data.dropped > 0 && `; ${data.dropped.toLocaleString()} before are not kept`}
        </span>
        <Button size="small" variant="quiet" disabled={earlier <= 0} onClick={() => setEnds([...ends, earlier])}>
          Earlier
        </Button>
        <Button size="small" variant="quiet" disabled={ends.length === 1} onClick={() => setEnds(ends.slice(0, -1))}>
          Later
        </Button>
        <Button size="small" variant="quiet" onClick={() => void (ends.length > 1 ? setEnds([undefined]) : refetch())}>
          Newest
        </Button>
      </div>
    </div>
  )
}
