import { useState, type SyntheticEvent } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PluginPlace } from '../../../shared/model/plugin'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { CONTROL_CLASS, Field, TextField } from '../../ui/form/field'
import { ErrorNote } from '../../ui/notice'
import { placeOf } from './plugin-actions'

interface AddPluginDialogProps {
  /** The project that it can be added to. */
  project: { path: string; name: string } | undefined
  onClose: () => void
  onAdded: (place: PluginPlace) => void
}

/** Asks where a plugin is, and installs it, turned off. */
export function AddPluginDialog({ project, onClose, onAdded }: AddPluginDialogProps) {
  const client = useClient()
  const queryClient = useQueryClient()
  const [from, setFrom] = useState('')
  const [where, setWhere] = useState<'user' | 'project'>('user')
  const add = useMutation({
    mutationFn: () =>
      client.plugin.add({ from: from.trim(), ...(where === 'project' && project && { folder: project.path }) }),
    onSuccess: (review) => onAdded(placeOf(review)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['plugin']] }),
  })
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (from.trim() !== '' && !add.isPending) add.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add plugin"
      description="It is copied and stays off until you have reviewed it. Nothing of it runs."
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form="add-plugin" busy={add.isPending} disabled={from.trim() === ''}>
            Add
          </Button>
        </>
      }
    >
      <form id="add-plugin" onSubmit={submit} className="space-y-3">
        <TextField
          label="Folder or git address"
          mono
          placeholder="~/code/my-plugin or https://…/plugin.git#main"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        {project && (
          <Field
            label="Where"
            hint={where === 'project' ? `Copied to .trestle/plugins of ${project.name}.` : undefined}
          >
            {({ id, describedBy }) => (
              <select
                id={id}
                aria-describedby={describedBy}
                value={where}
                className={CONTROL_CLASS}
                onChange={(event) => setWhere(event.target.value === 'project' ? 'project' : 'user')}
              >
                <option value="user">For you, in every project</option>
                <option value="project">In the project {project.name}</option>
              </select>
            )}
          </Field>
        )}
        {add.error && <ErrorNote failure={failureFrom(add.error)} />}
      </form>
    </Dialog>
  )
}
