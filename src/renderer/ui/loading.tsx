import { LoaderCircle } from 'lucide-react'
import { cx } from './cx'

/** A gray bar where text will be. Purely visual: put `aria-busy` and a status text on the region around it. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('skeleton-shimmer block h-3 rounded-sm bg-line', className)} />
}

/** A spinner. With a label it is announced; without one, its surroundings must announce it. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  const icon = (
    <LoaderCircle
      aria-hidden
      className={cx('size-[15px] flex-none animate-spin stroke-[1.7] text-current', className)}
    />
  )
  if (!label) return icon
  return (
    <span role="status" className="inline-flex items-center gap-2 text-ui text-ink-2">
      {icon}
      {label}
    </span>
  )
}

/** Placeholder for a view of the main area while its code loads. */
export function ViewSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="mx-auto flex w-full max-w-[748px] flex-1 flex-col gap-4 px-6 pt-8">
      <Skeleton className="h-6 w-2/5" />
      <Skeleton className="w-5/6" />
      <Skeleton className="w-4/6" />
      <Skeleton className="w-3/6" />
    </div>
  )
}
