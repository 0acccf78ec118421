import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { NOTIFICATION_LIMITS } from '../../../../shared/model/assistant/notification'
import { ok, type Tool } from '../tool'
import { DEVICE_TOOL, type DeviceServices } from './device-services'
import description from './send-notification.md?raw'

const { titleChars, bodyChars } = NOTIFICATION_LIMITS
const input = lazySchema(() =>
  z.strictObject({
    title: z.string().trim().min(1).max(titleChars),
    body: z.string().trim().max(bodyChars).optional(),
  }),
)

/** Shows the user a system notification, and keeps it in their list. */
export function sendNotificationTool({ notify }: Pick<DeviceServices, 'notify'>): Tool<typeof input> {
  return {
    ...DEVICE_TOOL,
    name: 'SendNotification',
    description,
    input,
    listedOnly: true,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    async prepare({ title, body = '' }) {
      return {
        summary: title,
        accesses: [],
        preview: async () => ({ kind: 'text', text: body === '' ? title : `${title}\n${body}` }),
        async run() {
          const shown = await notify({ title, body })
          return ok(
            shown
              ? 'The user was notified.'
              : 'It is in the notification list. The user has turned notifications off, so nothing was shown.',
          )
        },
      }
    },
  }
}
