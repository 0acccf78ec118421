import { Tooltip as RadixTooltip } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { Kbd } from './kbd'

interface TooltipProps {
  text: ReactNode
  kbd?: string | undefined
  side?: 'top' | 'bottom' | 'left' | 'right'
  /** The one element the tooltip belongs to; it must take a ref and props. */
  children: ReactElement
}

/** Says what something is, on hover and on keyboard focus. Needs a TooltipProvider above it (main.tsx has one). */
export function Tooltip({ text, kbd, side = 'bottom', children }: TooltipProps) {
  return (
    <RadixTooltip.Root>
      <RadixTooltip.Trigger asChild>{children}</RadixTooltip.Trigger>
      <RadixTooltip.Portal>
        <RadixTooltip.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-[320px] items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-small text-ink shadow-card select-none"
        >
          {text}
          {kbd && <Kbd keys={kbd} />}
        </RadixTooltip.Content>
      </RadixTooltip.Portal>
    </RadixTooltip.Root>
  )
}

/** One for the whole app: tooltips after the first come at once. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <RadixTooltip.Provider delayDuration={450} skipDelayDuration={200} disableHoverableContent>
      {children}
    </RadixTooltip.Provider>
  )
}
