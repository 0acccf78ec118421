import { ExternalLink } from 'lucide-react'
import { useId, useState, type FormEvent, useDeferredValue } from 'react'
import { tileAddress, type ProviderTile } from '../../../../shared/configuration/provider-types'
import { keyStorageText, type OfferedModels, type SettingsView } from '../../../../shared/configuration/settings'
import { failureFrom } from '../../../client/failure-from'
import { useSettingsChange } from '../../../state/page/queries'
import { useOpenLink } from '../../../state/use-open-link'
import { Button } from '../../../ui/button'
import { TextField, CONTROL_CLASS } from '../../../ui/form/field'
import { Banner, ErrorNote } from '../../../ui/notice'
import { useOfferedModels } from './model-name-field'
import { Letters } from './provider-tiles'
import { baseUrlProblem } from './provider-input'
import { describePrices } from '../../../../shared/model/turn/usage'
import { describeAbilities } from '../../../format/model-usage'

interface ConnectTileProps {
  tile: ProviderTile
  settings: SettingsView
  /** Called with the first model after the models were saved. */
  onConnected: (modelId: string) => void
  onBack: () => void
}

/** Connects a provider of the catalog: paste a key, then choose from the models that the provider lists. */
export function ConnectTile({ tile, settings, onConnected, onBack }: ConnectTileProps) {
  const formId = useId()
  const [baseUrl, setBaseUrl] = useState(tile.ownAddress ? '' : tileAddress(tile))
  const [apiKey, setApiKey] = useState('')
  const [checked, setChecked] = useState(false)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const offered = useOfferedModels()
  const openLink = useOpenLink()
  const connectedAs = settings.providers.find(({ id }) => id === tile.id)
  const provider = {
    type: tile.type,
    // The default URL of a type is not saved, so that it can change.
    ...(tile.baseUrl !== undefined && { baseUrl: baseUrl.trim() }),
    ...(apiKey.trim() !== '' && { apiKey: apiKey.trim() }),
  }
  const problems = {
    baseUrl: tile.baseUrl === undefined ? undefined : baseUrlProblem(tile.type, baseUrl.trim()),
    apiKey: tile.local || apiKey.trim() !== '' || connectedAs ? undefined : 'Paste the key',
  }
  const save = useSettingsChange(async (api, models: readonly string[]) => {
    await api.saveProvider({ id: tile.id, ...provider })
    let view: SettingsView | undefined
    for (const model of models) view = await api.saveModel({ id: `${tile.id}/${model}`, providerId: tile.id, model })
    if (settings.defaultModel === undefined && models[0] !== undefined)
      view = await api.setDefaultModel({ id: `${tile.id}/${models[0]}` })
    return view!
  })
  const models = [...chosen, ...(typed.trim() === '' ? [] : [typed.trim()])]

  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setChecked(true)
    if (problems.baseUrl !== undefined || problems.apiKey !== undefined) {
      const form = event.currentTarget
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
      return
    }
    offered.mutate(
      { ...(connectedAs && { id: tile.id }), ...provider },
      { onSuccess: (found) => setChosen(suggested(found, tile)) },
    )
  }
  return (
    <div className="rounded-lg border border-line bg-raised p-4">
      <h3 className="flex items-center gap-2.5 text-body font-semibold">
        <Letters tile={tile} />
        {tile.name}
      </h3>
      <form
        id={formId}
        noValidate
        aria-label={`Connect ${tile.name}`}
        onSubmit={ask}
        className="mt-3 flex flex-col gap-3"
      >
        {(tile.ownAddress || tile.local) && (
          <TextField
            label="Address"
            mono
            inputMode="url"
            value={baseUrl}
            placeholder={tile.baseUrl}
            error={checked ? problems.baseUrl : undefined}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
        {!tile.local && (
          <TextField
            autoFocus
            label="API key"
            type="password"
            autoComplete="new-password"
            value={apiKey}
            placeholder={connectedAs ? 'A key is stored; paste one to replace it' : undefined}
            hint={keyStorageText(settings.keys)}
            error={checked ? problems.apiKey : undefined}
            onChange={(event) => setApiKey(event.target.value)}
          />
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button variant={offered.data ? 'default' : 'primary'} type="submit" busy={offered.isPending}>
            {offered.data ? 'Reload models' : 'Load models'}
          </Button>
          {tile.keyUrl !== undefined && (
            <Button variant="quiet" icon={<ExternalLink aria-hidden />} onClick={() => openLink(tile.keyUrl!)}>
              Get a key
            </Button>
          )}
          <Button variant="quiet" onClick={onBack}>
            Back
          </Button>
        </div>
      </form>
      {offered.error && <ErrorNote failure={failureFrom(offered.error)} className="mt-3" />}
      {offered.data && (
        <div className="mt-4 flex flex-col gap-3">
          {offered.data.problem !== undefined && (
            <div role="alert">
              <Banner tone="wait">
                {offered.data.problem} {afterProblem(offered.data)}
              </Banner>
            </div>
          )}
          {offered.data.models.length > 0 && (
            <OfferedList offered={offered.data} prices={settings.prices} chosen={chosen} onChange={setChosen} />
          )}
          <TextField
            label="Another model"
            mono
            value={typed}
            hint="The provider’s exact model ID, if it is not in the list"
            onChange={(event) => setTyped(event.target.value)}
          />
          {save.error && <ErrorNote failure={failureFrom(save.error)} />}
          <Button
            variant="primary"
            className="self-start"
            disabled={models.length === 0}
            busy={save.isPending}
            onClick={() => save.mutate(models, { onSuccess: () => onConnected(`${tile.id}/${models[0]!}`) })}
          >
            {models.length === 1 ? 'Add 1 model' : `Add ${models.length} models`}
          </Button>
        </div>
      )}
    </div>
  )
}

function afterProblem({ models }: OfferedModels): string {
  return models.length === 0
    ? 'Enter a model ID below, or correct the key.'
    : 'Correct the key and reload, or choose from the known models.'
}

/** The initial choice: the example of the provider's type, if the provider offers it, or else its only model. */
function suggested({ from, models }: OfferedModels, { local }: ProviderTile): string[] {
  if (from !== 'provider') return []
  return local || models.length === 1 ? models.slice(0, 1).map(({ model }) => model) : []
}

interface OfferedListProps {
  offered: OfferedModels
  prices: SettingsView['prices']
  /** Ids of the chosen models. */
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** Maximum number shown; the others are found by searching. */
const SHOWN = 60

/** The models of a provider, to choose from. */
function OfferedList({ offered: { models, from }, prices, chosen, onChange }: OfferedListProps) {
  const id = useId()
  const [query, setQuery] = useState('')
  const words = useDeferredValue(query.trim().toLowerCase()).split(/\s+/)
  const found = models.filter(({ model }) => words.every((word) => model.toLowerCase().includes(word)))
  const shown = found.slice(0, SHOWN)
  return (
    <fieldset>
      <legend className="pb-1.5 text-small font-medium text-ink-2">
        {from === 'provider' ? 'Models of the provider' : 'Known models'}
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
        {shown.length === 0 && <li className="px-3 py-2 text-ui text-ink-3">No matching models</li>}
      </ul>
      <p role="status" className="mt-1 text-small text-ink-3">
        {found.length > SHOWN && `${found.length - SHOWN} more: search to find them. `}
        {chosen.length > 0 && `${chosen.length} chosen. `}
        Prices are from the provider if available, otherwise from the table of known models
        {prices.generated !== '' && ` of ${prices.generated}`}.
      </p>
    </fieldset>
  )
}
