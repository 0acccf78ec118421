import { useId } from 'react'
import type { OfferedModels } from '../../../shared/model/settings'
import { abilityWords, GUESS_MEANING } from '../../state/model-words'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/text-field'

interface ModelNameFieldProps {
  value: string
  onChange: (name: string) => void
  placeholder: string
  error: string | undefined
  /** The provider's models, once they were asked for. */
  offered: OfferedModels | undefined
  isAsking: boolean
  /** Undefined: it is not yet known whom to ask. */
  onAsk: (() => void) | undefined
}

/** The name of a model, with the provider's own models to choose from, and what is known of the one that is written. */
export function ModelNameField({ value, onChange, placeholder, error, offered, isAsking, onAsk }: ModelNameFieldProps) {
  const listId = useId()
  const name = value.trim()
  const known = offered?.models.find(({ model }) => model === name)
  return (
    <div className="min-w-0">
      <div className="flex items-end gap-2">
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
        <Button busy={isAsking} disabled={!onAsk} onClick={onAsk} className="flex-none">
          List models
        </Button>
      </div>
      {offered && (
        <datalist id={listId}>
          {offered.models.map((model) => (
            <option key={model.model} value={model.model}>
              {abilityWords(model)}
            </option>
          ))}
        </datalist>
      )}
      <p role="status" className="mt-1 text-small text-ink-3">
        {known
          ? `${abilityWords(known)}${known.knownFrom === 'guess' ? ` (a guess). ${GUESS_MEANING}` : ''}`
          : offered
            ? wordsOf(offered)
            : 'The provider’s exact model ID'}
      </p>
    </div>
  )
}

function wordsOf({ from, models, problem }: OfferedModels): string {
  const count = models.length === 1 ? '1 model' : `${models.length} models`
  if (from === 'provider') return `The provider offers ${count}. Type to filter.`
  return models.length > 0 ? `${problem} ${count} known. Type to filter.` : `${problem} Enter the provider’s exact model ID.`
}
