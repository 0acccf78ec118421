import { Check } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { cx } from '../../ui/cx'

interface StepProps {
  n: number
  title: string
  /** What was chosen; the step is ticked off then. */
  chosen: string | undefined
  children: ReactNode
}

/** One step of beginning a session. */
export function Step({ n, title, chosen, children }: StepProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-4 gap-y-2.5 max-mid:gap-x-3">
      <span
        aria-hidden
        className={cx(
          'flex size-[24px] flex-none items-center justify-center rounded-full border text-small font-semibold tabular-nums',
          chosen === undefined ? 'border-line-strong text-ink-2' : 'border-ink bg-ink text-paper',
        )}
      >
        {chosen === undefined ? n : <Check className="size-[13px] stroke-[2.4]" />}
      </span>
      <div className="flex min-h-[24px] flex-wrap items-center gap-x-2.5">
        <h2 id={id} className="text-body font-semibold">
          {title}
        </h2>
        {chosen !== undefined && <span className="min-w-0 text-ui wrap-anywhere text-ink-3">{chosen}</span>}
      </div>
      <div className="col-start-2 min-w-0 max-mid:col-span-2 max-mid:col-start-1">{children}</div>
    </section>
  )
}
