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

/** A short word or count in a coloured pill. */
export function Badge({ tone = 'plain', className, children }: { tone?: Tone; className?: string; children: ReactNode }) {
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
