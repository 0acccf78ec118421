import { cx } from './cx'

/** A grey bar where text will be. Purely visual: put `aria-busy` and a status text on the region around it. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx('skeleton-shimmer block h-3 rounded-sm bg-line', className)} />
}
