import { useQueryClient } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import type { Failure } from '../../../shared/errors'
import { failureFrom } from '../../client/failure-from'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { ErrorNote } from '../../ui/notice'

interface FormDialogProps {
  title: string
  description?: string
  /** In px. */
  width?: number
  /** The label of the submit button; undefined: there is nothing to submit. */
  action: string | undefined
  /** Whether the form can be submitted. */
  isComplete: boolean
  onClose: () => void
  onSubmit: () => Promise<unknown>
  /** The fields. */
  children: ReactNode
}

/** A form about the repository. It stays open and shows the reason when git fails; the pane is refreshed afterwards. */
export function FormDialog({
  title,
  description,
  width,
  action,
  isComplete,
  onClose,
  onSubmit,
  children,
}: FormDialogProps) {
  const queryClient = useQueryClient()
  const form = useId()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const submit = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await onSubmit()
      onClose()
    } catch (error) {
      setFailure(failureFrom(error))
    } finally {
      setBusy(false)
      void queryClient.invalidateQueries({ queryKey: [['git']] })
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      {...(description !== undefined && { description })}
      {...(width !== undefined && { width })}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          {action !== undefined && (
            <Button type="submit" form={form} variant="primary" busy={busy} disabled={!isComplete}>
              {action}
            </Button>
          )}
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && isComplete) void submit()
        }}
      >
        {children}
        {failure && <ErrorNote failure={failure} />}
      </form>
    </Dialog>
  )
}
