import type { ComponentProps } from 'react'
import { cx } from './cx'

/** The frame of a chip, for Radix triggers and other components with their own element. */
export const CHIP_CLASS =
  'inline-flex h-[25px] min-w-0 items-center gap-1.5 rounded-[6px] border border-line bg-raised ' +
  'px-[9px] text-small whitespace-nowrap text-ink-2 [&_svg]:size-[13px] [&_svg]:flex-none'

/** A chip that can be pressed (model, mode, context). */
export function ChipButton({ className, ...rest }: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        CHIP_CLASS,
        'transition-colors duration-100 hover:border-line-strong',
        'hover:text-ink data-[state=open]:border-line-strong',
        'data-[state=open]:text-ink disabled:cursor-default disabled:opacity-60',
        className,
      )}
    />
  )
}

/** A chip that only displays something. */
export function Chip({ className, ...rest }: ComponentProps<'span'>) {
  return <span {...rest} className={cx(CHIP_CLASS, className)} />
}
