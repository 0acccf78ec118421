import { useDeferredValue, useId, useState } from 'react'
import { describePrices } from '../../../../shared/model/cost'
import type { OfferedModels, SettingsView } from '../../../../shared/configuration/settings'
import { describeAbilities } from '../../../format/model-usage'
import { CONTROL_CLASS } from '../../../ui/form/field'

interface OfferedListProps {
  offered: OfferedModels
  prices: SettingsView['prices']
  /** Ids of the chosen models. */
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** So many are shown; a search finds the others. */
const SHOWN = 60

/** The models of a provider, to choose from. */
export function OfferedList({ offered: { models, from }, prices, chosen, onChange }: OfferedListProps) {
  const id = useId()
  const [query, setQuery] = useState('')
  const words = useDeferredValue(query.trim().toLowerCase()).split(/\s+/)
  const found = models.filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
  const shown = found.slice(0, SHOWN)
  return (
    <fieldset>
      <legend className="pb-1.5 text-small font-medium text-ink-2">
        {from === 'provider' ? 'Models of the provider' : 'Models that Trestle knows'}
      </legend>
      <input
        aria-label="Search the models"
        placeholder={`Search ${models.length === 1 ? '1 model' : `${models.length} models`}`}
        value={query}
        className={CONTROL_CLASS}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul aria-label="Models" className="mt-2 max-h-[280px] overflow-y-auto rounded-md border border-line">
        {shown.map((one) => (
          <li key={one.model} className="flex items-start gap-2.5 border-t border-line px-3 py-1.5 first:border-t-0">
            <input
              id={`${id}-${one.model}`}
              type="checkbox"
              className="mt-[4px]"
              checked={chosen.includes(one.model)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, one.model] : chosen.filter((model) => model !== one.model))
              }
            />
            <span className="min-w-0">
              <label htmlFor={`${id}-${one.model}`} className="block cursor-pointer font-mono text-small wrap-anywhere">
                {one.model}
              </label>
              <span className="block text-small text-ink-3">
                {describeAbilities(one)}
                {one.knownFrom === 'guess' && ' (a guess)'} ·{' '}
                {one.prices ? describePrices(one.prices) : 'price unknown'}
              </span>
            </span>
          </li>
        ))}
        {shown.length === 0 && <li className="px-3 py-2 text-ui text-ink-3">No model matches.</li>}
      </ul>
      <p role="status" className="mt-1 text-small text-ink-3">
        {found.length > SHOWN && `${found.length - SHOWN} more: search to find them. `}
        {chosen.length > 0 && `${chosen.length} chosen. `}
        Prices are from the provider where it tells them, else from the table of {prices.generated}.
      </p>
    </fieldset>
  )
}
