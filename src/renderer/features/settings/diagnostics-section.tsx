import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { diagnosticsText, type DiagnosticsReport, type HealthCheck } from '../../../shared/model/health'
import { failureFrom } from '../../client/failure-from'
import { tell, tellFailure } from '../../state/toasts-state'
import { useQueries } from '../../state/trestle-context'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/error-note'
import { SectionHead } from '../../ui/section-head'
import { Skeleton } from '../../ui/skeleton'
import { ShellEnvironmentPart } from './shell-environment-part'

/** Where commands get their environment, whether everything works that Trestle needs, and what went wrong lately. */
export function DiagnosticsSection() {
  const queries = useQueries()
  const { data: report, error, isFetching, refetch } = useQuery(queries.app.diagnostics.queryOptions({ staleTime: 0, retry: false }))
  return (
    <div className="space-y-9">
      <ShellEnvironmentPart />
      <section aria-labelledby="settings-checks" aria-busy={isFetching}>
        <SectionHead id="settings-checks" title="Checks" text="What Trestle needs to work. trestle doctor shows the same in a terminal.">
          <span className="flex gap-2">
            <Button size="small" busy={isFetching} onClick={() => void refetch()}>
              Run again
            </Button>
            {report && (
              <Button size="small" icon={<Copy aria-hidden />} onClick={() => copy(report)}>
                Copy diagnostics
              </Button>
            )}
          </span>
        </SectionHead>
        {report ? (
          <Checks checks={report.checks} />
        ) : error ? (
          <ErrorNote failure={failureFrom(error)} />
        ) : (
          <div role="status" className="space-y-2">
            <span className="sr-only">Running the checks</span>
            <Skeleton className="h-10 w-full rounded-lg" />
            <Skeleton className="h-10 w-full rounded-lg" />
            <Skeleton className="h-10 w-full rounded-lg" />
          </div>
        )}
      </section>
      {report && <Errors errors={report.errors} />}
    </div>
  )
}

function copy(report: DiagnosticsReport): void {
  void navigator.clipboard.writeText(diagnosticsText(report)).then(() => tell('Diagnostics copied'), tellFailure)
}

const STATUS: Readonly<Record<HealthCheck['status'], { word: string; tone: Tone }>> = {
  ok: { word: 'OK', tone: 'done' },
  warning: { word: 'Warning', tone: 'wait' },
  failed: { word: 'Failed', tone: 'fail' },
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <ul aria-label="Checks" className="overflow-hidden rounded-lg border border-line bg-raised text-ui">
      {checks.map(({ id, title, status, detail, remedy }) => (
        <li key={id} className="flex flex-wrap gap-x-4 border-t border-line px-3.5 py-2 first:border-t-0">
          <span className="flex w-[190px] flex-none items-start justify-between gap-2 max-mid:w-full">
            <span className="text-ink-2">{title}</span>
            <Badge tone={STATUS[status].tone}>{STATUS[status].word}</Badge>
          </span>
          <span className="min-w-0 flex-1 basis-[220px]">
            <span className="block wrap-anywhere">{detail}</span>
            {remedy !== undefined && <span className="block text-small wrap-anywhere text-ink-2">{remedy}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Errors({ errors }: { errors: DiagnosticsReport['errors'] }) {
  return (
    <section aria-labelledby="settings-errors">
      <SectionHead id="settings-errors" title="Recent errors" />
      {errors.length === 0 ? (
        <p className="text-ui text-ink-2">No errors logged.</p>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised text-small">
          {errors.toReversed().map(({ at, message }, index) => (
            <li key={index} className="border-t border-line px-3.5 py-2 first:border-t-0">
              <time dateTime={at} className="block text-ink-3">
                {new Date(at).toLocaleString()}
              </time>
              <span className="font-mono wrap-anywhere">{message}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
