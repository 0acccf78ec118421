import { describePrices } from '../../../shared/model/turn/usage'
import { effortName } from '../../../shared/model/turn/effort'
import type { ModelView, SettingsView } from '../../../shared/configuration/settings'

export interface ModelGroup {
  title: string
  models: ModelView[]
}

interface Choices {
  favorites: readonly string[]
  recent: readonly string[]
}

/** The models that match every word, in groups: favorites, recent ones, then by provider. Each appears once. */
export function modelGroups(models: readonly ModelView[], { favorites, recent }: Choices, query: string): ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (model: ModelView): boolean => {
    const text = `${model.label} ${model.id} ${abilityWords(model)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const left = new Map(models.filter(matches).map((model) => [model.id, model]))
  const take = (ids: readonly string[]): ModelView[] =>
    ids.flatMap((id) => {
      const model = left.get(id)
      left.delete(id)
      return model ? [model] : []
    })
  const groups: ModelGroup[] = [
    { title: 'Favorites', models: take(favorites) },
    { title: 'Recent', models: take(recent) },
  ]
  for (const model of left.values()) {
    const title = model.scripted ? 'Demo' : model.origin === 'found' ? 'On this computer' : model.providerId
    const group = groups.find((one) => one.title === title)
    if (group) group.models.push(model)
    else groups.push({ title, models: [model] })
  }
  return groups.filter((group) => group.models.length > 0)
}

function abilityWords({ imagesIn, pdfIn, videoIn, thinking, toolCalls, prices }: ModelView): string {
  return [
    imagesIn && 'images',
    pdfIn && 'pdfs',
    videoIn && 'video',
    thinking && 'thinking',
    toolCalls && 'tools',
    prices?.input === 0 && prices.output === 0 && 'free local',
  ]
    .filter(Boolean)
    .join(' ')
}

/** The price of a model and its source. */
export function priceText(
  { prices, pricesFrom, scripted }: ModelView,
  table: Pick<SettingsView['prices'], 'generated'>,
): string {
  if (scripted) return 'Free: a script, no AI model'
  if (!prices) return 'Price unknown'
  const from = {
    config: 'from config.toml',
    provider: 'from the provider’s list',
    table: `table of ${table.generated}`,
    local: 'runs on this computer',
  }[pricesFrom ?? 'table']
  return `${capitalized(describePrices(prices))} (${from})`
}

/** A price that fits at the end of a row: "$3 / $15". */
export function shortPrice({ prices, scripted }: ModelView): string {
  if (scripted) return 'free'
  if (!prices) return 'price unknown'
  if (prices.input === 0 && prices.output === 0) return 'free'
  return `$${Number(prices.input.toFixed(3))} / $${Number(prices.output.toFixed(3))}`
}

export function effortsText({ efforts }: Pick<ModelView, 'efforts'>): string {
  return efforts.length === 0 ? '' : `Thinking: ${efforts.map((level) => effortName(level, efforts)).join(', ')}`
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
