import type { ReactNode } from 'react'
import { cx } from './cx'

export type Tone = 'plain' | 'wait' | 'run' | 'done' | 'fail'

const TONES: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-2',
  wait: 'bg-wait-bg text-wait-ink',
  run: 'bg-run-bg text-run-ink',
  done: 'bg-done-bg text-done-ink',
  fail: 'bg-fail-bg text-fail-ink',
}

/** A short word or count in a colored pill. */
export function Badge({
  tone = 'plain',
  className,
  children,
}: {
  tone?: Tone
  className?: string
  children: ReactNode
}) {
  return (
    <span
      className={cx(
        'inline-flex items-center rounded-[9px] px-1.5 py-px text-tiny font-semibold whitespace-nowrap tabular-nums',
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  )
}

/**
 * Amber needs the user, blue runs, green is done, gray is done and read, red failed, hollow is idle, hollow red was
 * interrupted.
 */
export type DotStatus = 'idle' | 'running' | 'waiting' | 'failed' | 'done' | 'seen' | 'interrupted'

const LOOK: Record<DotStatus, string> = {
  idle: 'shadow-[inset_0_0_0_1.5px_var(--line-strong)]',
  running: 'bg-run shadow-[0_0_0_3px_var(--run-bg)]',
  waiting: 'bg-wait shadow-[0_0_0_3px_var(--wait-bg)]',
  failed: 'bg-fail',
  done: 'bg-done',
  seen: 'bg-line-strong',
  interrupted: 'shadow-[inset_0_0_0_1.5px_var(--fail)]',
}

/** The label of each status. */
export const STATUS_LABELS: Record<DotStatus, string> = {
  idle: 'idle',
  running: 'running',
  waiting: 'needs your input',
  failed: 'failed',
  done: 'done',
  seen: 'done',
  interrupted: 'interrupted',
}

/** The status dot. Screen readers get the status too, unless `silent` because adjacent text states it. */
export function StatusDot({ status, silent, className }: { status: DotStatus; silent?: boolean; className?: string }) {
  return (
    <span className={cx('inline-flex flex-none', className)}>
      <span aria-hidden data-dot={status} className={cx('block size-[7px] rounded-full', LOOK[status])} />
      {!silent && <span className="sr-only">{STATUS_LABELS[status]}</span>}
    </span>
  )
}
