import type { ApiDeps, Implementer } from './implementer'

export function memoryHandlers(os: Implementer, { engine: { memory } }: ApiDeps) {
  return {
    list: os.memory.list.handler(({ input: { offset, limit, ...filter } }) => memory.list(filter, offset, limit)),
    details: os.memory.details.handler(({ input }) => memory.details(input.id)),
    overview: os.memory.overview.handler(() => memory.overview()),
    add: os.memory.add.handler(({ input }) => memory.add(input)),
    change: os.memory.change.handler(({ input: { id, ...content } }) => memory.change(id, content)),
    remove: os.memory.remove.handler(({ input }) => memory.remove(input.ids)),
    restore: os.memory.restore.handler(({ input }) => memory.restore(input.ids)),
    purge: os.memory.purge.handler(({ input }) => memory.purge(input.ids)),
  }
}
