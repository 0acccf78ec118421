import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from '../button'
import { returnFocus } from './return-focus'
import { cx } from '../cx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What will happen, and whether it can be undone. */
  children: ReactNode
  /** Label of the confirm button, e.g. `Delete session`. */
  action: string
  onConfirm: () => void
}

/** Confirms an action that cannot be undone. The focus starts on Cancel. */
export function ConfirmDialog({ open, onOpenChange, title, children, action, onConfirm }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content
          onCloseAutoFocus={returnFocus}
          className={cx(
            'fixed top-1/2 left-1/2 z-40 w-[min(420px,calc(100vw-24px))] -translate-x-1/2',
            '-translate-y-1/2 rounded-xl border border-line bg-raised px-5 py-4 shadow-high outline-none',
          )}
        >
          <AlertDialog.Title className="text-lead font-semibold tracking-[-0.01em]">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-body break-words text-ink-2">
            {children}
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button variant="quiet">Cancel</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant="danger" onClick={onConfirm}>
                {action}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
