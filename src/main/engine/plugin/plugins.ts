import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { CodedError, failureOf } from '../../../shared/errors'
import { writeFailure } from '../config/write-failure'
import type {
  PluginList,
  PluginPlace,
  PluginRequest,
  PluginReview,
  PluginView,
  RemovedPlugin,
} from '../../../shared/model/app/plugin'
import { PLUGIN_PARTS } from '../../../shared/model/app/plugin'
import type { PluginContent } from './plugin-files'
import {
  currentContent,
  isInProject,
  missing,
  projectPluginFolder,
  projectPluginNames,
  removeProjectPlugin,
  writeProjectPlugin,
} from './plugin-places'
import type { PluginRecord, PluginRecords, RemovedRecord } from './plugin-records'
import type { PluginSnapshots } from './plugin-snapshots'
import { readPlugin, type Plugin } from './read-plugin'
import type { DescribeServers } from './review-plugin'

/** The user's actions on plugins, in any host. Failures are `CodedError`s. An agent's commands cannot make changes. */
export interface PluginActions {
  /** The plugins of the user, and of the project in `folder`. */
  list(folder?: string): Promise<PluginList>
  review(place: PluginPlace): Promise<PluginReview>
  /** Installs it turned off: it does nothing until it is accepted. */
  add(request: PluginRequest): Promise<PluginReview>
  /** Fetches it again from its source. If it has changed, it is off until it is accepted again. */
  update(place: PluginPlace): Promise<PluginReview>
  /**
   * Accepts the content that the review with this `hash` showed, and turns it on; throws `plugin.changed` if it has
   * changed since.
   */
  accept(place: PluginPlace, hash: string): Promise<PluginView>
  /** Turns an accepted plugin on or off. */
  setEnabled(place: PluginPlace, enabled: boolean): Promise<PluginView>
  /** Removes it; it can be restored for 30 days. */
  remove(place: PluginPlace): Promise<RemovedPlugin>
  restore(trashId: string): Promise<PluginView>
}

export interface PluginsDeps {
  records: PluginRecords
  snapshots: PluginSnapshots
  now(): number
  env(): Readonly<Record<string, string | undefined>>
  describeServers: DescribeServers
  /** Called after a plugin was installed, decided on or removed. */
  changed(): void
  /** Why this program is assumed to have been started by an agent's command, so that it does not act for the user. */
  agentTrace?(): Promise<string | undefined>
}

