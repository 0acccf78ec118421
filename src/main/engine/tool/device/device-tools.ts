import type { Tool } from '../tool'
import { createCalendarEventTool } from './create-calendar-event'
import type { DeviceServices } from './device-services'
import { getLocalTimeTool } from './get-local-time'
import { getLocationTool } from './get-location'
import { openUrlTool } from './open-url'
import { sendNotificationTool } from './send-notification'
import { setAlarmTool } from './set-alarm'

/** The everyday tools around the machine and its user, for one session. */
export function deviceTools(services: DeviceServices): readonly Tool[] {
  return [
    getLocalTimeTool({ now: services.now }),
    getLocationTool(services),
    openUrlTool(services),
    sendNotificationTool(services),
    createCalendarEventTool(services),
    setAlarmTool(services),
  ]
}
