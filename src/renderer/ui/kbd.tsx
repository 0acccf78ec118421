import { cx } from './cx'
import { shortcutText } from './shortcut'

interface KbdProps {
  /** A shortcut like `Mod+K`, `Esc` or `1`; written as this platform writes it. */
  keys: string
  /** On a dark button the key is drawn in the button's own colour. */
  inverted?: boolean
  /** Also where there is no keyboard: the keys are what is being told. */
  always?: boolean
  className?: string
}

/** A key to press; not shown on a touch screen. Hidden from screen readers: the control it belongs to says it with aria-keyshortcuts. */
export function Kbd({ keys, inverted, always, className }: KbdProps) {
  return (
    <kbd
      aria-hidden
      className={cx(
        'rounded-[4px] border border-b-2 px-1 py-0.5 font-mono text-[10.5px] leading-none font-medium whitespace-nowrap',
        !always && 'pointer-coarse:hidden max-mid:hidden',
        inverted ? 'border-[color-mix(in_oklab,var(--paper)_35%,transparent)] text-paper' : 'border-line bg-raised text-ink-3',
        className,
      )}
    >
      {shortcutText(keys)}
    </kbd>
  )
}
