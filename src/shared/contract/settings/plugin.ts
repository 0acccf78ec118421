import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { PluginList, PluginReview, PluginView, RemovedPlugin } from '../../model/app/plugin'

const folder = z.string().min(1).max(4000)
/** With `folder`, the plugin of that project; otherwise one of the user. */
const place = { name: z.string().min(1).max(80), folder: folder.optional() }

/** Plugins of the user and of projects. A plugin has no effect before the user has accepted its exact content. */
export const pluginContract = {
  /** The user's plugins and those of the project in `folder`, and those removed in the last 30 days. */
  list: oc.input(z.strictObject({ folder: folder.optional() })).output(type<PluginList>()),
  /** Everything a plugin would do, all its files, and the changes since it was accepted. */
  review: oc.input(z.strictObject(place)).output(type<PluginReview>()),
  /**
   * Installs from a folder or a Git address (which may end with `#branch`), disabled; with `folder`, into that project.
   */
  add: oc
    .input(z.strictObject({ from: z.string().trim().min(1).max(4000), folder: folder.optional() }))
    .output(type<PluginReview>()),
  /** Fetches it again from its folder or Git address; if it has changed, it is disabled until it is accepted. */
  update: oc.input(z.strictObject(place)).output(type<PluginReview>()),
  /**
   * Accepts what the review with this `hash` showed, and enables it; `plugin.changed` when the files have changed
   * since.
   */
  accept: oc.input(z.strictObject({ ...place, hash: z.string() })).output(type<PluginView>()),
  /** Enables or disables an accepted plugin. */
  setEnabled: oc.input(z.strictObject({ ...place, enabled: z.boolean() })).output(type<PluginView>()),
  /** Removes it; it can be restored for 30 days. */
  remove: oc.input(z.strictObject(place)).output(type<RemovedPlugin>()),
  restore: oc.input(z.strictObject({ trashId: z.string().min(1).max(100) })).output(type<PluginView>()),
}
