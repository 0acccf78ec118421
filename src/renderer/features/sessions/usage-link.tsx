import { ChartColumn } from 'lucide-react'
import { useLayout } from '../../state/page/layout-state'
import { cx } from '../../ui/cx'

/** Leads to the usage page. */
export function UsageLink({ current, rowClass }: { current: boolean; rowClass: string }) {
  return (
    <button
      type="button"
      aria-current={current ? 'page' : undefined}
      onClick={() => useLayout.getState().openUsage()}
      className={cx(rowClass, current && 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)]')}
    >
      <ChartColumn aria-hidden className="size-[15px] stroke-[1.6]" />
      Usage
    </button>
  )
}
