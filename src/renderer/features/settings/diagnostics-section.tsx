import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import {
  diagnosticsText,
  type DiagnosticsReport,
  type HealthCheck,
  type ShellEnvironmentView,
} from '../../../shared/configuration/app'
import { failureFrom } from '../../client/failure-from'
import { showToast, showFailureToast } from '../../state/page/toasts-state'
import { useQueries, useSettingsChange, useClient } from '../../state/page/queries'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { SectionHead, Switch, SettingsSection } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { formatMoment } from '../../../shared/language/speak'

/** The source of the commands' environment, health checks, and recent errors. */
export function DiagnosticsSection() {
  const queries = useQueries()
  const {
    data: report,
    error,
    isFetching,
    refetch,
  } = useQuery(queries.app.diagnostics.queryOptions({ staleTime: 0, retry: false }))
  return (
    <div className="space-y-9">
      <ShellEnvironmentPart />
      <section aria-labelledby="settings-checks" aria-busy={isFetching}>
        <SectionHead
          id="settings-checks"
          title="Checks"
          text="What Trestle needs to work. trestle doctor shows the same in a terminal."
        >
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
  void navigator.clipboard
    .writeText(diagnosticsText(report))
    .then(() => showToast('Diagnostics copied'), showFailureToast)
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
    <SettingsSection id="settings-errors" title="Recent errors">
      {errors.length === 0 ? (
        <p className="text-ui text-ink-2">No errors logged.</p>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised text-small">
          {errors.toReversed().map(({ at, message }, index) => (
            <li key={index} className="border-t border-line px-3.5 py-2 first:border-t-0">
              <time dateTime={at} className="block text-ink-3">
                {formatMoment(new Date(at))}
              </time>
              <span className="font-mono wrap-anywhere">{message}</span>
            </li>
          ))}
        </ul>
      )}
    </SettingsSection>
  )
}

const STATES: Readonly<Record<ShellEnvironmentView['state'], { badge: string; tone: Tone; meaning: string }>> = {
  inherited: {
    badge: 'Inherited',
    tone: 'done',
    meaning: 'Commands use the environment of the terminal or program that started Trestle.',
  },
  off: { badge: 'Off', tone: 'plain', meaning: 'Commands use only what the desktop gives to programs.' },
  reading: { badge: 'Reading…', tone: 'run', meaning: 'Commands wait until your shell has started.' },
  ready: { badge: 'Ready', tone: 'done', meaning: 'Commands use the environment of your login shell.' },
  failed: { badge: 'Failed', tone: 'fail', meaning: 'Commands use only what the desktop gives to programs.' },
}

/** The source of PATH and other variables of commands, with a button that reads them again. */
function ShellEnvironmentPart() {
  const queries = useQueries()
  const client = useClient()
  const queryClient = useQueryClient()
  const key = queries.app.shellEnvironment.queryKey()
  const { data: view } = useQuery(
    queries.app.shellEnvironment.queryOptions({
      staleTime: 0,
      // No event reports the end of a background read.
      refetchInterval: ({ state }) => (state.data?.state === 'reading' ? 500 : false),
    }),
  )
  const read = useMutation({
    mutationFn: () => client.app.readShellEnvironment(),
    onSuccess: (next) => queryClient.setQueryData(key, next),
    onError: showFailureToast,
  })
  const enable = useSettingsChange((api, enabled: boolean) => api.setLoginShell({ enabled }))
  const { badge, tone, meaning } = STATES[view?.state ?? 'reading']
  return (
    <section aria-labelledby="settings-environment">
      <SectionHead
        id="settings-environment"
        title="Shell environment"
        text="Where commands, MCP servers and hooks get PATH and other variables."
      >
        {view && view.state !== 'inherited' && view.state !== 'off' && (
          <Button size="small" busy={read.isPending} onClick={() => read.mutate()}>
            Read again
          </Button>
        )}
      </SectionHead>
      <div className="overflow-hidden rounded-lg border border-line bg-raised text-ui">
        <div className="px-3.5 py-2.5" role="status">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{view?.shell ?? 'Environment'}</span>
            <Badge tone={tone}>{badge}</Badge>
            {view?.state === 'ready' && (
              <span className="text-small text-ink-3">
                {view.variables} variables in {view.durationMs} ms
              </span>
            )}
          </p>
          <p className="mt-1 text-small text-ink-2">{meaning}</p>
          {view?.problem !== undefined && <p className="mt-1 text-small wrap-anywhere text-fail-ink">{view.problem}</p>}
          {view?.advice !== undefined && <p className="mt-1 text-small wrap-anywhere text-ink-2">{view.advice}</p>}
        </div>
        <details className="border-t border-line px-3.5 py-2">
          <summary className="cursor-default text-ink-2 hover:text-ink">
            PATH <span className="text-small text-ink-3">{view?.path.length ?? 0} folders</span>
          </summary>
          <ol aria-label="Folders of PATH" className="mt-1.5 font-mono text-small text-ink-2">
            {view?.path.map((folder, index) => (
              <li key={index} className="wrap-anywhere">
                {folder}
              </li>
            ))}
          </ol>
        </details>
        {view && (
          <Switch
            label="Use the environment of your login shell"
            description="Applies when the desktop app isn’t started from a terminal."
            checked={enable.isPending ? enable.variables : view.enabled}
            onChange={(enabled) =>
              enable.mutate(enabled, {
                onError: showFailureToast,
                onSuccess: () => void queryClient.invalidateQueries({ queryKey: key }),
              })
            }
            className="border-t border-line px-3.5 py-2"
          />
        )}
      </div>
    </section>
  )
}
