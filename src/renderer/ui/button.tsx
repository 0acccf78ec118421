import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { Kbd } from './kbd'
import { shortcutAria } from './shortcut'
import { Spinner } from './spinner'

export type ButtonVariant = 'default' | 'primary' | 'quiet' | 'danger'

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: 'normal' | 'small'
  /** The key that does the same, e.g. `1`, `Mod+N`. It is only shown; whoever owns the view handles it. */
  kbd?: string
  icon?: ReactNode
  /** Shows a spinner and takes no clicks, but keeps the focus. */
  busy?: boolean
}

const VARIANTS: Record<ButtonVariant, string> = {
  default: 'border-line-strong bg-raised text-ink hover:bg-sunken',
  primary: 'border-ink bg-ink text-paper hover:opacity-90',
  quiet: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'border-[color-mix(in_oklab,var(--fail)_45%,var(--line))] bg-raised text-fail-ink hover:bg-fail-bg',
}

/** The button of the look: one height, four weights, the key that does the same shown inside. */
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
        'inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors duration-100',
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
