import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Alarm } from '../../../shared/model/assistant/notification'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

export interface NotificationPageActions {
  /** Cancels the alarm, and offers to undo that. */
  cancel(alarm: Pick<Alarm, 'id' | 'label'>): void
  snooze(alarm: Pick<Alarm, 'id'>): void
  stop(alarm: Pick<Alarm, 'id'>): void
  /** Rejects when it could not be set. */
  set(when: string, label: string): Promise<void>
  /** Without ids: all notifications. */
  markRead(ids?: number[]): void
  /** Likewise; offers to undo it. */
  clear(ids?: number[]): void
}

/** The actions on alarms and notifications. */
export function useNotificationActions(): NotificationPageActions {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const refresh = (name: 'alarm' | 'notification') => (): Promise<void> =>
      queryClient.invalidateQueries({ queryKey: [[name]] })
    const alarms = (work: Promise<unknown>): void => void work.then(refresh('alarm'), showFailureToast)
    const notifications = (work: Promise<unknown>): void => void work.then(refresh('notification'), showFailureToast)
    const cancel = async ({ id, label }: Pick<Alarm, 'id' | 'label'>): Promise<void> => {
      await client.alarm.cancel({ id })
      showToast(`Cancelled ${label}`, { label: 'Undo', run: () => alarms(client.alarm.restore({ id })) })
    }
    const clear = async (ids: number[] | undefined): Promise<void> => {
      const cleared = await client.notification.clear(ids ? { ids } : {})
      showToast(`Cleared ${cleared.length} ${cleared.length === 1 ? 'notification' : 'notifications'}`, {
        label: 'Undo',
        run: () => notifications(client.notification.restore({ ids: cleared })),
      })
    }
    return {
      cancel: (alarm) => alarms(cancel(alarm)),
      snooze: ({ id }) => alarms(client.alarm.snooze({ id })),
      stop: ({ id }) => alarms(client.alarm.stop({ id })),
      async set(when, label) {
        await client.alarm.set({ when, label })
        await refresh('alarm')()
      },
      markRead: (ids) => notifications(client.notification.markRead(ids ? { ids } : {})),
      clear: (ids) => notifications(clear(ids)),
    }
  }, [client, queryClient])
}
