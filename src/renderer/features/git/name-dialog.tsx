import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Failure } from '../../../shared/errors'
import { failureFrom } from '../../client/failure-from'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/form/field'
import { ErrorNote } from '../../ui/notice'

interface NameDialogProps {
  title: string
  label: string
  initial: string
  action: string
  hint?: string
  onClose: () => void
  onDone: (name: string) => Promise<unknown>
}

/** Asks for a name. It stays open, with the reason, when the name is refused. */
export function NameDialog({ title, label, initial, action, hint, onClose, onDone }: NameDialogProps) {
  const queryClient = useQueryClient()
  const form = useId()
  const [name, setName] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const done = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await onDone(name.trim())
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
      width={420}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={busy}
            disabled={name.trim() === '' || name.trim() === initial}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && name.trim() !== '') void done()
        }}
      >
        <TextField
          label={label}
          hint={hint}
          mono
          value={name}
          maxLength={250}
          onChange={(event) => setName(event.target.value)}
        />
        {failure && <ErrorNote failure={failure} className="mt-3" />}
      </form>
    </Dialog>
  )
}
