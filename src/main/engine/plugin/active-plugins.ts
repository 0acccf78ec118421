import { realpathSync } from 'node:fs'
import { type PluginRecord, PluginRecords } from './plugin-records'
import { PluginSnapshots } from './plugin-snapshots'
import { usableContent } from './plugin-places'
import type { Plugin } from './read-plugin'
import type { PluginActions, PluginsDeps } from './plugins'

interface ActivePluginsDeps {
  records: PluginRecords
  snapshots: PluginSnapshots
  /** Called when the plugins active in a folder differ from the last check. */
  changed(): void
  /** Warns the user; the same text only once. */
  warn(text: string): void
}

/** The active plugins in a folder: enabled, and with exactly the content that the user accepted. */
export type ActivePlugins = (folder: string) => Promise<readonly ActivePlugin[]>

/** An active plugin. */
interface ActivePlugin extends Plugin {
  /** Changes with every decision about it, also in another process. */
  recordFile: string
}

const NONE: readonly ActivePlugin[] = []
const MAX_READ = 64

/**
 * Checks the files each time, so that a change takes effect immediately: the plugin is then off until it is accepted
 * again. Uses the compared texts in memory and the copy in the Trestle folder, never the files of a project.
 */
function createActivePlugins({ records, snapshots, changed, warn }: ActivePluginsDeps): ActivePlugins {
  const read = new Map<string, Promise<Plugin>>()
  const seen = new Map<string, string>()

  async function pluginOf(record: PluginRecord): Promise<ActivePlugin | undefined> {
    const { name, folder, accepted, enabled } = record
    if (!enabled || !accepted) return undefined
    const hash = folder === undefined ? record.installed : usableContent(record, record, snapshots)?.hash
    const content = hash === accepted.hash ? snapshots.read(accepted.hash) : undefined
    if (!content) {
      warn(
        `The plugin ${name} has changed since you accepted it, so it is off. Review it under Settings ` +
          `→ Plugins, or with: trestle plugin enable ${name}${folder === undefined ? '' : ' --project'}`,
      )
      return undefined
    }
    const root = snapshots.rootOf(content.hash)
    let reading = read.get(content.hash)
    if (!reading) {
      reading = import('./read-plugin').then(({ readPlugin }) => readPlugin(content, root))
      read.set(content.hash, reading)
      for (const oldest of read.keys()) if (read.size > MAX_READ) read.delete(oldest)
    }
    const plugin = await reading.catch(() => undefined)
    return plugin?.manifest.name === name ? { ...plugin, recordFile: records.fileOf(record) } : undefined
  }

  return async (given) => {
    if (!records.areAny) return NONE
    const folder = realOf(given)
    // A project's plugin takes precedence over the user's with the same name.
    const wanted = records
      .in(folder)
      .toSorted((a, b) => Number(b.folder !== undefined) - Number(a.folder !== undefined))
    const found = (await Promise.all(wanted.map(pluginOf))).filter((plugin) => plugin !== undefined)
    const active = found.filter(
      ({ manifest }, index) => found.findIndex((other) => other.manifest.name === manifest.name) === index,
    )
    const now = active.map(({ content }) => content.hash).join(' ')
    const before = seen.get(folder)
    seen.set(folder, now)
    if (before !== undefined && before !== now) changed()
    return active.length === 0 ? NONE : active
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

interface CreatePluginsDeps extends Omit<PluginsDeps, 'records' | 'snapshots'> {
  home: string
  warn(text: string): void
}

/** The plugins of a home folder. */
export interface Plugins {
  /** The plugins that are active in a folder; checked at each call. */
  active: ActivePlugins
  actions: PluginActions
}

/** Reads nothing until it is used; the code of the actions is loaded with the first action. */
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