const UNUSED_MS = 24 * 60 * 60 * 1000
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** See `PluginActions`. */
export function createPlugins(deps: PluginsDeps): PluginActions {
  const { records, snapshots, now, changed } = deps

  async function requireUser(): Promise<void> {
    const trace = await deps.agentTrace?.()
    if (trace !== undefined) throw new CodedError('plugin.not_user', `Only you can decide about plugins, but ${trace}.`)
  }

  const readAt = (content: PluginContent): Promise<Plugin> => readPlugin(content, snapshots.rootOf(content.hash))

  /** Reads its current state; throws `plugin.refused` if it cannot be used. */
  async function load(place: PluginPlace) {
    const record = records.find(place)
    const plugin = await readAt(currentContent(place, record, snapshots))
    checkName(plugin, place.name)
    return { record, plugin }
  }

  async function viewOf(place: PluginPlace): Promise<PluginView> {
    try {
      const { record, plugin } = await load(place)
      return pluginView(place, record, plugin)
    } catch (error) {
      if (!(error instanceof CodedError) || error.code === 'plugin.not_found') throw error
      return brokenView(place, records.find(place), error.message)
    }
  }

  async function reviewOf(place: PluginPlace): Promise<PluginReview> {
    const view = await viewOf(place)
    if (view.state === 'broken') return { ...view, parts: [] }
    const { record, plugin } = await load(place)
    const { pluginParts, pluginChanges } = await import('./review-plugin')
    const accepted = record?.accepted
    const before = accepted && accepted.hash !== plugin.content.hash ? snapshots.read(accepted.hash) : undefined
    return {
      ...pluginView(place, record, plugin),
      parts: await pluginParts(plugin, deps.describeServers),
      ...(before && { changes: await pluginChanges(before, plugin.content) }),
    }
  }

  function put(record: PluginRecord): void {
    try {
      records.put(record)
    } catch (error) {
      throw writeFailure(`It could not be written down: ${failureOf(error).message}`, error)
    }
    changed()
  }

  /** Deletes plugins that were removed long ago, and unused copies. */
  function tidy(): void {
    const expired = records.removed().filter(({ removedAt }) => removedAt + KEPT_MS < now())
    for (const { trashId } of expired) records.forgetRemoved(trashId)
    const used = records.hashes()
    // A record that cannot be read may refer to any of them.
    if (used) snapshots.keepOnly(used, now() - UNUSED_MS)
  }

  const isTaken = (place: PluginPlace): boolean =>
    place.folder === undefined ? records.find(place) !== undefined : isInProject(place.folder, place.name)

  return {
    async list(given) {
      tidy()
      const folder = given === undefined ? undefined : realFolder(given)
      const places: PluginPlace[] = [
        ...(folder === undefined ? [] : projectPluginNames(folder).map((name) => ({ name, folder }))),
        ...records.all().flatMap((record) => (record.folder === undefined ? [{ name: record.name }] : [])),
      ]
      const removed = records.removed().filter(({ record }) => record.folder === undefined || record.folder === folder)
      return { plugins: await Promise.all(places.map(viewOf)), removed: removed.map(removedView) }
    },
    review: (place) => reviewOf(real(place)),
    async add({ from, folder: given }) {
      await requireUser()
      const { fetchPlugin } = await import('./fetch-plugin')
      const { content, source } = await fetchPlugin(from, deps.env())
      const { manifest } = await readAt(content)
      const place = real({ name: manifest.name, ...(given !== undefined && { folder: given }) })
      const { name, folder } = place
      const isInPlace = folder !== undefined && source.from === projectPluginFolder(folder, name)
      if (!isInPlace && isTaken(place)) throw new CodedError('plugin.taken', `There is a plugin ${name} already.`)
      if (folder === undefined) snapshots.write(content)
      else if (!isInPlace) writeProjectPlugin({ name, folder }, content)
      put({ ...place, ...(!isInPlace && { source }), installed: content.hash, enabled: false })
      return reviewOf(place)
    },
    async update(given) {
      await requireUser()
      const place = real(given)
      const record = records.find(place)
      if (!record) throw missing(place.name)
      const { source, installed } = record
      if (!source)
        throw new CodedError(
          'plugin.source',
          `${place.name} was not installed from anywhere else: it is changed where it is.`,
        )
      const { name, folder } = place
      const requireUnchanged = (): void => {
        if (folder === undefined || currentContent(place, record, snapshots).hash === installed) return
        throw new CodedError(
          'plugin.source',
          `${name} was changed in the project. Remove it and add it again to replace the changes.`,
        )
      }
      requireUnchanged()
      const { fetchPlugin } = await import('./fetch-plugin')
      const from = source.ref === undefined ? source.from : `${source.from}#${source.ref}`
      const fetched = await fetchPlugin(from, deps.env())
      checkName(await readAt(fetched.content), name)
      // Its files may have been changed during the fetch.
      requireUnchanged()
      if (folder === undefined) snapshots.write(fetched.content)
      else writeProjectPlugin({ name, folder }, fetched.content)
      put({ ...record, source: fetched.source, installed: fetched.content.hash })
      return reviewOf(place)
    },
    async accept(given, hash) {
      await requireUser()
      const place = real(given)
      const { record, plugin } = await load(place)
      // The decision applies to the content just read, not to what is on disk when it is recorded.
      if (plugin.content.hash !== hash)
        throw new CodedError('plugin.changed', `${place.name} has changed since it was shown.`)
      snapshots.write(plugin.content)
      put({ ...record, ...place, accepted: { hash, at: now() }, enabled: true })
      return viewOf(place)
    },
    async setEnabled(given, enabled) {
      await requireUser()
      const place = real(given)
      const record = records.find(place)
      if (!record) throw missing(place.name)
      if (enabled && (await load(place)).plugin.content.hash !== record.accepted?.hash)
        throw new CodedError('plugin.changed', `${place.name} is not what you accepted.`)
      put({ ...record, enabled })
      return viewOf(place)
    },
    async remove(given) {
      await requireUser()
      const place = real(given)
      const { name, folder } = place
      const record = records.find(place)
      if (!record && folder === undefined) throw missing(name)
      const { version } = await viewOf(place)
      let hash = record?.installed ?? ''
      if (folder !== undefined) {
        const content = currentContent(place, record, snapshots)
        snapshots.write(content)
        hash = content.hash
      }
      const entry: RemovedRecord = {
        trashId: randomBytes(8).toString('hex'),
        removedAt: now(),
        version,
        hash,
        record: record ?? { name, ...(folder !== undefined && { folder }), enabled: false },
      }
      records.putRemoved(entry)
      if (folder !== undefined) removeProjectPlugin({ name, folder })
      records.remove(place)
      changed()
      return removedView(entry)
    },
    async restore(trashId) {
      await requireUser()
      const entry = records.removed().find((each) => each.trashId === trashId)
      if (!entry) throw new CodedError('plugin.not_found', 'This was not removed in the last 30 days.')
      const { record, hash } = entry
      if (isTaken(record)) throw new CodedError('plugin.taken', `There is a plugin ${record.name} already.`)
      const content = snapshots.read(hash)
      if (!content) throw new CodedError('plugin.not_found', `The files of ${record.name} are missing.`)
      const { name, folder } = record
      if (folder !== undefined) writeProjectPlugin({ name, folder: realFolder(folder) }, content)
      put(record)
      records.forgetRemoved(trashId)
      return viewOf({ name, ...(folder !== undefined && { folder }) })
    },
  }
}

