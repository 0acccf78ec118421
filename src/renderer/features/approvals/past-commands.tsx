import { useMemo } from 'react'
import type { RuleChoice } from '../../../shared/model/approval'
import { comparePast, type PastCommand } from './compare-past'

const WORDS = { allow: 'allowed', ask: 'asked', deny: 'denied' }

/** What the session has run so far, and how the rule would have judged it: what changes first. */
export function PastCommands({ past }: { past: RuleChoice['past'] }) {
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
  if (before === after) return <span className="text-ink-3">{WORDS[before]}, as before</span>
  return (
    <span className={after === 'allow' ? 'text-wait-ink' : 'text-ink-2'}>
      {WORDS[before]} <span aria-hidden>→</span>
      <span className="sr-only">before, under this rule</span> <b>{WORDS[after]}</b>
    </span>
  )
}
