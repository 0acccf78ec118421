import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schedule } from '../../../shared/model/assistant/schedule'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

type Named = Pick<Schedule, 'id' | 'name'>

export interface ScheduleActions {
  /** Deletes the schedule, and offers to undo that. */
  remove(schedule: Named): void
  restore(schedule: Named): void
  setPaused(schedule: Named, paused: boolean): void
  runNow(schedule: Named): void
  /** Reads the lists again after a change. */
  refresh(): Promise<void>
}

/** The actions on a schedule, for the list and the dialog. */
export function useScheduleActions(): ScheduleActions {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [['schedule']] })
    const done = (work: Promise<unknown>, onDone: () => void): void =>
      void work.then(() => {
        onDone()
        return refresh()
      }, showFailureToast)
    const actions: ScheduleActions = {
      refresh,
      remove: ({ id, name }) =>
        done(client.schedule.remove({ id }), () =>
          showToast(`Deleted ${name}`, { label: 'Undo', run: () => actions.restore({ id, name }) }),
        ),
      restore: ({ id, name }) => done(client.schedule.restore({ id }), () => showToast(`Restored ${name}`)),
      setPaused: ({ id, name }, paused) =>
        done(client.schedule.setPaused({ id, paused }), () => showToast(`${paused ? 'Paused' : 'Resumed'} ${name}`)),
      runNow: ({ id, name }) => done(client.schedule.runNow({ id }), () => showToast(`Started ${name}`)),
    }
    return actions
  }, [client, queryClient])
}
