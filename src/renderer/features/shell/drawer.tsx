import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '../../ui/cx'

interface DrawerProps {
  open: boolean
  onClose: () => void
  side: 'left' | 'right'
  label: string
  children: ReactNode
}

/** A column that has no room beside the others: it slides over them, keeps the focus, and Escape or a click beside it closes it. */
export function Drawer({ open, onClose, side, label, children }: DrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          // The focus is in the drawer but on nothing yet: no tooltip opens, no field calls up a keyboard.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          className={cx(
            'fixed inset-y-0 z-30 flex w-[min(360px,calc(100vw-44px))] flex-col bg-panel shadow-high outline-none',
            side === 'left' ? 'left-0 border-r border-line' : 'right-0 border-l border-line',
          )}
        >
          <Dialog.Title className="sr-only">{label}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
