/** A plugin of the user is there in every project; one of a project lies in its `.trestle/plugins`. */
export type PluginScope = 'user' | 'project'

/**
 * `asked`: its content was never accepted. `changed`: it was accepted, and has changed since. `enabled`: accepted and
 * on. `disabled`: accepted and turned off. `broken`: its folder cannot be used as a plugin. Only an enabled plugin does
 * anything.
 */
export type PluginState = 'asked' | 'changed' | 'enabled' | 'disabled' | 'broken'

/** Names a plugin: with `folder`, the real path of a project, one of that project; else one of the user. */
export interface PluginPlace {
  name: string
  folder?: string
}

/** Where a plugin was installed from. */
export interface PluginSource {
  kind: 'path' | 'git'
  /** A folder, or the address of a repository. */
  from: string
  /** The branch or tag that was asked for. */
  ref?: string
  /** The commit that was installed. */
  commit?: string
}

/** What a plugin consists of. */
export const PLUGIN_PARTS = ['hook', 'server', 'agent', 'skill', 'command'] as const
export type PluginPartKind = (typeof PLUGIN_PARTS)[number]

/** A plugin as it is listed. */
export interface PluginView extends PluginPlace {
  scope: PluginScope
  state: PluginState
  version: string
  description: string
  author: string
  homepage?: string
  source?: PluginSource
  /** Of all its files: what `accept` is bound to. Empty for one that is broken. */
  hash: string
  counts: Record<PluginPartKind, number>
  /** What is wrong with it; sentences. */
  problems: string[]
  /** ms since the epoch. */
  acceptedAt?: number
}

/** One thing that a plugin would do, or one of its files, as a person has to judge it. */
export interface PluginPart {
  /** `file`: any other file, such as a script that a hook runs. */
  kind: PluginPartKind | 'file'
  name: string
  /** Path in the plugin's folder. */
  file: string
  /** What it does, a line each; nothing in them can hide on a screen. */
  lines: string[]
}

/** A file that differs from what was accepted before. */
export interface PluginFileChange {
  /** Path in the plugin's folder. */
  file: string
  change: 'added' | 'removed' | 'changed'
  /** Unified diff; empty for a file that is not text. */
  diff: string
}

/** Everything a person has to see before a plugin is accepted. */
export interface PluginReview extends PluginView {
  parts: PluginPart[]
  /** Against what was accepted before; absent when nothing was. */
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

/** The variable by which hooks and servers of a plugin find its files. */
export const PLUGIN_ROOT = 'TRESTLE_PLUGIN_ROOT'

/** How the name of a part of a plugin begins: `plugin:skill`. */
export function pluginName(plugin: string, part: string): string {
  return `${plugin}:${part}`
}

/** Whether something is, or was until lately, installed from a repository. */
export function isGitAddress(from: string): boolean {
  return /^(?:https|ssh|git\+ssh|file):\/\//i.test(from) || /^[\w.-]+@[\w.-]+:(?!\/\/)/.test(from)
}
