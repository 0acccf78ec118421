import { LoaderCircle } from 'lucide-react'
import { cx } from './cx'

/** Turns while something is under way. With a label it is announced; without, its surroundings must say it. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  const icon = <LoaderCircle aria-hidden className={cx('size-[15px] flex-none animate-spin stroke-[1.7] text-current', className)} />
  if (!label) return icon
  return (
    <span role="status" className="inline-flex items-center gap-2 text-ui text-ink-2">
      {icon}
      {label}
    </span>
  )
}
