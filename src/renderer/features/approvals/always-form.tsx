import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, useMemo } from 'react'
import type { Approval, RuleChoice } from '../../../shared/model/approval/approval'
import { shortPath } from '../../format/folder-name'
import { useAppInfo, useSettings, useQueries } from '../../state/page/queries'
import { useEscape, useKeyDown } from '../../state/page/escape'
import { Button } from '../../ui/button'
import { RadioList } from '../../ui/form/choice-fields'
import { Skeleton } from '../../ui/loading'
import { type ApprovalReply, useAnswerGrace } from './card-actions'
import { LoadError } from '../../ui/load-error'

type Rule = NonNullable<ApprovalReply['rule']>

interface AlwaysFormProps {
  sessionId: string
  approval: Approval
  /** The scope chosen on the card; the form can change it. */
  scope: Rule['scope']
  onSend: (rule: Rule) => void
  onBack: () => void
}

/**
 * What "always" should cover: a few rules, narrowest first, each in one sentence. The details show the exact rule and
 * how it would have decided earlier commands. Grants nothing that is not shown here.
 */
export function AlwaysForm({ sessionId, approval, scope, onSend, onBack }: AlwaysFormProps) {
  const queries = useQueries()
  const { approvalId } = approval
  // The command history changes, so it is read again each time the form opens.
  const query = useQuery(
    queries.approval.choices.queryOptions({
      input: { sessionId, approvalId },
      staleTime: Infinity,
      gcTime: 0,
      retry: false,
    }),
  )
  const { data, error } = query
  useEscape('form', true, onBack)
  return (
    <div className="always">
      {data && data.length > 0 ? (
        <Choices choices={data} initialScope={scope} onSend={onSend} onBack={onBack} />
      ) : (
        <>
          {error ? (
            <LoadError query={query} />
          ) : data ? (
            <p className="text-ui text-ink-2">This cannot be allowed permanently: no rule would cover only this.</p>
          ) : (
            <div role="status" aria-label="Loading choices" className="space-y-2.5">
              <Skeleton className="w-2/5" />
              <Skeleton className="w-3/5" />
            </div>
          )}
          <div className="always-acts">
            <Button autoFocus variant="quiet" kbd="Esc" onClick={onBack}>
              Back
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

interface ChoicesProps {
  choices: readonly RuleChoice[]
  initialScope: Rule['scope']
  onSend: (rule: Rule) => void
  onBack: () => void
}

function Choices({ choices, initialScope, onSend, onBack }: ChoicesProps) {
  const { data: settings } = useSettings()
  const { data: info } = useAppInfo()
  const [picked, setPicked] = useState(choices[0]?.pattern)
  const [scope, setScope] = useState(initialScope)
  const choice = choices.find(({ pattern }) => pattern === picked) ?? choices[0]
  const { isArmed } = useAnswerGrace(`${choice?.pattern} ${scope}`)
  const headingId = useId()
  const send = (): void => {
    if (choice) onSend({ pattern: choice.pattern, scope })
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[role=radio][data-state=checked]')?.focus({ preventScroll: true })
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useKeyDown(form, (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof Element) || event.target.getAttribute('role') !== 'radio')
      return
    event.preventDefault()
    // Ignore a key held since the form was opened, or pressed before it could be read.
    if (!event.repeat && isArmed) send()
  })
  if (!choice) return null
  const file = settings ? shortPath(settings.file, info?.userHome) : 'config.toml'
  return (
    <form
      ref={form}
      aria-labelledby={headingId}
      onSubmit={(event) => {
        event.preventDefault()
        if (isArmed) send()
      }}
    >
      <h2 id={headingId} className="always-title">
        What should be allowed without asking?
      </h2>
      <div className="always-body">
        <RadioList
          label="What the rule covers"
          value={choice.pattern}
          onChange={setPicked}
          options={choices.map(({ pattern, label }) => ({ value: pattern, label: `Allow ${label}` }))}
        />
        <RadioList
          label="Where the rule applies"
          value={scope}
          onChange={setScope}
          options={[
            { value: 'session', label: 'This session only' },
            { value: 'user', label: 'All sessions' },
          ]}
        />
        <details className="always-details">
          <summary>Details</summary>
          <p className="text-small text-ink-2">
            {scope === 'user' ? (
              <>
                This is added to <code>{file}</code>, where you can change or remove it.
              </>
            ) : (
              'Applies to this session only. Nothing is written to a file.'
            )}{' '}
            Deny and ask rules take precedence.
          </p>
          <pre className="always-rule" tabIndex={0} aria-label="The rule">
            {ruleText(choice.pattern, scope)}
          </pre>
          <PastCommands past={choice.past} />
        </details>
      </div>
      <div className="always-acts">
        <Button type="submit" variant="primary" kbd="Enter" aria-disabled={!isArmed || undefined}>
          {scope === 'session' ? 'Allow for this session' : 'Allow always'}
        </Button>
        <Button variant="quiet" kbd="Esc" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}

/** A rule set for a compound command, one rule per line. */
function ruleText(pattern: string, scope: Rule['scope']): string {
  const patterns = pattern.split('\n')
  if (scope === 'session') return patterns.map((one) => `allow ${one}`).join('\n')
  return patterns
    .map((one) => `[[permission.rules]]\ndecision = "allow"\npattern = ${JSON.stringify(one)}`)
    .join('\n\n')
}

const VERDICT_LABELS = { allow: 'allowed', ask: 'asked', deny: 'denied' }

/** Earlier commands of the session and how the rule would have decided them: differences first. */
function PastCommands({ past }: { past: RuleChoice['past'] }) {
  const { changed, alike, summary } = useMemo(() => comparePast(past), [past])
  return (
    <div>
      <p className="text-small text-ink-2">{summary}</p>
      {past.length > 0 && (
        <ul className="always-past" tabIndex={0} aria-label="Past commands under this rule">
          {[...changed, ...alike].map((one) => (
            <li key={`${one.before} ${one.after} ${one.command}`}>
              <code title={one.command}>{one.command}</code>
              <Verdicts {...one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Verdicts({ before, after }: PastCommand) {
  if (before === after) return <span className="text-ink-3">{VERDICT_LABELS[before]}, as before</span>
  return (
    <span className={after === 'allow' ? 'text-wait-ink' : 'text-ink-2'}>
      {VERDICT_LABELS[before]} <span aria-hidden>→</span>
      <span className="sr-only">before, under this rule</span> <b>{VERDICT_LABELS[after]}</b>
    </span>
  )
}

type PastCommand = RuleChoice['past'][number]

export interface PastVerdicts {
  /** Summaries of the commands the rule would have decided differently. */
  changed: PastCommand[]
  alike: PastCommand[]
  /** Both as one sentence. */
  summary: string
}

/**
 * How a rule would have decided the session's earlier commands; the same command with the same decisions counts once.
 */
export function comparePast(past: readonly PastCommand[]): PastVerdicts {
  const once = [...new Map(past.map((one) => [JSON.stringify([one.command, one.before, one.after]), one])).values()]
  const changed = once.filter(({ before, after }) => before !== after)
  const alike = once.filter(({ before, after }) => before === after)
  if (once.length === 0) return { changed, alike, summary: 'No earlier commands in this session to compare with.' }
  const summary =
    changed.length === 0
      ? 'Wouldn’t have changed any earlier decision.'
      : `Would have changed ${changed.length} of ${once.length} ` +
        `earlier ${once.length === 1 ? 'decision' : 'decisions'}.`
  return { changed, alike, summary }
}
