import type { PluginPlace } from '../../shared/model/plugin'
import type { ApiDeps, Implementer } from './implementer'

export function pluginHandlers(os: Implementer, { engine: { plugins } }: ApiDeps) {
  return {
    list: os.plugin.list.handler(({ input }) => plugins.list(input.folder)),
    review: os.plugin.review.handler(({ input }) => plugins.review(placeOf(input))),
    add: os.plugin.add.handler(({ input: { from, folder } }) =>
      plugins.add({ from, ...(folder !== undefined && { folder }) }),
    ),
    update: os.plugin.update.handler(({ input }) => plugins.update(placeOf(input))),
    accept: os.plugin.accept.handler(({ input }) => plugins.accept(placeOf(input), input.hash)),
    setEnabled: os.plugin.setEnabled.handler(({ input }) => plugins.setEnabled(placeOf(input), input.enabled)),
    remove: os.plugin.remove.handler(({ input }) => plugins.remove(placeOf(input))),
    restore: os.plugin.restore.handler(({ input }) => plugins.restore(input.trashId)),
  }
}

function placeOf({ name, folder }: { name: string; folder?: string | undefined }): PluginPlace {
  return { name, ...(folder !== undefined && { folder }) }
}
