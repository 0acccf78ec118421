import type { GitBlameRun } from '../../../shared/model/project/git'
import { relativeTime } from '../../format/relative-time'
import { cx } from '../cx'

interface BlameCellProps {
  run: GitBlameRun | undefined
  line: number
  /** ms since the epoch. */
  now: number
  /** Shows the commit; undefined: only text. */
  onShow?: (commit: string) => void
}

/** Beside a line: who last changed it and when, on the first line of each run. */
export function BlameCell({ run, line, now, onShow }: BlameCellProps) {
  const isFirst = run?.line === line
  const className = cx(
    'inline-block w-[190px] flex-none truncate px-2 text-left text-tiny text-ink-3 select-none',
    isFirst && 'border-t border-line',
  )
  if (!run || !isFirst) return <span aria-hidden className={className} />
  if (run.uncommitted) return <span className={className}>Not committed yet</span>
  const text = `${run.author}, ${relativeTime(run.at, now)}`
  const title = `${run.commit.slice(0, 8)} ${run.subject}`
  return onShow ? (
    <button
      type="button"
      tabIndex={-1}
      title={title}
      className={cx(className, 'hover:text-ink')}
      onClick={() => onShow(run.commit)}
    >
      {text}
    </button>
  ) : (
    <span title={title} className={className}>
      {text}
    </span>
  )
}
