import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { ModelView, SettingsView } from '../../../shared/model/settings'
import { abilityWords, GUESS_MEANING } from '../../state/model-words'
import { useFindLocal } from '../../state/find-local'
import { useSettingsChange } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { EmptyState } from '../../ui/empty-state'
import { TestButton, TestResult, useConnectionTest } from './connection-test'
import { ModelForm } from './model-form'
import { OtherModels } from './other-models'
import { SectionHead } from '../../ui/section-head'

/** The models to choose from, and which one a new session takes. */
export function ModelsSection({ settings, onAddProvider }: { settings: SettingsView; onAddProvider: () => void }) {
  const [editing, setEditing] = useState<{ model: ModelView | undefined }>()
  const [removing, setRemoving] = useState<ModelView>()
  const remove = useSettingsChange((api, id: string) => api.removeModel({ id }))
  const findLocal = useFindLocal()
  const add = (): void => (settings.providers.length === 0 ? onAddProvider() : setEditing({ model: undefined }))
  return (
    <section aria-labelledby="settings-models">
      <SectionHead id="settings-models" title="Models" text="New sessions start with the default model. You can switch in any session.">
        <div className="flex gap-2">
          <Button
            icon={<RefreshCw aria-hidden />}
            busy={findLocal.isPending}
            onClick={() => findLocal.mutate(undefined, { onError: tellFailure })}
          >
            Detect local models
          </Button>
          <Button icon={<Plus aria-hidden />} onClick={add}>
            Add model
          </Button>
        </div>
      </SectionHead>
      <div role="status" className="text-ui text-ink-2 empty:hidden [&:not(:empty)]:mb-3">
        {findLocal.data && findLocal.found}
      </div>
      {settings.models.length === 0 ? (
        <EmptyState title="No models yet" className="rounded-lg border border-dashed border-line-strong">
          Add a provider first, then its models.
        </EmptyState>
      ) : (
        <ul className="overflow-hidden rounded-lg border border-line bg-raised">
          {settings.models.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              isDefault={model.id === settings.defaultModel}
              onEdit={() => setEditing({ model })}
              onRemove={() => setRemoving(model)}
            />
          ))}
        </ul>
      )}
      {settings.models.some(({ origin }) => origin === 'configured') && <OtherModels settings={settings} />}
      {editing && (
        <ModelForm
          model={editing.model}
          providers={settings.providers}
          taken={settings.models.map(({ id }) => id)}
          onClose={() => setEditing(undefined)}
        />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={(open) => !open && setRemoving(undefined)}
        title={`Remove the model ${removing?.label ?? ''}?`}
        action="Remove model"
        onConfirm={() => removing && remove.mutate(removing.id, { onError: tellFailure })}
      >
        It will be removed from config.toml. Sessions that used it keep their messages and ask for another model.
      </ConfirmDialog>
    </section>
  )
}

interface ModelRowProps {
  model: ModelView
  isDefault: boolean
  onEdit: () => void
  onRemove: () => void
}

function ModelRow({ model, isDefault, onEdit, onRemove }: ModelRowProps) {
  const test = useConnectionTest()
  const makeDefault = useSettingsChange((api, id: string) => api.setDefaultModel({ id }))
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-[220px] flex-1">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{model.label}</span>
            {isDefault && <Badge tone="run">default</Badge>}
            {model.origin === 'found' && <Badge tone="done">found on this machine</Badge>}
            {model.knownFrom === 'guess' && (
              <span title={GUESS_MEANING}>
                <Badge tone="wait">guess</Badge>
              </span>
            )}
          </p>
          <p className="text-small wrap-anywhere text-ink-3">
            {model.scripted ? (
              'A scripted demo, no AI model. The tools and file changes are real.'
            ) : (
              <>
                <span className="font-mono text-tiny">{model.id}</span> · {abilityWords(model)}
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap gap-1">
          {!isDefault && (
            <Button
              variant="quiet"
              size="small"
              busy={makeDefault.isPending}
              aria-label={`Make default: ${model.label}`}
              onClick={() => makeDefault.mutate(model.id, { onError: tellFailure })}
            >
              Make default
            </Button>
          )}
          {!model.scripted && <TestButton test={test} id={model.id} />}
          {model.origin === 'configured' && (
            <>
              <Button variant="quiet" size="small" aria-label={`Edit ${model.label}`} onClick={onEdit}>
                Edit
              </Button>
              <Button variant="quiet" size="small" aria-label={`Remove ${model.label}`} onClick={onRemove}>
                Remove
              </Button>
            </>
          )}
        </div>
      </div>
      <TestResult test={test} className="mt-1 empty:hidden" />
    </li>
  )
}
