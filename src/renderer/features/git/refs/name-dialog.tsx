import { useState } from 'react'
import { TextField } from '../../../ui/form/field'
import { FormDialog } from '../form-dialog'

interface NameDialogProps {
  title: string
  label: string
  initial: string
  action: string
  hint?: string
  onClose: () => void
  onDone: (name: string) => Promise<unknown>
}

/** Asks for the name of a branch. */
export function NameDialog({ title, label, initial, action, hint, onClose, onDone }: NameDialogProps) {
  const [text, setText] = useState(initial)
  const name = text.trim()
  return (
    <FormDialog
      title={title}
      width={420}
      action={action}
      isComplete={name !== '' && name !== initial}
      onClose={onClose}
      onSubmit={() => onDone(name)}
    >
      <TextField
        label={label}
        hint={hint}
        mono
        value={text}
        maxLength={250}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  )
}
