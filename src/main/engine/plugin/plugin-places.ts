import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { PluginPlace } from '../../../shared/model/app/plugin'
import { readPluginFolder, refuse, type PluginContent } from './plugin-files'
import { pluginNameProblem } from './read-plugin'
import type { PluginRecord } from './plugin-records'
import { writePluginFolder, type PluginSnapshots } from './plugin-snapshots'

const IN_PROJECT = join('.trestle', 'plugins')
const MAX_IN_PROJECT = 50

/** The folder of a project's plugin. */
export function projectPluginFolder(folder: string, name: string): string {
  return join(folder, IN_PROJECT, name)
}

/** The names of the entries in a project's `.trestle/plugins`. */
export function projectPluginNames(folder: string): string[] {
  try {
    return readdirSync(join(folder, IN_PROJECT), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .toSorted()
      .slice(0, MAX_IN_PROJECT)
  } catch {
    return []
  }
}

/** Whether anything exists at the path of a project's plugin, regardless of the limit on plugins. */
export function isInProject(folder: string, name: string): boolean {
  return lstatSync(projectPluginFolder(folder, name), { throwIfNoEntry: false }) !== undefined
}

/** The current content of a plugin, accepted or not. Throws `plugin.refused` or `plugin.not_found`. */
export function currentContent(
  place: PluginPlace,
  record: Pick<PluginRecord, 'installed'> | undefined,
  snapshots: PluginSnapshots,
): PluginContent {
  if (place.folder === undefined) {
    if (record?.installed === undefined) throw missing(place.name)
    const content = snapshots.read(record.installed)
    return content ?? refuse('Its files in the Trestle folder were changed or deleted. Update or remove it.')
  }
  const folder = projectPluginFolder(place.folder, place.name)
  if (!existsSync(folder)) throw missing(place.name)
  const problem = pluginNameProblem(place.name)
  if (problem !== undefined) refuse(problem)
  checkIsThere(folder)
  return readPluginFolder(folder)
}

/** The current content, or undefined if it cannot be used. */
export function usableContent(...given: Parameters<typeof currentContent>): PluginContent | undefined {
  try {
    return currentContent(...given)
  } catch {
    return undefined
  }
}

/** Installs a plugin in a project. The previous content is kept until the new one is complete. */
export function writeProjectPlugin({ name, folder }: Required<PluginPlace>, content: PluginContent): void {
  mkdirSync(join(folder, IN_PROJECT), { recursive: true })
  checkIsThere(join(folder, IN_PROJECT))
  const target = projectPluginFolder(folder, name)
  const draft = join(folder, IN_PROJECT, `.${name}.${process.pid}.new`)
  const aside = join(folder, IN_PROJECT, `.${name}.${process.pid}.old`)
  try {
    for (const path of [draft, aside]) rmSync(path, { recursive: true, force: true })
    writePluginFolder(draft, content)
    const isThere = isInProject(folder, name)
    if (isThere) renameSync(target, aside)
    try {
      renameSync(draft, target)
    } catch (error) {
      if (isThere) renameSync(aside, target)
      throw error
    }
    rmSync(aside, { recursive: true, force: true })
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

export function removeProjectPlugin({ name, folder }: Required<PluginPlace>): void {
  const target = projectPluginFolder(folder, name)
  checkIsThere(target)
  rmSync(target, { recursive: true, force: true })
}

export function missing(name: string): CodedError {
  return new CodedError('plugin.not_found', `There is no plugin ${name.slice(0, 80)} here.`)
}

/** Refuses links in the path, which could lead out of the project. */
function checkIsThere(folder: string): void {
  if (realpathSync(folder) !== folder) refuse(`${folder} is a symbolic link, or is inside one.`)
}
