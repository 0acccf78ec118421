import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { PLACE_NAME, type PlaceLaunch } from '../../../shared/model/place'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { ErrorNote } from '../../ui/notice'

type Kind = 'ssh' | 'slurm' | 'docker' | 'podman'

const TARGETS: Record<Kind, { label: string; placeholder: string; hint: string }> = {
  ssh: {
    label: 'Host',
    placeholder: 'build-box or ada@build.example',
    hint: 'As you give it to ssh. Your ssh configuration, agent and jump hosts apply.',
  },
  slurm: {
    label: 'Login host',
    placeholder: 'login.cluster',
    hint: 'Where sbatch and srun are; empty: this machine.',
  },
  docker: { label: 'Container', placeholder: 'my-container', hint: 'The name of a running container.' },
  podman: { label: 'Container', placeholder: 'my-container', hint: 'The name of a running container.' },
}

/** Adds a place; it is tested right after. */
export function AddPlaceDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (placeId: string) => void }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const formId = useId()
  const [kind, setKind] = useState<Kind>('ssh')
  const [target, setTarget] = useState('')
  const [name, setName] = useState<string>()
  const [models, setModels] = useState<'here' | 'there'>('here')
  const placeId = name ?? (target.trim() === '' ? '' : target.trim().replace(/^[^@]*@/, ''))
  const isNamed = PLACE_NAME.test(placeId)
  const add = useMutation({
    mutationFn: () => client.place.add({ placeId, launch: launchOf(kind, target.trim()), models }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: [['place']] })
      onAdded(placeId)
    },
  })
  const { label, placeholder, hint } = TARGETS[kind]
  const canAdd = isNamed && (target.trim() !== '' || kind === 'slurm')
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add a place"
      description="Another machine where the agent works. Nothing has to be installed there, and no port is opened."
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={!canAdd} busy={add.isPending}>
            Add and test
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="space-y-3"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          if (canAdd) add.mutate()
        }}
      >
        <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
          <option value="ssh">A machine over ssh</option>
          <option value="slurm">A Slurm cluster</option>
          <option value="docker">A Docker container</option>
          <option value="podman">A Podman container</option>
        </SelectField>
        <TextField
          label={label}
          hint={hint}
          placeholder={placeholder}
          mono
          autoFocus
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        />
        <TextField
          label="Name"
          value={placeId}
          onChange={(event) => setName(event.target.value)}
          {...(placeId !== '' && !isNamed && { error: 'Up to 40 letters, digits, dots, dashes and underscores.' })}
        />
        <SelectField
          label="Model calls"
          hint={
            models === 'here'
              ? 'Made by this machine: no key is stored on the place.'
              : 'Made there, with the keys that are configured there.'
          }
          value={models}
          onChange={(event) => setModels(event.target.value === 'there' ? 'there' : 'here')}
        >
          <option value="here">From this machine, with my keys</option>
          <option value="there">From the place, with its own keys</option>
        </SelectField>
        {add.error && <ErrorNote failure={failureFrom(add.error)} />}
      </form>
    </Dialog>
  )
}

function launchOf(kind: Kind, target: string): PlaceLaunch {
  switch (kind) {
    case 'ssh':
      return { kind, host: target }
    case 'slurm':
      return target === '' ? { kind } : { kind, host: target }
    default:
      return { kind: 'container', program: kind, container: target }
  }
}
