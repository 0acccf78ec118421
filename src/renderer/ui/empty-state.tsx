import type { ReactNode } from 'react'
import { cx } from './cx'

/** What a view says when there is nothing in it yet, and what could be done. */
export function EmptyState({
  icon,
  title,
  isPage = false,
  children,
  actions,
  className,
}: {
  icon?: ReactNode
  title: string
  /** The title is the heading of the page. */
  isPage?: boolean
  children?: ReactNode
  actions?: ReactNode
  className?: string
}) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className={cx('flex flex-col items-center gap-1 px-6 py-10 text-center', className)}>
      {icon && <div className="mb-1 text-ink-3 [&_svg]:size-5 [&_svg]:stroke-[1.5]">{icon}</div>}
      <Title className="font-medium text-ink-2">{title}</Title>
      {children && <div className="max-w-[42ch] text-ui text-ink-3">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}
