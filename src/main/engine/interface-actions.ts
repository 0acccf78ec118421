import type { Appearance, LanguageSettings } from '../../shared/configuration/appearance'
import { SHORTCUT_COMMANDS } from '../../shared/configuration/shortcuts'
import type { SettingsView } from '../../shared/configuration/settings'
import { ENGINE } from './config/settings/engine-settings'
import { APPEARANCE, INTERFACE } from './config/settings/interface-settings'
import type { TomlEdit } from './config/toml/edit-toml'

/** How long the engine stays, in minutes as the user writes it. */
const IDLE = { key: ENGINE.fields.idleMs.key, value: ENGINE.fields.idleMs.value / 60_000 }

/**
 * Changes of how the interface looks, speaks and is used by keyboard, and of the engine behind it. A usual value is not
 * written.
 */
export function interfaceActions(edit: (...edits: TomlEdit[]) => Promise<SettingsView>) {
  return {
    setAppearance: (change: Partial<Appearance>) => edit(...editsOf('appearance', APPEARANCE.fields, change)),
    setLanguage: (change: Partial<LanguageSettings>) => edit(...editsOf('interface', INTERFACE.fields, change)),
    setEngine: (change: Partial<SettingsView['engine']>) =>
      edit(...editsOf('engine', { idleMinutes: IDLE, shared: ENGINE.fields.shared }, change)),
    setShortcut(id: string | undefined, keys: string | undefined) {
      if (id === undefined) return edit({ path: ['shortcuts'], value: undefined })
      const usual = SHORTCUT_COMMANDS.find((one) => one.id === id)?.keys ?? ''
      return edit({
        path: ['shortcuts', id],
        value: keys === usual ? undefined : keys,
      })
    },
  }
}

function editsOf<Values extends object>(
  table: string,
  fields: Readonly<Record<string, { key: string; value: unknown }>>,
  change: Partial<Values>,
): TomlEdit[] {
  return Object.entries(change).flatMap(([name, value]) => {
    const field = fields[name]
    if (value === undefined || !field) return []
    return [{ path: [table, field.key], value: value === field.value ? undefined : (value as TomlEdit['value']) }]
  })
}
