import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { shortcutAria } from './shortcut'
import { Tooltip } from './tooltip'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** What it does: its accessible name and its tooltip. */
  label: string
  /** The key that does the same; shown in the tooltip. */
  kbd?: string
  /** A lucide icon. */
  children: ReactNode
  tooltipSide?: 'top' | 'bottom' | 'left' | 'right'
}

/** A button that is only an icon, named for screen readers and by a tooltip. */
export function IconButton({ label, kbd, children, className, tooltipSide = 'bottom', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label} kbd={kbd} side={tooltipSide}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-keyshortcuts={kbd ? shortcutAria(kbd) : undefined}
        className={cx(
          'inline-flex size-[28px] flex-none items-center justify-center rounded-md text-ink-2 transition-colors duration-100 hover:bg-sunken hover:text-ink',
          'disabled:cursor-default disabled:opacity-40 data-[state=open]:bg-sunken data-[state=open]:text-ink [&_svg]:size-4 [&_svg]:flex-none [&_svg]:stroke-[1.7]',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}
