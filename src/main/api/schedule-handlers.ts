import type { ApiDeps, Implementer } from './implementer'

export function scheduleHandlers(os: Implementer, { engine: { schedule } }: ApiDeps) {
  return {
    list: os.schedule.list.handler(({ input }) => schedule.overview(input.deleted)),
    history: os.schedule.history.handler(({ input: { id, offset, limit } }) => schedule.history(id, offset, limit)),
    planned: os.schedule.planned.handler(({ input: { from, until } }) => schedule.planned(from, until)),
    check: os.schedule.check.handler(({ input }) => schedule.check(input)),
    create: os.schedule.create.handler(({ input }) => schedule.create(input)),
    change: os.schedule.change.handler(({ input: { id, ...content } }) => schedule.change(id, content)),
    setPaused: os.schedule.setPaused.handler(({ input: { id, paused } }) => schedule.setPaused(id, paused)),
    remove: os.schedule.remove.handler(({ input }) => schedule.remove(input.id)),
    restore: os.schedule.restore.handler(({ input }) => schedule.restore(input.id)),
    runNow: os.schedule.runNow.handler(({ input }) => schedule.runNow(input.id)),
  }
}
