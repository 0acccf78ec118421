import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ScheduleRun, RUN_STATUS_TEXT } from '../../../shared/model/assistant/schedule'
import { duration, useNowEachMinute } from '../../format/relative-time'
import { useLayout } from '../../state/page/layout-state'
import { useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Skeleton } from '../../ui/loading'
import { dueText } from './due-text'
import { useSessions } from '../../state/session-list/sessions-state'
import { Badge, type Tone } from '../../ui/badge'
import { LoadError } from '../../ui/load-error'

const TONES: Record<ScheduleRun['status'], Tone> = {
  running: 'run',
  done: 'done',
  silent: 'plain',
  failed: 'fail',
  stopped: 'plain',
  interrupted: 'plain',
}

/** The status of a run. */
export function RunStatus({ run }: { run: Pick<ScheduleRun, 'status' | 'sessionId'> }) {
  const waits = useSessions(
    (state) => run.sessionId !== undefined && (state.sessions.get(run.sessionId)?.waiting ?? 0) > 0,
  )
  if (run.status === 'running' && waits) return <Badge tone="wait">Needs you</Badge>
  return <Badge tone={TONES[run.status]}>{RUN_STATUS_TEXT[run.status]}</Badge>
}

const PAGE = 10

/** The runs of a schedule, the newest first, with links to their sessions. */
export function ScheduleHistory({ id }: { id: string }) {
  const queries = useQueries()
  const [limit, setLimit] = useState(PAGE)
  const query = useQuery(queries.schedule.history.queryOptions({ input: { id, limit } }))
  const { data, error } = query
  return (
    <section aria-label="History" className="mt-4 mb-1 border-t border-line pt-3 text-ui">
      <h3 className="mb-1.5 font-semibold">History</h3>
      {error && <LoadError query={query} />}
      {!data ? (
        !error && <Skeleton className="w-3/5" />
      ) : data.runs.length === 0 ? (
        <p className="text-ink-3">No runs yet.</p>
      ) : (
        <>
          <ol className="divide-y divide-line">
            {data.runs.map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </ol>
          {data.total > data.runs.length && (
            <Button size="small" variant="quiet" className="mt-1" onClick={() => setLimit(Math.min(limit * 5, 500))}>
              Show more
            </Button>
          )}
        </>
      )}
    </section>
  )
}

function RunRow({ run }: { run: ScheduleRun }) {
  const now = useNowEachMinute()
  const { startedAt, endedAt, missed, note, sessionId } = run
  return (
    <li className="py-1.5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <time dateTime={new Date(startedAt).toISOString()} className="tabular-nums">
          {dueText(startedAt, now)}
        </time>
        <RunStatus run={run} />
        <span className="text-small text-ink-3">
          {[
            ...(endedAt === undefined ? [] : [duration(Math.max(0, endedAt - startedAt))]),
            ...(missed > 0 ? [`${missed} missed before`] : []),
          ].join(' · ')}
        </span>
        {sessionId !== undefined && (
          <button
            type="button"
            className="ml-auto rounded-sm underline underline-offset-2"
            onClick={() => useLayout.getState().openSession(sessionId)}
          >
            Open session
          </button>
        )}
      </p>
      {note !== undefined && <p className="break-words text-small text-ink-2">{note}</p>}
    </li>
  )
}
