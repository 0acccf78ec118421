import { providerFacts } from '../../../../shared/configuration/provider-types'
import { useId, useState, type FormEvent } from 'react'
import type { ModelView, ProviderView } from '../../../../shared/configuration/settings'
import { wholeNumberIn } from '../../../format/typed-number'
import { formFailure } from '../../../state/form-failure'
import { useSettingsChange } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { useOfferedModels, ModelNameField } from './model-name-field'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { ErrorNote } from '../../../ui/notice'
import { SelectField } from '../../../ui/form/choice-fields'
import { Switch } from '../../../ui/form/settings-controls'
import { TextField } from '../../../ui/form/field'

interface ModelFormProps {
  /** Undefined: a new one. */
  model: ModelView | undefined
  providers: readonly ProviderView[]
  /** IDs in use. */
  taken: readonly string[]
  onClose: () => void
}

const FIELDS = ['id', 'providerId', 'model', 'label', 'contextWindow', 'maxOutputTokens']
const MIN_WINDOW = 1000
const MAX_WINDOW = 100_000_000

/** Adds or changes a model: its provider, its ID there, and its capabilities. */
export function ModelForm({ model, providers, taken, onClose }: ModelFormProps) {
  const formId = useId()
  const [providerId, setProviderId] = useState(model?.providerId ?? providers[0]?.id ?? '')
  const [name, setName] = useState(model?.model ?? '')
  const [label, setLabel] = useState(
    model && model.label !== model.id && model.label !== model.model ? model.label : '',
  )
  const [contextWindow, setContextWindow] = useState(numberText(model?.said?.contextWindow))
  const [maxOutput, setMaxOutput] = useState(numberText(model?.said?.maxOutputTokens))
  // Only the fields the user changed; the others follow the known data of the typed model ID.
  const [switched, setSwitched] = useState<Partial<Record<'toolCalls' | 'imagesIn' | 'videoIn' | 'thinking', boolean>>>(
    {},
  )
  const [checked, setChecked] = useState(false)
  const offered = useOfferedModels()
  const save = useSettingsChange((settings, input: Parameters<typeof settings.saveModel>[0]) =>
    settings.saveModel(input),
  )

  const id = model?.id ?? `${providerId}/${name.trim()}`
  const [size, output] = [contextWindow, maxOutput].map((text) =>
    text.trim() === '' ? undefined : wholeNumberIn(text),
  )
  const offer = offered.data?.models.find((one) => one.model === name.trim())
  const known = model && name.trim() === model.model ? model.known : offer
  const before = model && name.trim() === model.model ? model : known
  const isKnown = known !== undefined && known.knownFrom !== 'guess'
  const toolCalls = switched.toolCalls ?? before?.toolCalls ?? true
  const imagesIn = switched.imagesIn ?? before?.imagesIn ?? false
  const videoIn = switched.videoIn ?? before?.videoIn ?? false
  const thinking = switched.thinking ?? before?.thinking ?? false
  const isTouched = Object.keys(switched).length > 0 || (model?.said?.abilities ?? false)
  const problems: Record<string, string | undefined> = {
    providerId: providerId === '' ? 'Choose a provider' : undefined,
    model:
      name.trim() === ''
        ? 'Enter a model ID'
        : !model && taken.includes(id)
          ? 'This model is already in the list'
          : undefined,
    contextWindow:
      size === undefined || (Number.isInteger(size) && size >= MIN_WINDOW && size <= MAX_WINDOW)
        ? undefined
        : 'Enter a whole number from 1,000 to 100,000,000',
    maxOutputTokens:
      output === undefined || (Number.isInteger(output) && output >= 1 && output <= MAX_WINDOW)
        ? undefined
        : 'Enter a whole number from 1 to 100,000,000',
  }
  const refused = formFailure(save.error, FIELDS)
  const errorOf = (field: string): string | undefined =>
    (checked ? problems[field] : undefined) ?? refused.fields[field]
  const provider = providers.find((one) => one.id === providerId)

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    if (Object.values(problems).some((problem) => problem !== undefined)) {
      const form = event.currentTarget
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    save.mutate(
      {
        id,
        providerId,
        model: name.trim(),
        ...(label.trim() && { label: label.trim() }),
        ...(size !== undefined && { contextWindow: size }),
        ...(output !== undefined && { maxOutputTokens: output }),
        ...(isTouched && { toolCalls, imagesIn, videoIn, thinking }),
      },
      { onSuccess: onClose },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={model ? model.id : 'Add a model'}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
            {model ? 'Save' : 'Add model'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5 pb-2">
        <SelectField
          label="Provider"
          value={providerId}
          disabled={model !== undefined}
          error={errorOf('providerId')}
          onChange={(event) => setProviderId(event.target.value)}
        >
          {providers.map((provider) => (
            <option key={provider.id} value={provider.id}>
              {provider.id}
            </option>
          ))}
        </SelectField>
        <ModelNameField
          value={name}
          onChange={setName}
          placeholder={provider ? providerFacts(provider.type).modelExample : ''}
          error={errorOf('model') ?? errorOf('id')}
          offered={offered.data}
          isAsking={offered.isPending}
          onAsk={provider && (() => offered.mutate(addressOf(provider), { onError: showFailureToast }))}
        />
        <TextField
          label="Label"
          value={label}
          placeholder={name.trim()}
          hint="Display name (optional)"
          error={errorOf('label')}
          onChange={(event) => setLabel(event.target.value)}
        />
        <TextField
          label="Context window"
          mono
          inputMode="numeric"
          value={contextWindow}
          placeholder={(known?.contextWindow ?? 128_000).toLocaleString()}
          hint={`Maximum tokens per request. Default: ${isKnown ? 'the known' : 'an assumed'} value.`}
          error={errorOf('contextWindow')}
          onChange={(event) => setContextWindow(event.target.value)}
        />
        <TextField
          label="Output limit"
          mono
          inputMode="numeric"
          value={maxOutput}
          placeholder={known?.maxOutputTokens?.toLocaleString() ?? 'Provider default'}
          hint="Maximum tokens per answer (max_output_tokens, optional)"
          error={errorOf('maxOutputTokens')}
          onChange={(event) => setMaxOutput(event.target.value)}
        />
        <fieldset className="flex flex-col gap-2.5 pt-1">
          <legend className="pb-2 text-small font-medium text-ink-2">Capabilities</legend>
          <Switch
            label="Tools"
            description="Can read, edit and run code. Without tools, the model can only chat."
            checked={toolCalls}
            onChange={(on) => setSwitched({ ...switched, toolCalls: on })}
          />
          <Switch
            label="Images"
            description="Accepts images"
            checked={imagesIn}
            onChange={(on) => setSwitched({ ...switched, imagesIn: on })}
          />
          <Switch
            label="Video"
            description="Accepts video, if the provider’s API supports it"
            checked={videoIn}
            onChange={(on) => setSwitched({ ...switched, videoIn: on })}
          />
          <Switch
            label="Thinking"
            description="Reasoning model"
            checked={thinking}
            onChange={(on) => setSwitched({ ...switched, thinking: on })}
          />
        </fieldset>
        {refused.failure && <ErrorNote failure={refused.failure} />}
      </form>
    </Dialog>
  )
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function addressOf({ id, type, baseUrl }: ProviderView) {
  return { id, type, ...(baseUrl !== undefined && { baseUrl }) }
}
