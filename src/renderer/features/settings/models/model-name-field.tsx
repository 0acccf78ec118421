import type { ProviderType } from '../../../../shared/configuration/provider-types'
import { useId } from 'react'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import type { OfferedModels } from '../../../../shared/configuration/settings'
import { describeAbilities, GUESSED_MODEL_NOTE } from '../../../format/model-usage'
import { Button } from '../../../ui/button'
import { TextField } from '../../../ui/form/field'
import { failureFrom } from '../../../client/failure-from'
import { duration } from '../../../format/relative-time'
import { useClient } from '../../../state/page/queries'
import { cx } from '../../../ui/cx'

interface ModelNameFieldProps {
  value: string
  onChange: (name: string) => void
  placeholder: string
  error: string | undefined
  /** The provider's models, once queried. */
  offered: OfferedModels | undefined
  isAsking: boolean
  /** Undefined: the provider is not yet known. */
  onAsk: (() => void) | undefined
}

/** The ID of a model, with the provider's models to choose from, and the known data of the typed one. */
export function ModelNameField({ value, onChange, placeholder, error, offered, isAsking, onAsk }: ModelNameFieldProps) {
  const listId = useId()
  const name = value.trim()
  const known = offered?.models.find(({ model }) => model === name)
  return (
    <div className="min-w-0">
      <div className="flex items-start gap-2">
        <TextField
          label="Model name"
          mono
          className="min-w-0 flex-1"
          value={value}
          placeholder={placeholder}
          error={error}
          list={offered ? listId : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        <div className="flex flex-none flex-col gap-1">
          {/* As high as the label of the field: an error below the field must not move the button. */}
          <span aria-hidden className="text-small">
            &nbsp;
          </span>
          <Button busy={isAsking} disabled={!onAsk} onClick={onAsk}>
            List models
          </Button>
        </div>
      </div>
      {offered && (
        <datalist id={listId}>
          {offered.models.map((model) => (
            <option key={model.model} value={model.model}>
              {describeAbilities(model)}
            </option>
          ))}
        </datalist>
      )}
      <p role="status" className="mt-1 text-small text-ink-3">
        {known
          ? `${describeAbilities(known)}${known.knownFrom === 'guess' ? ` (a guess). ${GUESSED_MODEL_NOTE}` : ''}`
          : offered
            ? offeredModelsText(offered)
            : 'The provider’s exact model ID'}
      </p>
    </div>
  )
}

function offeredModelsText({ from, models, problem }: OfferedModels): string {
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  if (from === 'provider') return `The provider offers ${count}. Type to filter.`
  return models.length > 0
    ? `${problem} ${count} known. Type to filter.`
    : `${problem} Enter the provider’s exact model ID.`
}

/** Sends one tiny request to a model, on demand. */
export function useConnectionTest() {
  const client = useClient()
  return useMutation({
    mutationFn: (id: string) => client.settings.testModel({ id }),
  })
}

/** Sends one to a model of a provider that is not saved, and saves nothing. */
export function useNewConnectionTest() {
  const client = useClient()
  return useMutation({
    mutationFn: (model: { type: ProviderType; baseUrl?: string; apiKey?: string; model: string }) =>
      client.settings.testNewModel(model),
  })
}

type Test = ReturnType<typeof useConnectionTest>

/** The result of a test as text, with its duration. */
export function TestResult({
  test,
  className,
}: {
  test: Pick<Test, 'data' | 'error' | 'isPending'>
  className?: string
}) {
  const outcome = test.error
    ? { ok: false, message: failureFrom(test.error).message, durationMs: undefined }
    : test.data
  return (
    <div role="status" className={cx('text-ui', className)}>
      {!test.isPending && outcome && (
        <p className={cx('flex items-start gap-2', outcome.ok ? 'text-done-ink' : 'text-fail-ink')}>
          {outcome.ok ? (
            <CircleCheck aria-hidden className="mt-[2px] size-[14px] flex-none" />
          ) : (
            <CircleAlert aria-hidden className="mt-[2px] size-[14px] flex-none" />
          )}
          <span className="min-w-0 break-words">
            {outcome.ok ? 'Connected' : 'Couldn’t connect'}
            {/* The message of a success has its own duration. */}
            {!outcome.ok && outcome.durationMs !== undefined && ` (${duration(outcome.durationMs)})`}
            {outcome.message && <span className="text-ink-2">: {outcome.message}</span>}
          </span>
        </p>
      )}
    </div>
  )
}

/** The button that tests one model. */
export function TestButton({ test, id }: { test: Test; id: string }) {
  return (
    <Button
      variant="quiet"
      size="small"
      busy={test.isPending}
      aria-label={`Test connection of ${id}`}
      onClick={() => test.mutate(id)}
    >
      Test connection
    </Button>
  )
}

/** Queries a provider, which need not be saved yet, for its models. */
export function useOfferedModels() {
  const client = useClient()
  return useMutation({
    mutationFn: (provider: { id?: string; type: ProviderType; baseUrl?: string; apiKey?: string }) =>
      client.settings.offeredModels(provider),
  })
}
