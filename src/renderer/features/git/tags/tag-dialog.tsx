import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Failure } from '../../../../shared/errors'
import { failureFrom } from '../../../client/failure-from'
import { useClient } from '../../../state/page/queries'
import { showToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { TextField } from '../../../ui/form/field'
import { ErrorNote } from '../../../ui/notice'
import { useGit } from '../git-context'

/** Asks for the name of a new tag, and a message if it is to have one. `at`: a commit; absent: what is checked out. */
export function TagDialog({ at, onClose }: { at?: string; onClose: () => void }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const { sessionId } = useGit()
  const form = useId()
  const [name, setName] = useState('')
  const [message, setMessage] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const create = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await client.git.createTag({
        sessionId,
        name: name.trim(),
        ...(at !== undefined && { at }),
        ...(message.trim() !== '' && { message: message.trim() }),
      })
      showToast(`Tagged ${name.trim()}`)
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
      title="New tag"
      width={420}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" busy={busy} disabled={name.trim() === ''}>
            Create tag
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && name.trim() !== '') void create()
        }}
      >
        <TextField
          label="Name"
          hint={`At ${at?.slice(0, 12) ?? 'the commit that is checked out'}.`}
          mono
          value={name}
          maxLength={250}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Message"
          hint="With a message, the tag also records who made it and when."
          value={message}
          maxLength={10_000}
          onChange={(event) => setMessage(event.target.value)}
        />
        {failure && <ErrorNote failure={failure} />}
      </form>
    </Dialog>
  )
}
