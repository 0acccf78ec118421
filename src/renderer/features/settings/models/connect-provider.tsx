import {
  PROVIDER_TYPES,
  type ProviderType,
  providerFacts,
  type ProviderTile,
} from '../../../../shared/configuration/provider-types'
import { useState, type FormEvent } from 'react'
import { keyStorageText, type SettingsView } from '../../../../shared/configuration/settings'
import { formFailure } from '../../../state/form-failure'
import { useSettingsChange } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/notice'
import { SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { useOfferedModels, ModelNameField, TestResult, useNewConnectionTest } from './model-name-field'
import { ConnectTile } from './connect-tile'
import { baseUrlProblem, suggestProviderId } from './provider-input'
import { ProviderTiles } from './provider-tiles'

interface ConnectProviderProps {
  settings: SettingsView
  /** The model responded and is saved. */
  onConnected: (modelId: string) => void
}

const FIELDS = ['type', 'baseUrl', 'apiKey', 'model', 'id']

/** Connects a provider: one of the catalog, or any other by its address. */
export function ConnectProvider(props: ConnectProviderProps) {
  const [tile, setTile] = useState<ProviderTile | 'other'>()
  const back = (): void => setTile(undefined)
  if (tile === 'other') return <ConnectOther {...props} onCancel={back} />
  if (tile) return <ConnectTile tile={tile} settings={props.settings} onConnected={props.onConnected} onBack={back} />
  return <ProviderTiles connected={props.settings.providers.map(({ id }) => id)} onChoose={setTile} />
}

/** The shortest form for a working model: its URL, the key, the model's name, and a connection test. */
function ConnectOther({ settings, onConnected, onCancel }: ConnectProviderProps & { onCancel: () => void }) {
  const [type, setType] = useState<ProviderType>('openai-compatible')
  const [baseUrl, setBaseUrl] = useState('')
  const [apiKey, setApiKey] = useState('')
  const [model, setModel] = useState('')
  const [checked, setChecked] = useState(false)
  const asked = () => ({
    type,
    ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
    ...(apiKey.trim() && { apiKey: apiKey.trim() }),
  })
  const connect = useSettingsChange(async (api, { providerId, modelId }: { providerId: string; modelId: string }) => {
    await api.saveProvider({ id: providerId, ...asked() })
    // The provider's data on its models applies to this one too; if it cannot be queried, the known data does.
    await api.offeredModels({ id: providerId, ...asked() })
    return api.saveModel({ id: modelId, providerId, model: model.trim() })
  })
  const offered = useOfferedModels()
  const test = useNewConnectionTest()
  const words = providerFacts(type)
  const problems: Record<string, string | undefined> = {
    baseUrl: baseUrlProblem(type, baseUrl.trim()),
    model: model.trim() === '' ? 'Enter a model ID' : undefined,
  }
  const refused = formFailure(test.error ?? connect.error, FIELDS)
  const errorOf = (field: string): string | undefined =>
    (checked ? problems[field] : undefined) ?? refused.fields[field]
  const busy = connect.isPending || test.isPending

  const save = (): void => {
    const providerId = suggestProviderId(
      type,
      baseUrl.trim(),
      settings.providers.map(({ id }) => id),
    )
    const modelId = `${providerId}/${model.trim()}`
    // The form may be gone once the provider is saved, so a callback of `mutate` would be too.
    void connect.mutateAsync({ providerId, modelId }).then(
      () => onConnected(modelId),
      () => undefined,
    )
  }

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (busy) return
    setChecked(true)
    test.reset()
    connect.reset()
    if (Object.values(problems).some((problem) => problem !== undefined)) {
      const form = event.currentTarget
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    test.mutate({ ...asked(), model: model.trim() }, { onSuccess: ({ ok }) => ok && save() })
  }

  return (
    <form
      noValidate
      onSubmit={submit}
      aria-label="Connect a provider"
      className="rounded-lg border border-line bg-raised p-4"
    >
      <div className="grid grid-cols-2 gap-x-4 gap-y-3.5 max-mid:grid-cols-1">
        <SelectField
          label="Type"
          value={type}
          onChange={(event) => {
            setType(PROVIDER_TYPES.find((value) => value === event.target.value) ?? type)
            offered.reset()
          }}
        >
          {PROVIDER_TYPES.map((value) => (
            <option key={value} value={value}>
              {providerFacts(value).label}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Base URL"
          mono
          inputMode="url"
          value={baseUrl}
          placeholder={words.defaultUrl ?? 'http://127.0.0.1:8080/v1'}
          error={errorOf('baseUrl')}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
        <TextField
          label="API key"
          type="password"
          autoComplete="new-password"
          value={apiKey}
          hint={`Leave empty if no key is required. ${keyStorageText(settings.keys)}`}
          error={errorOf('apiKey')}
          onChange={(event) => setApiKey(event.target.value)}
        />
        <ModelNameField
          value={model}
          onChange={setModel}
          placeholder={words.modelExample}
          error={errorOf('model') ?? errorOf('id')}
          offered={offered.data}
          isAsking={offered.isPending}
          onAsk={
            problems['baseUrl'] === undefined ? () => offered.mutate(asked(), { onError: showFailureToast }) : undefined
          }
        />
      </div>
      {refused.failure && <ErrorNote failure={refused.failure} className="mt-3.5" />}
      <TestResult test={{ ...test, error: null }} className="[&:not(:empty)]:mt-3" />
      {test.data && !test.data.ok && <p className="mt-1 text-small text-ink-3">Nothing was saved.</p>}
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <Button variant="primary" type="submit" busy={busy}>
          Connect and test
        </Button>
        {test.data && !test.data.ok && (
          <Button busy={connect.isPending} onClick={save}>
            Save anyway
          </Button>
        )}
        <Button variant="quiet" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  )
}
