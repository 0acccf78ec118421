import { Plus, RefreshCw } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import type { ModelView, SettingsView, BudgetView } from '../../../../shared/configuration/settings'
import { describePrices } from '../../../../shared/model/turn/usage'
import { tableDate, describeAbilities, GUESSED_MODEL_NOTE } from '../../../format/model-usage'
import { useDetectLocalModels } from '../../../state/detect-local-models'
import { useSettingsChange } from '../../../state/page/queries'
import { showFailureToast } from '../../../state/page/toasts-state'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { EmptyState, ErrorNote } from '../../../ui/notice'
import { TestButton, TestResult, useConnectionTest } from './model-name-field'
import { ModelForm } from './model-form'
import { SectionHead, SettingsSection } from '../../../ui/form/settings-controls'
import { SelectField } from '../../../ui/form/choice-fields'
import { numberIn, wholeNumberIn } from '../../../format/typed-number'
import { formFailure } from '../../../state/form-failure'
import { TextField } from '../../../ui/form/field'

/** The available models, and the default for new sessions. */
export function ModelsSection({ settings, onAddProvider }: { settings: SettingsView; onAddProvider: () => void }) {
  const [editing, setEditing] = useState<{ model: ModelView | undefined }>()
  const [removing, setRemoving] = useState<ModelView>()
  const remove = useSettingsChange((api, id: string) => api.removeModel({ id }))
  const findLocal = useDetectLocalModels()
  const add = (): void => (settings.providers.length === 0 ? onAddProvider() : setEditing({ model: undefined }))
  return (
    <section aria-labelledby="settings-models">
      <SectionHead
        id="settings-models"
        title="Models"
        text="New sessions start with the default model. You can switch in any session."
      >
        <div className="flex gap-2">
          <Button
            icon={<RefreshCw aria-hidden />}
            busy={findLocal.isPending}
            onClick={() => findLocal.mutate(undefined, { onError: showFailureToast })}
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
      <p className="mt-2 px-0.5 text-small wrap-anywhere text-ink-3" title={settings.prices.sources.join(', ')}>
        {settings.prices.generated === ''
          ? 'The table of known models cannot be read.'
          : `Context windows, capabilities and prices of known models are from ${tableDate(settings.prices)}.`}{' '}
        Values in config.toml take precedence.
      </p>
      {settings.models.some(({ origin }) => origin === 'configured') && <OtherModels settings={settings} />}
      <LimitsPart settings={settings} />
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
        onConfirm={() => removing && remove.mutate(removing.id, { onError: showFailureToast })}
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
              <span title={GUESSED_MODEL_NOTE}>
                <Badge tone="wait">guess</Badge>
              </span>
            )}
          </p>
          <p className="text-small wrap-anywhere text-ink-3">
            {model.scripted ? (
              'A scripted demo, no AI model. The tools and file changes are real.'
            ) : (
              <>
                <span className="font-mono text-tiny">{model.id}</span> · {describeAbilities(model)} · {priceOf(model)}
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
              onClick={() => makeDefault.mutate(model.id, { onError: showFailureToast })}
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

/** The price of a model, with its source if that is not the table. */
function priceOf({ prices, pricesFrom }: ModelView): string {
  if (!prices) return 'price unknown'
  const from = { config: ' (config.toml)', provider: ' (provider)', table: '', local: ' (on this computer)' }
  return `${describePrices(prices)}${from[pricesFrom ?? 'table']}`
}

/** The additional models: a small one, and a fallback. */
function OtherModels({ settings }: { settings: SettingsView }) {
  const setSmall = useSettingsChange((api, id: string) => api.setSmallModel(id === '' ? {} : { id }))
  const setFallback = useSettingsChange((api, id: string) => api.setFallbackModel(id === '' ? {} : { id }))
  return (
    <div className="mt-6 grid grid-cols-2 gap-x-4 gap-y-3.5 max-mid:grid-cols-1">
      <SelectField
        label="Small model"
        hint="Names sessions and runs the explore agent. If it fails, the session’s model takes over."
        value={settings.smallModel ?? ''}
        onChange={(event) => setSmall.mutate(event.target.value, { onError: showFailureToast })}
      >
        <option value="">Provider default</option>
        <Choices settings={settings} chosen={settings.smallModel} />
      </SelectField>
      <SelectField
        label="Fallback model"
        hint="Takes over when a model is overloaded. The next turn tries the first model again."
        value={settings.fallbackModel ?? ''}
        onChange={(event) => setFallback.mutate(event.target.value, { onError: showFailureToast })}
      >
        <option value="">None. The turn ends.</option>
        <Choices settings={settings} chosen={settings.fallbackModel} />
      </SelectField>
    </div>
  )
}

function Choices({ settings, chosen }: { settings: SettingsView; chosen: string | undefined }) {
  const models = settings.models.filter(({ scripted }) => !scripted)
  return (
    <>
      {chosen !== undefined && !models.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {models.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </>
  )
}

const FIELDS: readonly { name: keyof BudgetView; label: string; unit: Unit }[] = [
  { name: 'session', label: 'Dollars per session', unit: 'dollars' },
  { name: 'sessionTokens', label: 'Tokens per session', unit: 'tokens' },
  { name: 'day', label: 'Dollars per day', unit: 'dollars' },
  { name: 'dayTokens', label: 'Tokens per day', unit: 'tokens' },
  { name: 'project', label: 'Dollars per project and month', unit: 'dollars' },
  { name: 'projectTokens', label: 'Tokens per project and month', unit: 'tokens' },
]

/** Spending limits: the user is asked when one is reached. */
function LimitsPart({ settings: { budget } }: { settings: SettingsView }) {
  const [typed, setTyped] = useState<Partial<Record<keyof BudgetView, string>>>({})
  const [checked, setChecked] = useState(false)
  const save = useSettingsChange((api, change: BudgetView) => api.setBudget(change))
  const textOf = (name: keyof BudgetView): string => typed[name] ?? budget[name]?.toString() ?? ''
  const problems = FIELDS.flatMap(({ name, unit }) => {
    const problem = problemOf(textOf(name), unit)
    return problem === undefined ? [] : [[name, problem] as const]
  })
  const refused = formFailure(
    save.error,
    FIELDS.map(({ name }) => name),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (problems.length > 0) return
    const change = Object.fromEntries(
      FIELDS.flatMap(({ name, unit }) => (typed[name] === undefined ? [] : [[name, numberOf(typed[name], unit)]])),
    )
    save.mutate(change, { onSuccess: () => setTyped({}) })
  }
  return (
    <SettingsSection
      id="settings-limits"
      title="Usage limits"
      text={
        'When a limit is reached, work pauses before the next request and asks you. ' +
        'Subagents count toward the session that started them. Leave empty for no limit.'
      }
      className="mt-8"
    >
      <form noValidate onSubmit={submit} aria-label="Usage limits">
        <div className="grid grid-cols-2 gap-x-4 gap-y-3.5 max-mid:grid-cols-1">
          {FIELDS.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              inputMode="decimal"
              value={textOf(name)}
              placeholder="No limit"
              error={(checked ? problems.find(([field]) => field === name)?.[1] : undefined) ?? refused.fields[name]}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
            />
          ))}
        </div>
        {refused.failure && <ErrorNote failure={refused.failure} className="mt-3" />}
        <div className="mt-3.5 flex items-center gap-3">
          <Button type="submit" disabled={Object.keys(typed).length === 0} busy={save.isPending}>
            Save limits
          </Button>
          <p className="text-small text-ink-3">Models with unknown prices count only toward token limits.</p>
        </div>
      </form>
    </SettingsSection>
  )
}

type Unit = 'dollars' | 'tokens'

function numberOf(text: string, unit: Unit): number {
  return text.trim() === '' ? 0 : unit === 'dollars' ? numberIn(text) : wholeNumberIn(text)
}

function problemOf(text: string, unit: Unit): string | undefined {
  const value = numberOf(text, unit)
  if (value === 0 && text.trim() === '') return undefined
  if (unit === 'dollars') return value >= 0.01 && value <= 1_000_000 ? undefined : 'Enter an amount, at least 0.01'
  return Number.isInteger(value) && value >= 1000 ? undefined : 'Enter a whole number, at least 1,000'
}
