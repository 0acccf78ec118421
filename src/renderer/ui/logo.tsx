import { cx } from './cx'

/** The Trestle logo. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 20 20"
      className={cx('size-[17px] flex-none fill-none stroke-current stroke-[1.6]', className)}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d="M3 5h14M5 5 3 17M15 5l2 12M7 5l-1 6h8l-1-6" />
    </svg>
  )
}
