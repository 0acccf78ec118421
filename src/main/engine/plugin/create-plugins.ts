import { PluginRecords } from './plugin-records'
import { PluginSnapshots } from './plugin-snapshots'
import { createActivePlugins, type ActivePlugins } from './active-plugins'
import type { PluginActions, PluginsDeps } from './plugins'

export interface CreatePluginsDeps extends Omit<PluginsDeps, 'records' | 'snapshots'> {
  home: string
  warn(text: string): void
}

/** The plugins of a home folder. */
export interface Plugins {
  /** The plugins that count in a folder now; looked at each time. */
  active: ActivePlugins
  actions: PluginActions
}

/** Reads nothing until it is asked; the code of the actions is loaded with the first one. */
export function createPluginsOf(deps: CreatePluginsDeps): Plugins {
  const { home, changed, warn } = deps
  const records = new PluginRecords(home)
  const snapshots = new PluginSnapshots(home)
  const active = createActivePlugins({ records, snapshots, changed, warn })
  let loading: Promise<PluginActions> | undefined
  const actions = (): Promise<PluginActions> =>
    (loading ??= import('./plugins').then(({ createPlugins }) => createPlugins({ ...deps, records, snapshots })))
  return {
    active,
    actions: {
      list: async (folder) => (await actions()).list(folder),
      review: async (place) => (await actions()).review(place),
      add: async (request) => (await actions()).add(request),
      update: async (place) => (await actions()).update(place),
      accept: async (place, hash) => (await actions()).accept(place, hash),
      setEnabled: async (place, enabled) => (await actions()).setEnabled(place, enabled),
      remove: async (place) => (await actions()).remove(place),
      restore: async (trashId) => (await actions()).restore(trashId),
    },
  }
}
