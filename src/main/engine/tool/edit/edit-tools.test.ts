import { expect, it } from 'vitest'
import { editToolsOf } from './edit-tools'

it.each(['gpt-5.4', 'gpt-5.3-codex', 'o3', 'o4-mini', 'codex-mini-latest', 'openai/gpt-5.4', 'GPT-5'])(
  '%s is offered apply_patch',
  (model) => {
    expect(editToolsOf({ model }, [])).toEqual(['apply_patch'])
  },
)

it.each(['claude-opus-5', 'gemini-3-pro', 'kimi-k2', 'qwen3-coder', 'olmo-3', 'scripted', 'anthropic/claude-sonnet-5'])(
  '%s is offered Edit and Patch',
  (model) => {
    expect(editToolsOf({ model }, [])).toEqual(['Edit', 'Patch'])
  },
)

it('prefers what is known about a model to its name', () => {
  expect(editToolsOf({ model: 'house-model', traits: { toolDialect: 'gpt' } }, [])).toEqual(['apply_patch'])
  expect(editToolsOf({ model: 'gpt-imitation', traits: { toolDialect: 'general' } }, [])).toEqual(['Edit', 'Patch'])
})

it('offers no apply_patch when Edit is disabled, but offers Edit when apply_patch is disabled', () => {
  expect(editToolsOf({ model: 'gpt-5' }, ['Edit'])).not.toContain('apply_patch')
  expect(editToolsOf({ model: 'gpt-5' }, ['apply_patch'])).toEqual(['Edit', 'Patch'])
})
