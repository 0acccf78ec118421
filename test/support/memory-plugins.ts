import type { PluginPlace, PluginView } from '../../src/shared/model/app/plugin'
import type { PluginActions } from '../../src/main/engine/plugin/plugins'

/** Plugins in memory only. */
export function memoryPlugins(): PluginActions {
  const view = (place: PluginPlace, state: PluginView['state'] = 'asked'): PluginView => ({
    ...place,
    scope: place.folder === undefined ? 'user' : 'project',
    state,
    version: '1.0.0',
    description: 'A plugin',
    author: 'Ada',
    hash: 'a'.repeat(64),
    counts: { hook: 0, server: 0, agent: 0, skill: 1, command: 0 },
    problems: [],
  })
  return {
    list: async () => ({ plugins: [view({ name: 'tidy' })], removed: [] }),
    review: async (place) => ({ ...view(place), parts: [] }),
    add: async () => ({ ...view({ name: 'tidy' }), parts: [] }),
    update: async (place) => ({ ...view(place), parts: [] }),
    accept: async (place) => view(place, 'enabled'),
    setEnabled: async (place, enabled) => view(place, enabled ? 'enabled' : 'disabled'),
    remove: async (place) => ({ ...place, trashId: 't', version: '1.0.0', removedAt: 1, until: 2 }),
    restore: async () => view({ name: 'tidy' }, 'disabled'),
  }
}
