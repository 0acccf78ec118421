import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readOptions } from './read-options'

const KEYS = { ANTHROPIC_API_KEY: 'secret-a', OPENAI_API_KEY: 'secret-o', OTHER_KEY: 'secret-x' }

function configFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'eval-options-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.toml')
  writeFileSync(path, text)
  return path
}

it('a model of a known provider needs only its key, which is passed by variable name and stays out of the settings', () => {
  const { configurations } = readOptions(['--model', 'anthropic/claude-x', '--effort', 'high'], KEYS)
  expect(configurations).toMatchObject([
    { kind: 'model', model: 'anthropic/claude-x', effort: 'high', keys: ['ANTHROPIC_API_KEY'] },
  ])
  expect(JSON.stringify(configurations)).not.toContain('secret')
})

it('a second configuration differs from the first only in the options given; another model has its own effort', () => {
  const effort = readOptions(
    ['--model', 'openai/m', '--effort', 'low', '--compare-effort', 'high'],
    KEYS,
  ).configurations
  expect(effort).toMatchObject([
    { model: 'openai/m', effort: 'low' },
    { model: 'openai/m', effort: 'high' },
  ])
  const [, other] = readOptions(
    ['--model', 'openai/m', '--effort', 'low', '--compare', 'anthropic/n'],
    KEYS,
  ).configurations
  expect(other).toMatchObject({ model: 'anthropic/n', keys: ['ANTHROPIC_API_KEY'] })
  expect(other).not.toHaveProperty('effort')
})

it('a config file brings its own providers, models and default model', () => {
  const path = configFile(
    'default_model = "mine/m"\n[providers.mine]\ntype = "openai-compatible"\n' +
      'base_url = "http://127.0.0.1:1/v1"\napi_key_env = "OTHER_KEY"\n',
  )
  const [configuration] = readOptions(['--config', path], KEYS).configurations
  expect(configuration).toMatchObject({
    model: 'mine/m',
    keys: ['OTHER_KEY'],
    settings: { models: { 'mine/m': { model: 'm' } } },
  })
})

it.each([
  ['no model', [], /Which model/],
  ['no key', ['--model', 'google/g'], /GEMINI_API_KEY/],
  ['an unknown provider', ['--model', 'nowhere/m'], /"nowhere" is not known/],
  ['a model without a provider', ['--model', 'claude'], /provider\/model/],
  ['an unknown effort', ['--model', 'openai/m', '--effort', 'huge'], /no effort "huge"/],
  ['a missing config file', ['--config', '/nonexistent/config.toml'], /no config file/],
  ['the same twice', ['--model', 'openai/m', '--compare', 'openai/m'], /are the same/],
  ['a script with a model', ['--scripted', 'good', '--model', 'openai/m'], /goes with no model/],
  ['an unknown script', ['--scripted', 'ugly'], /good, bad or both/],
  ['no number of runs', ['--scripted', 'good', '--runs', 'many'], /whole number/],
  ['an unknown option', ['--fast'], /--fast/],
])('rejects %s with a message', (_name, args, words) => {
  expect(() => readOptions(args, KEYS)).toThrow(words)
})

it('rejects an API key in a config file', () => {
  const path = configFile('default_model = "mine/m"\n[providers.mine]\ntype = "anthropic"\napi_key = "secret"\n')
  expect(() => readOptions(['--config', path], KEYS)).toThrow(/environment only/)
})
