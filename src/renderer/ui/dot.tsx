import { cx } from './cx'

/** Amber waits for you, blue runs, green is done, grey is done and was seen, red failed, hollow is idle, hollow red was interrupted. */
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

/** What each status is called. */
export const STATUS_WORDS: Record<DotStatus, string> = {
  idle: 'idle',
  running: 'running',
  waiting: 'needs your input',
  failed: 'failed',
  done: 'done',
  seen: 'done',
  interrupted: 'interrupted',
}

/** The status dot. It also says the status to screen readers, unless `silent` because the text beside it does. */
export function Dot({ status, silent, className }: { status: DotStatus; silent?: boolean; className?: string }) {
  return (
    <span className={cx('inline-flex flex-none', className)}>
      <span aria-hidden data-dot={status} className={cx('block size-[7px] rounded-full', LOOK[status])} />
      {!silent && <span className="sr-only">{STATUS_WORDS[status]}</span>}
    </span>
  )
}
