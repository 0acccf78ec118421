import { Plus } from 'lucide-react'
import { useState } from 'react'
import { keysText, type KeysView, type ProviderView, type SettingsView } from '../../../shared/model/settings'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { EmptyState } from '../../ui/empty-state'
import { ProviderForm } from './provider-form'
import { PROVIDER_WORDS } from './provider-words'
import { SectionHead } from '../../ui/section-head'

/** Where models come from: addresses and keys. */
export function ProvidersSection({ settings }: { settings: SettingsView }) {
  const [editing, setEditing] = useState<{ provider: ProviderView | undefined }>()
  const [removing, setRemoving] = useState<ProviderView>()
  const remove = useSettingsChange((api, id: string) => api.removeProvider({ id }))
  const modelsOf = (id: string): number =>
    settings.models.filter((model) => model.providerId === id && model.origin === 'configured').length
  return (
    <section aria-labelledby="settings-providers">
      <SectionHead id="settings-providers" title="Providers" text="Where your models run: a cloud API, a gateway, or a local server.">
        <Button icon={<Plus aria-hidden />} onClick={() => setEditing({ provider: undefined })}>
          Add provider
        </Button>
      </SectionHead>
      {settings.providers.length === 0 ? (
        <EmptyState title="No providers yet" className="rounded-lg border border-dashed border-line-strong">
          Add one with its address and key. Local servers (Ollama, LM Studio, llama.cpp) are detected automatically. The demo model needs no
          provider.
        </EmptyState>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised">
          {settings.providers.map((provider) => (
            <li
              key={provider.id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2.5 first:border-t-0"
            >
              <div className="min-w-[180px] flex-1">
                <p className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{provider.id}</span>
                  <KeyState provider={provider} />
                </p>
                <p className="text-small wrap-anywhere text-ink-3">
                  {PROVIDER_WORDS[provider.type].name} ·{' '}
                  <span className="font-mono text-tiny">
                    {provider.baseUrl ?? PROVIDER_WORDS[provider.type].defaultUrl ?? 'no address'}
                  </span>
                </p>
                {provider.keyFrom === 'locked' && <p className="text-small text-ink-2">{lockedText(settings.keys)}</p>}
              </div>
              <div className="flex gap-1">
                <Button variant="quiet" size="small" aria-label={`Edit ${provider.id}`} onClick={() => setEditing({ provider })}>
                  Edit
                </Button>
                <Button variant="quiet" size="small" aria-label={`Remove ${provider.id}`} onClick={() => setRemoving(provider)}>
                  Remove
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {settings.providers.length > 0 && <p className="mt-2 px-0.5 text-small text-ink-3">{keysText(settings.keys)}</p>}
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
        onConfirm={() => removing && remove.mutate(removing.id, { onError: tellFailure })}
      >
        {removing &&
          `Its ${modelsOf(removing.id) === 1 ? 'one model' : `${modelsOf(removing.id)} models`} and its stored key go with it. Sessions keep what was said and ask for another model.`}
      </ConfirmDialog>
    </section>
  )
}

/** Why a stored key cannot be used, and what to do about it. */
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