function pluginView(place: PluginPlace, record: PluginRecord | undefined, plugin: Plugin): PluginView {
  const { manifest, content, counts, problems } = plugin
  const accepted = record?.accepted
  const isAccepted = accepted?.hash === content.hash
  return {
    ...place,
    scope: place.folder === undefined ? 'user' : 'project',
    state: isAccepted ? (record?.enabled ? 'enabled' : 'disabled') : accepted ? 'changed' : 'asked',
    version: manifest.version,
    description: manifest.description,
    author: manifest.author,
    ...(manifest.homepage !== undefined && { homepage: manifest.homepage }),
    ...(record?.source && { source: sourceOf(record.source) }),
    hash: content.hash,
    counts,
    problems,
    ...(isAccepted && { acceptedAt: accepted.at }),
  }
}

function brokenView(place: PluginPlace, record: PluginRecord | undefined, problem: string): PluginView {
  return {
    ...place,
    scope: place.folder === undefined ? 'user' : 'project',
    state: 'broken',
    version: '',
    description: '',
    author: '',
    ...(record?.source && { source: sourceOf(record.source) }),
    hash: '',
    counts: Object.fromEntries(PLUGIN_PARTS.map((kind) => [kind, 0])) as PluginView['counts'],
    problems: [problem],
  }
}

function sourceOf({ kind, from, ref, commit }: NonNullable<PluginRecord['source']>): NonNullable<PluginView['source']> {
  return { kind, from, ...(ref !== undefined && { ref }), ...(commit !== undefined && { commit }) }
}

function removedView({ trashId, removedAt, version, record: { name, folder } }: RemovedRecord): RemovedPlugin {
  return { trashId, name, ...(folder !== undefined && { folder }), version, removedAt, until: removedAt + KEPT_MS }
}

function checkName({ manifest }: Plugin, name: string): void {
  if (manifest.name !== name)
    throw new CodedError(
      'plugin.refused',
      `It calls itself ${manifest.name}, but its folder or record is named ${name}.`,
    )
}

function real({ name, folder }: PluginPlace): PluginPlace {
  return { name, ...(folder !== undefined && { folder: realFolder(folder) }) }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    throw new CodedError('plugin.not_found', `There is no folder ${folder}.`)
  }
}
