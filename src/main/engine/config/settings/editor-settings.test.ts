import { expect, it } from 'vitest'
import { DEFAULT_DIAGNOSTICS } from './interface-settings'
import { readSettings } from './read-settings'
import type { TomlTable } from '../toml/parse-toml'

const read = (diagnostics: TomlTable) => readSettings({ diagnostics }, '/config.toml')

it('language servers are on by default, and a language can have its own command or be off', () => {
  expect(readSettings({}, '/config.toml').settings.diagnostics).toEqual(DEFAULT_DIAGNOSTICS)
  const { settings, mistakes } = read({ enabled: false, servers: { python: ['/opt/server', '--stdio'], rust: [] } })
  expect(settings.diagnostics).toEqual({ enabled: false, servers: { python: ['/opt/server', '--stdio'], rust: [] } })
  expect(mistakes).toEqual([])
})

it('invalid values are reported and left out', () => {
  const { settings, mistakes } = read({ enabled: 'yes', servers: { pyhton: ['x'], go: 'gopls' } })
  expect(settings.diagnostics).toEqual(DEFAULT_DIAGNOSTICS)
  expect(mistakes.map(({ message }) => message)).toEqual([
    'enabled in [diagnostics] must be true or false, not "yes"',
    'go in [diagnostics.servers] must be a list like ["a", "b"], not "gopls"',
    'Unknown key "pyhton" in [diagnostics.servers]; did you mean "python"?',
  ])
})
