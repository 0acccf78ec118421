import { expect, it } from 'vitest'
import type { ModelView } from '../../../shared/configuration/settings'
import { modelGroups, priceText, shortPrice } from './model-groups'

const model = (id: string, more: Partial<ModelView> = {}): ModelView => ({
  id,
  providerId: id.split('/')[0]!,
  model: id.split('/')[1]!,
  label: id.split('/')[1]!,
  contextWindow: 1000,
  toolCalls: true,
  imagesIn: false,
  thinking: false,
  efforts: [],
  origin: 'configured',
  ...more,
})
const models = [
  model('a/one'),
  model('a/two', { thinking: true }),
  model('b/one'),
  model('o/llama', { origin: 'found' }),
]
const ids = (groups: ReturnType<typeof modelGroups>) =>
  groups.map(({ title, models: of }) => [title, ...of.map(({ id }) => id)])

it('favorites and recent models come first, and each model appears once', () => {
  expect(ids(modelGroups(models, { favorites: ['b/one', 'gone/model'], recent: ['b/one', 'a/two'] }, ''))).toEqual([
    ['Favorites', 'b/one'],
    ['Recent', 'a/two'],
    ['a', 'a/one'],
    ['On this computer', 'o/llama'],
  ])
})

it('a search requires every word, in the name, the provider or the capabilities of the model', () => {
  const found = (query: string) => ids(modelGroups(models, { favorites: [], recent: [] }, query))
  expect(found('one A/')).toEqual([['a', 'a/one']])
  expect(found('thinking')).toEqual([['a', 'a/two']])
  expect(found('nothing like it')).toEqual([])
})

it('a price is shown with its source, and an unknown price is shown as unknown', () => {
  const table = { generated: '2026-11-22' }
  const priced = model('a/one', { prices: { input: 3, output: 15 }, pricesFrom: 'table' })
  expect(priceText(priced, table)).toBe('$3 in, $15 out per million tokens (table of 2026-11-22)')
  expect(shortPrice(priced)).toBe('$3 / $15')
  expect(priceText(model('a/one'), table)).toBe('Price unknown')
  const local = model('o/x', { prices: { input: 0, output: 0 }, pricesFrom: 'local' })
  expect([priceText(local, table), shortPrice(local)]).toEqual(['Free (runs on this computer)', 'free'])
})
