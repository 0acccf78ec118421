import type { ApiDeps, Implementer } from '../implementer'

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

export function mailHandlers(os: Implementer, { engine: { mail } }: ApiDeps) {
  return {
    accounts: os.mail.accounts.handler(() => mail.accounts()),
    save: os.mail.save.handler(({ input }) => mail.save(input.account, input.password)),
    remove: os.mail.remove.handler(({ input }) => mail.remove(input.id)),
    restore: os.mail.restore.handler(({ input }) => mail.restore(input.id)),
    test: os.mail.test.handler(({ input }) => mail.test(input.id)),
    search: os.mail.search.handler(({ input }) => mail.search(input)),
    read: os.mail.read.handler(({ input }) => mail.read(input.id)),
    draft: os.mail.draft.handler(({ input }) => mail.draft(input)),
    send: os.mail.send.handler(({ input }) => mail.send(input)),
    move: os.mail.move.handler(({ input }) => mail.move(input.ids, input.folder)),
    flag: os.mail.flag.handler(({ input }) => mail.flag(input.ids, input.as)),
  }
}

export function alarmHandlers(os: Implementer, { engine: { alarms } }: ApiDeps) {
  return {
    list: os.alarm.list.handler(({ input }) => alarms.list(input.active)),
    set: os.alarm.set.handler(({ input }) => alarms.set(input.when, input.label)),
    snooze: os.alarm.snooze.handler(({ input }) => alarms.snooze(input.id, input.minutes)),
    stop: os.alarm.stop.handler(({ input }) => alarms.stop(input.id)),
    cancel: os.alarm.cancel.handler(({ input }) => alarms.cancel(input.id)),
    restore: os.alarm.restore.handler(({ input }) => alarms.restore(input.id)),
  }
}

export function notificationHandlers(os: Implementer, { engine: { notifications } }: ApiDeps) {
  return {
    list: os.notification.list.handler(({ input }) => notifications.list(input.offset, input.limit)),
    markRead: os.notification.markRead.handler(({ input }) => notifications.markRead(input.ids)),
    clear: os.notification.clear.handler(({ input }) => notifications.clear(input.ids)),
    restore: os.notification.restore.handler(({ input }) => notifications.restore(input.ids)),
  }
}
