import { useId, useState, type FormEvent } from 'react'
import { keysText, PROVIDER_TYPES, type KeysView, type ProviderType, type ProviderView } from '../../../shared/model/settings'
import { formFailure } from '../../state/field-errors'
import { useSettingsChange } from '../../state/settings-query'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { ErrorNote } from '../../ui/error-note'
import { SelectField } from '../../ui/select-field'
import { TextField } from '../../ui/text-field'
import { baseUrlProblem, PROVIDER_WORDS, suggestProviderId } from './provider-words'

interface ProviderFormProps {
  /** Undefined: a new one. */
  provider: ProviderView | undefined
  /** Where its key will be kept. */
  keys: KeysView
  /** Names that are in use. */
  taken: readonly string[]
  onClose: () => void
}

/** What stands in the empty field of a key. */
const PLACEHOLDERS: Partial<Record<ProviderView['keyFrom'], string>> = {
  stored: 'A key is stored; type to replace it',
  locked: 'A key is stored, but locked; type to replace it',
}

const FIELDS = ['id', 'type', 'baseUrl', 'apiKeyEnv', 'apiKey']

/** Adds or changes a provider. A stored key is never shown; leaving the field empty keeps it. */
export function ProviderForm({ provider, keys, taken, onClose }: ProviderFormProps) {
  const formId = useId()
  const [type, setType] = useState<ProviderType>(provider?.type ?? 'openai-compatible')
  const [name, setName] = useState<string>()
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '')
  const [apiKey, setApiKey] = useState('')
  const [apiKeyEnv, setApiKeyEnv] = useState(provider?.apiKeyEnv ?? '')
  const [checked, setChecked] = useState(false)
  const save = useSettingsChange((settings, input: Parameters<typeof settings.saveProvider>[0]) => settings.saveProvider(input))

  const id = provider?.id ?? (name === undefined ? suggestProviderId(type, baseUrl.trim(), taken) : name.trim())
  const problems: Record<string, string | undefined> = {
    id: idProblem(id, provider === undefined ? taken : []),
    baseUrl: baseUrlProblem(type, baseUrl.trim()),
    apiKeyEnv: apiKeyEnv.trim() === '' || /^[A-Za-z_]\w*$/.test(apiKeyEnv.trim()) ? undefined : 'Use only letters, digits and underscores',
  }
  const refused = formFailure(save.error, FIELDS)
  const errorOf = (field: string): string | undefined => (checked ? problems[field] : undefined) ?? refused.fields[field]
  const words = PROVIDER_WORDS[type]

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
        type,
        ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
        ...(apiKeyEnv.trim() && { apiKeyEnv: apiKeyEnv.trim() }),
        ...(apiKey.trim() && { apiKey: apiKey.trim() }),
      },
      { onSuccess: onClose },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={provider ? `Provider ${provider.id}` : 'Add a provider'}
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} busy={save.isPending}>
            {provider ? 'Save' : 'Add provider'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3.5 pb-2">
        <SelectField label="Type" value={type} error={errorOf('type')} onChange={(event) => setType(typeOf(event.target.value))}>
          {PROVIDER_TYPES.map((value) => (
            <option key={value} value={value}>
              {PROVIDER_WORDS[value].name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Base URL"
          mono
          inputMode="url"
          value={baseUrl}
          placeholder={words.defaultUrl ?? 'http://127.0.0.1:8080/v1'}
          hint={words.defaultUrl ? 'Default: the provider’s own address' : undefined}
          error={errorOf('baseUrl')}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
        <TextField
          label="API key"
          type="password"
          autoComplete="new-password"
          value={apiKey}
          placeholder={provider && PLACEHOLDERS[provider.keyFrom]}
          hint={`${keysText(keys)} They are never in config.toml and never shown again.`}
          error={errorOf('apiKey')}
          onChange={(event) => setApiKey(event.target.value)}
        />
        <TextField
          label="Or from an environment variable"
          mono
          value={apiKeyEnv}
          placeholder={words.keyEnv}
          hint="Only the variable name is saved. A stored key takes precedence."
          error={errorOf('apiKeyEnv')}
          onChange={(event) => setApiKeyEnv(event.target.value)}
        />
        {!provider && (
          <TextField
            label="Name"
            mono
            value={name ?? id}
            hint="Used as a prefix: name/model"
            error={errorOf('id')}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {refused.failure && <ErrorNote failure={refused.failure} />}
      </form>
    </Dialog>
  )
}

function typeOf(value: string): ProviderType {
  return PROVIDER_TYPES.find((type) => type === value) ?? 'openai-compatible'
}

function idProblem(id: string, taken: readonly string[]): string | undefined {
  if (id === '') return 'Enter a name'
  if (!/^[\w.:@-]+$/.test(id)) return 'Letters, digits and . : @ _ - only'
  return taken.includes(id) ? 'There is a provider of this name' : undefined
}
