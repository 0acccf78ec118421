import { expect, test } from 'vitest'
import type { ModelView } from '../../../shared/configuration/settings'
import { statusLine } from './conversation'

const model = (id: string, label: string, contextWindow: number): ModelView => ({
  id,
  label,
  providerId: 'p',
  model: id,
  origin: 'configured',
  efforts: [],
  toolCalls: true,
  imagesIn: false,
  thinking: false,
  contextWindow,
})
const settings = { models: [model('p/one', 'One', 1000), model('p/two', 'Two', 0)], defaultModel: 'p/one' }
const context = { input: 100, output: 20, cached: 0, thinking: 0 }

test('the status line shows the model, the mode and the usage of the context window', () => {
  expect(statusLine({ mode: 'ask', context }, settings)).toBe('One · Ask first · 12% of context')
  expect(
    statusLine(
      { mode: 'auto', plan: { active: true, plan: 1, told: true, revisions: [] }, context, learnedWindow: 240 },
      settings,
    ),
  ).toBe('One · Plan · 50% of context')
  expect(statusLine({ mode: 'accept-edits', context: { ...context, input: 1, output: 0 } }, settings)).toBe(
    'One · Accept edits · < 1% of context',
  )
})

test('the status line omits unknown values', () => {
  expect(statusLine({ mode: 'ask' }, settings)).toBe('One · Ask first')
  expect(statusLine({ mode: 'ask', model: 'p/two', context }, settings)).toBe('Two · Ask first')
  expect(statusLine({ mode: 'auto', model: 'gone/model' }, { models: [] })).toBe('gone/model · Auto')
})
