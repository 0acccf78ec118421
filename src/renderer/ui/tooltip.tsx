import { Tooltip as RadixTooltip } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx'
import { shortcutText } from '../format/shortcut'

interface TooltipProps {
  text: ReactNode
  kbd?: string | undefined
  side?: 'top' | 'bottom' | 'left' | 'right'
  /** The one element the tooltip belongs to; it must accept a ref and props. */
  children: ReactElement
}

/** A tooltip on hover and keyboard focus. Needs a TooltipProvider above it (main.tsx has one). */
export function Tooltip({ text, kbd, side = 'bottom', children }: TooltipProps) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={cx(
            'z-50 flex max-w-[320px] items-center gap-2 rounded-md border border-line',
            'bg-raised px-2 py-1 text-small text-ink shadow-card select-none',
          )}
        >
          {text}
          {kbd && <Kbd keys={kbd} />}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  )
}

/** One for the whole app: after the first, tooltips appear without a delay. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={450} skipDelayDuration={200} disableHoverableContent>
      {children}
    </RadixTooltip.Provider>
  )
}

interface KbdProps {
  /** A shortcut like `Mod+K`, `Esc` or `1`; written for this platform. */
  keys: string
  /** On a dark button the key uses the button's own color. */
  inverted?: boolean
  /** Shown even without a keyboard, because the text is about keys. */
  always?: boolean
  className?: string
}

/** A key; not shown on a touch screen. Hidden from screen readers: its control announces it with aria-keyshortcuts. */
export function Kbd({ keys, inverted, always, className }: KbdProps) {
  return (
    <kbd
      aria-hidden
      className={cx(
        'rounded-[4px] border border-b-2 px-1 py-0.5 font-mono',
        'text-[10.5px] leading-none font-medium whitespace-nowrap',
        !always && 'pointer-coarse:hidden max-mid:hidden',
        inverted
          ? 'border-[color-mix(in_oklab,var(--on-accent)_35%,transparent)] text-on-accent'
          : 'border-line bg-raised text-ink-3',
        className,
      )}
    >
      {shortcutText(keys)}
    </kbd>
  )
}
