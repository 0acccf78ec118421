import { sentence } from '../../../../shared/error-text'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { failureOf } from '../../../../shared/errors'
import { ALARM_LIMITS } from '../../../../shared/model/assistant/notification'
import { failed, ok, type Tool } from '../tool'
import { DEVICE_TOOL, type DeviceServices } from './device-services'
import { localTimeText } from './get-local-time'
import description from './set-alarm.md?raw'
import { machineZone } from './time-zone'

const input = lazySchema(() =>
  z.strictObject({
    when: z.string().trim().min(1).max(100),
    label: z.string().trim().min(1).max(ALARM_LIMITS.labelChars),
  }),
)

/** Sets an alarm or a countdown for the user. */
export function setAlarmTool({ setAlarm }: Pick<DeviceServices, 'setAlarm'>): Tool<typeof input> {
  return {
    ...DEVICE_TOOL,
    name: 'SetAlarm',
    description,
    input,
    listedOnly: true,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    async prepare({ when, label }) {
      return {
        summary: `${when} ${label}`,
        accesses: [],
        preview: async () => ({ kind: 'text', text: `${label}\n${when}` }),
        async run() {
          try {
            const { at } = await setAlarm(when, label)
            return ok(`Set. It rings at:\n${localTimeText(new Date(at), machineZone())}\nThe user can cancel it.`)
          } catch (error) {
            const { message, advice } = failureOf(error)
            return failed(`${sentence(message)} ${advice}`.trim())
          }
        },
      }
    },
  }
}
