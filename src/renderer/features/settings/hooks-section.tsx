import { useQuery } from '@tanstack/react-query'
import { Webhook } from 'lucide-react'
import type { AppInfo } from '../../../shared/contract/app'
import type { HookView, HookOutcome, HookRun } from '../../../shared/configuration/customizations'
import type { SettingsView } from '../../../shared/configuration/settings'
import { failureFrom } from '../../client/failure-from'
import { folderName, shortPath } from '../../format/folder-name'
import { useLayout } from '../../state/page/layout-state'
import { useSessions } from '../../state/session/sessions-state'
import { useClient } from '../../state/page/queries'
import { Badge, type Tone } from '../../ui/badge'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { Problems } from './about-section'
import { SectionHead } from '../../ui/form/settings-controls'
import { duration } from '../../format/relative-time'
import { TerminalText } from '../../ui/content/terminal-text'

/** Runs are updated while it is open. */
const LOOK_AGAIN_MS = 2_000

/** The hooks of the current project, and their latest runs. */
export function HooksSection({ settings, info }: { settings: SettingsView; info: AppInfo | undefined }) {
  const client = useClient()
  const lastSessionId = useLayout((layout) => layout.lastSessionId)
  const folder =
    useSessions((state) => (lastSessionId === undefined ? undefined : state.sessions.get(lastSessionId)?.folder)) ??
    info?.userHome
  const { data, error } = useQuery({
    queryKey: ['hooks', folder],
    queryFn: () => client.hook.list({ folder: folder ?? '' }),
    enabled: folder !== undefined,
    refetchInterval: LOOK_AGAIN_MS,
  })
  const mistakes = settings.problems.filter(({ message }) => /\[hooks\.\d+\]|\[\[hooks\]\]/.test(message))
  const where = folder === undefined ? 'here' : `in ${folderName(folder, info?.userHome).name}`
  return (
    <section aria-labelledby="settings-hooks">
      <SectionHead
        id="settings-hooks"
        title="Hooks"
        text={`Your commands, run on agent events ${where}. Some can block actions.`}
      />
      {mistakes.length > 0 && (
        <div className="mb-3.5">
          <Problems problems={mistakes} />
        </div>
      )}
      {data ? (
        <>
          <HookList hooks={data.hooks} userHome={info?.userHome} />
          <HookRuns runs={data.runs} userHome={info?.userHome} />
        </>
      ) : error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : (
        <Skeleton className="h-16 w-full rounded-lg" />
      )}
    </section>
  )
}

function HookList({ hooks, userHome }: { hooks: readonly HookView[]; userHome: string | undefined }) {
  if (hooks.length === 0) {
    return (
      <EmptyState
        icon={<Webhook aria-hidden />}
        title="No hooks"
        className="rounded-lg border border-dashed border-line-strong"
      >
        Add [[hooks]] with an event and a command to config.toml. Project hooks apply once you trust the folder.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Hooks" className="overflow-hidden rounded-lg border border-line bg-raised">
      {hooks.map((hook, n) => (
        <li key={n} className="border-t border-line px-3.5 py-2.5 first:border-t-0">
          <p className="flex flex-wrap items-center gap-2 text-ui">
            <span className="font-medium">{hook.event}</span>
            {hook.matcher !== undefined && (
              <code className="font-mono text-small wrap-anywhere text-ink-2">{hook.matcher}</code>
            )}
            <Badge>{hook.plugin ?? (hook.scope === 'project' ? 'Project' : 'Personal')}</Badge>
          </p>
          <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{hook.command}</p>
          <p className="text-tiny wrap-anywhere text-ink-3">
            <span className="font-mono">
              {shortPath(hook.file, userHome)}
              {hook.line !== undefined && `:${hook.line}`}
            </span>
            {` · at most ${hook.timeoutMs / 1000} s`}
            {hook.sandbox && ' · Project sandbox'}
          </p>
        </li>
      ))}
    </ul>
  )
}

const OUTCOMES: Record<HookOutcome, { word: string; tone: Tone }> = {
  running: { word: 'running', tone: 'run' },
  passed: { word: 'passed', tone: 'done' },
  blocked: { word: 'blocked', tone: 'wait' },
  changed: { word: 'changed the content', tone: 'wait' },
  failed: { word: 'failed', tone: 'fail' },
  timed_out: { word: 'timed out', tone: 'fail' },
  stopped: { word: 'stopped', tone: 'plain' },
}

/** The latest runs of hooks, newest first; each expands to its output. */
function HookRuns({ runs, userHome }: { runs: readonly HookRun[]; userHome: string | undefined }) {
  return (
    <>
      <h3 className="mt-6 mb-2 font-semibold">Last runs</h3>
      {runs.length === 0 ? (
        <p className="text-ui text-ink-3">No runs since Trestle started</p>
      ) : (
        <ul aria-label="Last runs" className="overflow-hidden rounded-lg border border-line bg-raised">
          {runs.map((run) => (
            <li key={run.runId} className="border-t border-line first:border-t-0">
              <Run run={run} userHome={userHome} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Run({ run, userHome }: { run: HookRun; userHome: string | undefined }) {
  const { word, tone } = OUTCOMES[run.outcome]
  const exit = run.exitCode === undefined ? '' : ` · exit code ${run.exitCode}`
  const took = run.durationMs === undefined ? '' : ` · ${duration(run.durationMs)}`
  return (
    <details className="px-3.5 py-2.5">
      <summary className="cursor-pointer text-ui wrap-anywhere">
        <Badge tone={tone} className="mx-1">
          {word}
        </Badge>{' '}
        <span className="font-medium">{run.event}</span> <span className="text-ink-2">{oneLine(run.subject)}</span>{' '}
        <span className="text-small whitespace-nowrap text-ink-3">
          <time dateTime={new Date(run.startedAt).toISOString()}>{new Date(run.startedAt).toLocaleTimeString()}</time>
          {took}
          {exit}
        </span>
      </summary>
      <div className="mt-2 space-y-2 pl-4">
        {run.reason !== undefined && <p className="text-ui wrap-anywhere whitespace-pre-wrap">{run.reason}</p>}
        <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{run.command}</p>
        {run.output === '' ? (
          <p className="text-small text-ink-3">No output</p>
        ) : (
          <TerminalText text={run.output} label={`What ${run.event} printed`} />
        )}
        {run.cutBytes > 0 && (
          <p className="text-small text-ink-3">{run.cutBytes.toLocaleString()} more bytes were not kept.</p>
        )}
        <p className="text-tiny text-ink-3">
          {run.plugin !== undefined
            ? `Hook of the plugin ${run.plugin}`
            : run.scope === 'project'
              ? 'Project hook'
              : 'Personal hook'}{' '}
          in {folderName(run.folder, userHome).name}
        </p>
      </div>
    </details>
  )
}

/** A subject can be a prompt of many lines. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
