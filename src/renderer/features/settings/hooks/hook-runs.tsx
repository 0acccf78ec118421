import type { HookOutcome, HookRun } from '../../../../shared/configuration/customize/customizations'
import { t } from '../../../../shared/language/settings-messages'
import { formatDate } from '../../../../shared/language/speak'
import { folderName } from '../../../format/folder-name'
import { duration } from '../../../format/relative-time'
import { Badge, type Tone } from '../../../ui/badge'
import { TerminalText } from '../../../ui/content/terminal-text'

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
export function HookRuns({ runs, userHome }: { runs: readonly HookRun[]; userHome: string | undefined }) {
  return (
    <>
      <h3 className="mt-6 mb-2 font-semibold">Last runs</h3>
      {runs.length === 0 ? (
        <p className="text-ui text-ink-3">No runs since Trestle started</p>
      ) : (
        <ul aria-label="Last runs" className="overflow-hidden rounded-lg border border-line bg-raised">
          {runs.map((run) => (
            <li key={run.runId} className="border-t border-line first:border-t-0">
              <HookRunDetails run={run} userHome={userHome} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** One run, which expands to its output. */
export function HookRunDetails({
  run,
  userHome,
  isOpen = false,
}: {
  run: HookRun
  userHome: string | undefined
  isOpen?: boolean
}) {
  const { word, tone } = OUTCOMES[run.outcome]
  const exit = run.exitCode === undefined ? '' : ` · exit code ${run.exitCode}`
  const took = run.durationMs === undefined ? '' : ` · ${duration(run.durationMs)}`
  return (
    <details open={isOpen || undefined} className="px-3.5 py-2.5">
      <summary className="cursor-pointer text-ui wrap-anywhere">
        <Badge tone={tone} className="mx-1">
          {word}
        </Badge>{' '}
        {run.isTest && <Badge className="mr-1">{t('hooks.trial')}</Badge>}
        <span className="font-medium">{run.event}</span> <span className="text-ink-2">{oneLine(run.subject)}</span>{' '}
        <span className="text-small whitespace-nowrap text-ink-3">
          <time dateTime={new Date(run.startedAt).toISOString()}>
            {formatDate(run.startedAt, { timeStyle: 'medium' })}
          </time>
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
          <TerminalText text={run.output} label={`Output of ${run.event}`} />
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
