import { X } from 'lucide-react'
import { Dialog as RadixDialog } from 'radix-ui'
import { useRef, useState, type ReactNode } from 'react'
import { Button } from '../button'
import { cx } from '../cx'
import { returnFocus } from './return-focus'
import { TypedText } from './typed-text'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  children: ReactNode
  /** Buttons at the bottom right. */
  footer?: ReactNode
  width?: number
  /** The content has no focusable control, so the text itself takes the focus and scrolls by keyboard. */
  isText?: boolean
  className?: string
}

/**
 * A modal dialog: traps the focus and returns it to where it was. Escape and a click outside close it, but ask first if
 * typed text would be lost.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = 480,
  isText = false,
  className,
}: DialogProps) {
  const guard = useTypedGuard(open)
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <RadixDialog.Content
          {...(!description && { 'aria-describedby': undefined })}
          {...guard.handlers}
          onCloseAutoFocus={returnFocus}
          style={{ width: `min(${width}px, calc(100vw - 24px))` }}
          className={cx(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-x-1/2',
            '-translate-y-1/2 flex-col rounded-xl border border-line bg-raised shadow-high outline-none',
            className,
          )}
        >
          <header className="pt-4 pr-12 pb-2 pl-5">
            <RadixDialog.Title className="text-lead font-semibold tracking-[-0.01em]">{title}</RadixDialog.Title>
            {description && (
              <RadixDialog.Description className="mt-0.5 text-ui text-ink-2">{description}</RadixDialog.Description>
            )}
          </header>
          <div
            {...(isText && { tabIndex: 0, role: 'region', 'aria-label': title })}
            className="min-h-0 flex-1 overflow-y-auto px-5 py-2 focus-visible:-outline-offset-2"
          >
            {children}
          </div>
          {guard.isAsking ? (
            <DiscardQuestion onKeep={guard.keep} onDiscard={() => onOpenChange(false)} />
          ) : footer ? (
            <footer className="flex items-center justify-end gap-2 px-5 pt-2 pb-4">{footer}</footer>
          ) : (
            <div className="h-3" />
          )}
          {/* Last in the tab order, so that a dialog starts at its first field. */}
          <RadixDialog.Close
            aria-label="Close"
            className={cx(
              'absolute top-3 right-3 flex size-[28px] items-center',
              'justify-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink',
            )}
          >
            <X aria-hidden className="size-4 stroke-[1.7]" />
          </RadixDialog.Close>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

/** Prevents closing the dialog by accident if typed text would be lost. */
function useTypedGuard(open: boolean) {
  const [isAsking, setAsking] = useState(false)
  const [wasOpen, setWasOpen] = useState(open)
  const typed = useRef(new TypedText())
  /** Where the user was typing. */
  const place = useRef<Element | null>(null)
  if (wasOpen !== open) {
    setWasOpen(open)
    setAsking(false)
  }
  const keep = (): void => {
    setAsking(false)
    if (place.current instanceof HTMLElement) place.current.focus()
  }
  const askFirst = (event: Event): void => {
    if (!typed.current.isWorthKeeping()) return
    event.preventDefault()
    if (isAsking) return
    place.current = document.activeElement
    setAsking(true)
  }
  const handlers = {
    onOpenAutoFocus: () => {
      typed.current = new TypedText()
    },
    onFocusCapture: (event: { target: EventTarget }) => typed.current.visit(event.target),
    onInputCapture: (event: { target: EventTarget }) => typed.current.type(event.target),
    onEscapeKeyDown: (event: KeyboardEvent) => {
      if (!isAsking) return askFirst(event)
      event.preventDefault()
      keep()
    },
    onPointerDownOutside: askFirst,
  }
  return { isAsking, keep, handlers }
}

function DiscardQuestion({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  return (
    <footer className="flex flex-wrap items-center gap-2 border-t border-line px-5 pt-3 pb-4">
      <span role="alert" className="min-w-[160px] flex-1 text-ui font-medium">
        Discard what you typed?
      </span>
      <Button variant="danger" onClick={onDiscard}>
        Discard
      </Button>
      <Button variant="primary" autoFocus onClick={onKeep}>
        Keep editing
      </Button>
    </footer>
  )
}
