import type { ApiDeps, Implementer } from './implementer'

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
