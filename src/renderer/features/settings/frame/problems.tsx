import type { ConfigProblem } from '../../../../shared/configuration/settings'
import { cx } from '../../../ui/cx'

/** Every problem with its position. */
export function Problems({ problems }: { problems: readonly ConfigProblem[] }) {
  return (
    <ul
      className={cx(
        'overflow-hidden rounded-lg border',
        'border-[color-mix(in_oklab,var(--fail)_35%,var(--line))] bg-fail-bg',
      )}
    >
      {problems.map((problem, index) => (
        <li key={index} className="border-t border-line px-3.5 py-2 first:border-t-0">
          <p className="font-mono text-small wrap-anywhere text-fail-ink">
            {[problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':')}
          </p>
          <p className="break-words">{problem.message}</p>
        </li>
      ))}
    </ul>
  )
}
