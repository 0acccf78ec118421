import { useState } from 'react'
import { useClient } from '../../../state/page/queries'
import { showToast } from '../../../state/page/toasts-state'
import { TextField } from '../../../ui/form/field'
import { FormDialog } from '../form-dialog'
import { useGit } from '../git-context'

/** Asks for the name of a new tag and an optional message. `at`: a commit; default: HEAD. */
export function TagDialog({ at, onClose }: { at?: string; onClose: () => void }) {
  const client = useClient()
  const { sessionId } = useGit()
  const [text, setText] = useState('')
  const [message, setMessage] = useState('')
  const name = text.trim()
  return (
    <FormDialog
      title="New tag"
      width={420}
      action="Create tag"
      isComplete={name !== ''}
      onClose={onClose}
      onSubmit={async () => {
        await client.git.createTag({
          sessionId,
          name,
          ...(at !== undefined && { at }),
          ...(message.trim() !== '' && { message: message.trim() }),
        })
        showToast(`Tagged ${name}`)
      }}
    >
      <TextField
        label="Name"
        hint={`At ${at?.slice(0, 12) ?? 'the commit that is checked out'}.`}
        mono
        value={text}
        maxLength={250}
        onChange={(event) => setText(event.target.value)}
      />
      <TextField
        label="Message"
        hint="With a message, the tag also records who made it and when."
        value={message}
        maxLength={10_000}
        onChange={(event) => setMessage(event.target.value)}
      />
    </FormDialog>
  )
}
