import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx'

interface ErrorNoteProps {
  /** Any `Failure`: what happened, in whose words, and what to do. */
  failure: { title: string; message: string; advice: string }
  /** Buttons, e.g. Try again. */
  actions?: ReactNode
  className?: string
}

/** Says what failed, the exact words of who refused, and what can be done. Announced at once. */
export function ErrorNote({ failure, actions, className }: ErrorNoteProps) {
  return (
    <div
      role="alert"
      className={cx(
        'flex gap-2.5 rounded-lg border border-[color-mix(in_oklab,var(--fail)_35%,var(--line))] bg-fail-bg px-3 py-2.5 text-ui text-ink',
        className,
      )}
    >
      <CircleAlert aria-hidden className="mt-[2px] size-[15px] flex-none text-fail-ink" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-fail-ink">{failure.title}</p>
        {failure.message && failure.message !== failure.title && (
          <p className="mt-0.5 break-words whitespace-pre-wrap">{failure.message}</p>
        )}
        {failure.advice && <p className="mt-0.5 text-ink-2">{failure.advice}</p>}
        {actions && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
