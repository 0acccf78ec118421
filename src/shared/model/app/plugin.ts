/** A user's plugin is available in every project; a project's plugin is in its `.trestle/plugins`. */
export type PluginScope = 'user' | 'project'

/**
 * `asked`: its content was never accepted. `changed`: it was accepted, and has changed since. `enabled`: accepted and
 * on. `disabled`: accepted and turned off. `broken`: its folder cannot be used as a plugin. Only an enabled plugin has
 * any effect.
 */
export type PluginState = 'asked' | 'changed' | 'enabled' | 'disabled' | 'broken'

/** Identifies a plugin: with `folder`, the real path of a project, one of that project; otherwise one of the user. */
export interface PluginPlace {
  name: string
  folder?: string
}

/** Where a plugin was installed from. */
export interface PluginSource {
  kind: 'path' | 'git'
  /** A folder, or the address of a repository. */
  from: string
  /** The requested branch or tag. */
  ref?: string
  /** The commit that was installed. */
  commit?: string
}

/** The kinds of parts of a plugin. */
export const PLUGIN_PARTS = ['hook', 'server', 'agent', 'skill', 'command'] as const
export type PluginPartKind = (typeof PLUGIN_PARTS)[number]

/** A plugin in a list. */
export interface PluginView extends PluginPlace {
  scope: PluginScope
  state: PluginState
  version: string
  description: string
  author: string
  homepage?: string
  source?: PluginSource
  /** Hash of all its files: `accept` applies to exactly this content. Empty for a broken plugin. */
  hash: string
  counts: Record<PluginPartKind, number>
  /** Its problems; sentences. */
  problems: string[]
  /** ms since the epoch. */
  acceptedAt?: number
}

/** One thing that a plugin would do, or one of its files, for the user's review. */
export interface PluginPart {
  /** `file`: any other file, such as a script that a hook runs. */
  kind: PluginPartKind | 'file'
  name: string
  /** Path in the plugin's folder. */
  file: string
  /** What it does, one effect per line; hidden characters are made visible. */
  lines: string[]
}

/** A file that differs from the last accepted version. */
export interface PluginFileChange {
  /** Path in the plugin's folder. */
  file: string
  change: 'added' | 'removed' | 'changed'
  /** Unified diff; empty for a file that is not text. */
  diff: string
}

/** Everything a user has to review before accepting a plugin. */
export interface PluginReview extends PluginView {
  parts: PluginPart[]
  /** Changes since the last accepted version; absent for the first one. */
  changes?: PluginFileChange[]
}

/** A plugin that was removed, and can be restored. */
export interface RemovedPlugin extends PluginPlace {
  trashId: string
  version: string
  /** ms since the epoch. */
  removedAt: number
  /** When it is deleted permanently. */
  until: number
}

/** The plugins of the user and of one project. */
export interface PluginList {
  plugins: PluginView[]
  removed: RemovedPlugin[]
}

/** What to install: a folder, or a repository; with `folder`, into that project. */
export interface PluginRequest {
  from: string
  folder?: string
}

/** The variable that contains the plugin's folder, for its hooks and servers. */
export const PLUGIN_ROOT = 'TRESTLE_PLUGIN_ROOT'

/** The full name of a part of a plugin: `plugin:skill`. */
export function pluginName(plugin: string, part: string): string {
  return `${plugin}:${part}`
}

/** Whether something is installed from a repository, or was until recently. */
export function isGitAddress(from: string): boolean {
  return /^(?:https|ssh|git\+ssh|file):\/\//i.test(from) || /^[\w.-]+@[\w.-]+:(?!\/\/)/.test(from)
}
