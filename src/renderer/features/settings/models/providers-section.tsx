import { PROVIDER_TYPES, type ProviderType, providerFacts } from '../../../../shared/configuration/provider-types'
import { LayoutGrid, Plus } from 'lucide-react'
import { useState, useId, type FormEvent } from 'react'
import {
  keyStorageText,
  type KeysView,
  type ProviderView,
  type SettingsView,
} from '../../../../shared/configuration/settings'
import { useSettingsChange } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { EmptyState, ErrorNote } from '../../../ui/notice'
import { ConnectProvider } from './connect-provider'
import { baseUrlProblem, suggestProviderId } from './provider-input'
import { SectionHead } from '../../../ui/form/settings-controls'
import { formFailure } from '../../../state/form-failure'
import { Dialog } from '../../../ui/overlay/dialog'
import { SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'
import { cx } from '../../../ui/cx'

/** The model providers: their URLs and keys. */
export function ProvidersSection({ settings }: { settings: SettingsView }) {
  const [editing, setEditing] = useState<{ provider: ProviderView | undefined }>()
  const [removing, setRemoving] = useState<ProviderView>()
  const [browsing, setBrowsing] = useState(false)
  const remove = useSettingsChange((api, id: string) => api.removeProvider({ id }))
  const withIt = (id: string): string => {
    const count = settings.models.filter((model) => model.providerId === id && model.origin === 'configured').length
    return count === 0 ? 'API key' : `${count === 1 ? 'model' : `${count} models`} and API key`
  }
  return (
    <section aria-labelledby="settings-providers">
      <SectionHead
        id="settings-providers"
        title="Providers"
        text="Where your models run: a cloud API, a gateway, or a local server."
      >
        <div className="flex gap-2">
          <Button icon={<LayoutGrid aria-hidden />} aria-expanded={browsing} onClick={() => setBrowsing(!browsing)}>
            Catalog
          </Button>
          <Button icon={<Plus aria-hidden />} onClick={() => setEditing({ provider: undefined })}>
            Add provider
          </Button>
        </div>
      </SectionHead>
      {browsing && (
        <div className="mb-4">
          <ConnectProvider settings={settings} onConnected={() => setBrowsing(false)} />
        </div>
      )}
      {settings.providers.length === 0 ? (
        <EmptyState title="No providers yet" className="rounded-lg border border-dashed border-line-strong">
          Add one with its address and key. Local servers (Ollama, LM Studio, llama.cpp) are detected automatically. The
          demo model needs no provider.
        </EmptyState>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised">
          {settings.providers.map((provider) => (
            <li
              key={provider.id}
              className={cx(
                'flex flex-wrap items-center gap-x-3 gap-y-1',
                'border-t border-line px-3.5 py-2.5 first:border-t-0',
              )}
            >
              <div className="min-w-[180px] flex-1">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{provider.id}</span>
                  <KeyState provider={provider} />
                </p>
                <p className="text-small wrap-anywhere text-ink-3">
                  {providerFacts(provider.type).label} ·{' '}
                  <span className="font-mono text-tiny">
                    {provider.baseUrl ?? providerFacts(provider.type).defaultUrl ?? 'no address'}
                  </span>
                </p>
                {provider.keyFrom === 'locked' && <p className="text-small text-ink-2">{lockedText(settings.keys)}</p>}
              </div>
              <div className="flex gap-1">
                <Button
                  variant="quiet"
                  size="small"
                  aria-label={`Edit ${provider.id}`}
                  onClick={() => setEditing({ provider })}
                >
                  Edit
                </Button>
                <Button
                  variant="quiet"
                  size="small"
                  aria-label={`Remove ${provider.id}`}
                  onClick={() => setRemoving(provider)}
                >
                  Remove
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {settings.providers.length > 0 && (
        <p className="mt-2 px-0.5 text-small text-ink-3">{keyStorageText(settings.keys)}</p>
      )}
      {editing && (
        <ProviderForm
          provider={editing.provider}
          keys={settings.keys}
          taken={settings.providers.map(({ id }) => id)}
          onClose={() => setEditing(undefined)}
        />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={(open) => !open && setRemoving(undefined)}
        title={`Remove the provider ${removing?.id ?? ''}?`}
        action="Remove provider"
        onConfirm={() => removing && remove.mutate(removing.id, { onError: showFailureToast })}
      >
        {removing &&
          `This also removes its ${withIt(removing.id)}. Sessions keep their messages and ask for another model.`}
      </ConfirmDialog>
    </section>
  )
}

/** Why a stored key cannot be used, and how to fix it. */
function lockedText({ reason }: KeysView): string {
  const why = reason === undefined ? 'It was encrypted with another key' : `It cannot be decrypted because ${reason}`
  return `${why}. Enter the key again, or name an environment variable.`
}

function KeyState({ provider: { keyFrom, apiKeyEnv } }: { provider: ProviderView }) {
  switch (keyFrom) {
    case 'stored':
      return <Badge tone="done">key stored</Badge>
    case 'environment':
      return <Badge tone="done">key from {apiKeyEnv ?? 'the environment'}</Badge>
    case 'file':
      return <Badge>key in config.toml</Badge>
    case 'locked':
      return <Badge tone="wait">key locked</Badge>
    default:
      return apiKeyEnv ? <Badge tone="wait">{apiKeyEnv} is not set</Badge> : <Badge>no key</Badge>
  }
}

interface ProviderFormProps {
  /** Undefined: a new one. */
  provider: ProviderView | undefined
  /** Where its key will be stored. */
  keys: KeysView
  /** Names in use. */
  taken: readonly string[]
  onClose: () => void
}

/** The placeholder of a key field. */
const PLACEHOLDERS: Partial<Record<ProviderView['keyFrom'], string>> = {
  stored: 'A key is stored; type to replace it',
  locked: 'A key is stored, but locked; type to replace it',
}

const FIELDS = ['id', 'type', 'baseUrl', 'apiKeyEnv', 'apiKey']

/** Adds or changes a provider. A stored key is never shown; leaving the field empty keeps it. */
function ProviderForm({ provider, keys, taken, onClose }: ProviderFormProps) {
  const formId = useId()
  const [type, setType] = useState<ProviderType>(provider?.type ?? 'openai-compatible')
  const [name, setName] = useState<string>()
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '')
  const [apiKey, setApiKey] = useState('')
  const [apiKeyEnv, setApiKeyEnv] = useState(provider?.apiKeyEnv ?? '')
  const [checked, setChecked] = useState(false)
  const save = useSettingsChange((settings, input: Parameters<typeof settings.saveProvider>[0]) =>
    settings.saveProvider(input),
  )

  const id = provider?.id ?? (name === undefined ? suggestProviderId(type, baseUrl.trim(), taken) : name.trim())
  const problems: Record<string, string | undefined> = {
    id: idProblem(id, provider === undefined ? taken : []),
    baseUrl: baseUrlProblem(type, baseUrl.trim()),
    apiKeyEnv:
      apiKeyEnv.trim() === '' || /^[A-Za-z_]\w*$/.test(apiKeyEnv.trim())
        ? undefined
        : 'Use only letters, digits and underscores',
  }
  const refused = formFailure(save.error, FIELDS)
  const errorOf = (field: string): string | undefined =>
    (checked ? problems[field] : undefined) ?? refused.fields[field]
  const words = providerFacts(type)

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
        <SelectField
          label="Type"
          value={type}
          error={errorOf('type')}
          onChange={(event) => setType(typeOf(event.target.value))}
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
          hint={`${keyStorageText(keys)} They are never in config.toml and never shown again.`}
          error={errorOf('apiKey')}
          onChange={(event) => setApiKey(event.target.value)}
        />
        <TextField
          label="Or from an environment variable"
          mono
          value={apiKeyEnv}
          placeholder={words.keyVariable}
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
  return taken.includes(id) ? 'A provider with this name already exists' : undefined
}
