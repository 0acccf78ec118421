import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { Kbd, Tooltip } from './tooltip'
import { shortcutAria } from '../format/shortcut'
import { Spinner } from './loading'

export type ButtonVariant = 'default' | 'primary' | 'quiet' | 'danger'

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: 'normal' | 'small'
  /** The equivalent key, e.g. `1`, `Mod+N`. It is only shown; the view handles it. */
  kbd?: string | undefined
  icon?: ReactNode
  /** Shows a spinner and ignores clicks, but keeps the focus. */
  busy?: boolean
}

const VARIANTS: Record<ButtonVariant, string> = {
  default: 'border-line-strong bg-raised text-ink hover:bg-sunken',
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  quiet: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'border-[color-mix(in_oklab,var(--fail)_45%,var(--line))] bg-raised text-fail-ink hover:bg-fail-bg',
}

/** The standard button: one height, four variants, with the equivalent key shown inside. */
export function Button({
  variant = 'default',
  size = 'normal',
  kbd,
  icon,
  busy,
  className,
  children,
  disabled,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      aria-keyshortcuts={kbd ? shortcutAria(kbd) : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(
        'inline-flex items-center justify-center gap-2 rounded-md border',
        'font-medium whitespace-nowrap transition-colors duration-100',
        size === 'small' ? 'h-[25px] px-2 text-small' : 'h-[29px] px-3 text-ui',
        'disabled:cursor-default disabled:opacity-50 [&_svg]:size-[15px] [&_svg]:flex-none',
        VARIANTS[variant],
        className,
      )}
    >
      {busy ? <Spinner /> : icon}
      {children}
      {kbd && <Kbd keys={kbd} inverted={variant === 'primary'} />}
    </button>
  )
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** Its accessible name and tooltip. */
  label: string
  /** The equivalent key; shown in the tooltip. */
  kbd?: string | undefined
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
          'inline-flex size-[28px] flex-none items-center justify-center rounded-md',
          'text-ink-2 transition-colors duration-100 hover:bg-sunken hover:text-ink',
          'disabled:cursor-default disabled:opacity-40 data-[state=open]:bg-sunken',
          'data-[state=open]:text-ink [&_svg]:size-4 [&_svg]:flex-none [&_svg]:stroke-[1.7]',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}
