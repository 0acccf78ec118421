import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { PLACE_NAME } from '../../../shared/model/place/place'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/overlay/dialog'
import { SelectField } from '../../ui/form/choice-fields'
import { TextField } from '../../ui/form/field'
import { Switch } from '../../ui/form/settings-controls'
import { ErrorNote } from '../../ui/notice'
import { LAUNCH_FORMS, readLaunchForm, suggestedName, type LaunchField, type PlaceKind } from './launch-forms'

/** Adds a place; it is tested right after. */
export function AddPlaceDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (placeId: string) => void }) {
  const client = useClient()
  const queryClient = useQueryClient()
  const formId = useId()
  const [kind, setKind] = useState<PlaceKind>('ssh')
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [perSession, setPerSession] = useState(false)
  const [agentJobs, setAgentJobs] = useState(false)
  const [name, setName] = useState<string>()
  const [models, setModels] = useState<'here' | 'there'>('here')
  const form = LAUNCH_FORMS[kind]
  const { launch, errors, error } = readLaunchForm(kind, texts, perSession)
  const placeId = name ?? suggestedName(kind, texts)
  const isNamed = PLACE_NAME.test(placeId)
  const isTyped = Object.values(texts).some((text) => text.trim() !== '')
  const canAdd = isNamed && launch !== undefined
  const add = useMutation({
    mutationFn: () => {
      if (!launch) throw new Error('nothing to add yet')
      return client.place.add({
        placeId,
        launch: launch.kind === 'slurm' && agentJobs ? { ...launch, agentJobs } : launch,
        models,
      })
    },
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: [['place']] })
      onAdded(placeId)
    },
  })
  const field = ({ name: fieldName, label, hint, placeholder }: LaunchField, index: number) => (
    <TextField
      key={`${kind} ${fieldName}`}
      label={label}
      mono
      autoFocus={index === 0}
      value={texts[fieldName] ?? ''}
      onChange={(event) => setTexts({ ...texts, [fieldName]: event.target.value })}
      {...(hint !== undefined && { hint })}
      {...(placeholder !== undefined && { placeholder })}
      {...(errors[fieldName] !== undefined && { error: errors[fieldName] })}
    />
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add a place"
      description={
        'Another machine, container or job where the agent works. ' +
        'Nothing has to be installed there, and no port is opened.'
      }
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
        <SelectField
          label="Kind"
          value={kind}
          onChange={(event) => {
            setKind(event.target.value as PlaceKind)
            // A value of one kind can be wrong for another.
            setTexts({})
          }}
        >
          {Object.entries(LAUNCH_FORMS).map(([value, { title }]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </SelectField>
        {form.note !== undefined && <p className="text-small text-ink-2">{form.note}</p>}
        {form.fields.map(field)}
        {form.more && (
          <details>
            <summary className="cursor-pointer text-small text-ink-2">More options</summary>
            <div className="mt-3 space-y-3">{form.more.map((one) => field(one, -1))}</div>
          </details>
        )}
        {form.perSession && (
          <Switch
            label="A container for each session"
            description="Each new session gets one of its own. It is listed here, and stays until you remove it."
            checked={perSession}
            onChange={setPerSession}
          />
        )}
        {kind === 'slurm' && (
          <Switch
            label="Subagents as jobs"
            description="Each subagent runs as a job of its own, with the same limits."
            checked={agentJobs}
            onChange={setAgentJobs}
          />
        )}
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
        {isTyped && error !== undefined && (
          <p role="status" className="text-small text-fail-ink">
            {error}
          </p>
        )}
        {add.error && <ErrorNote failure={failureFrom(add.error)} />}
      </form>
    </Dialog>
  )
}
