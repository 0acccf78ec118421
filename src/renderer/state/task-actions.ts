import { useMemo } from 'react'
import type { Task } from '../../shared/model/task'
import { downloadLog } from './download-log'
import { useLayout } from './layout-state'
import { tell, tellFailure } from './toasts-state'
import { useClient } from './trestle-context'

/** What can be done with tasks. Each says what went wrong; none rejects. */
export interface TaskActions {
  stop(task: Task): void
  /** Every running one, or those of one session. */
  stopAll(sessionId?: string): void
  /** Resolves with the new task. */
  restart(task: Task): Promise<Task | undefined>
  moveToBackground(task: Task): void
  sendToSession(task: Task): void
  goToSession(task: Task): void
  copyCommand(task: Task): void
  download(task: Task): void
}

export function useTaskActions(): TaskActions {
  const client = useClient()
  return useMemo((): TaskActions => {
    const told = (call: Promise<unknown>, words?: string): void =>
      void call.then(() => (words === undefined ? undefined : tell(words)), tellFailure)
    return {
      stop: ({ taskId }) => told(client.task.stop({ taskId })),
      stopAll: (sessionId) =>
        void client.task.stopAll(sessionId === undefined ? {} : { sessionId }).then(({ stopped }) => tell(counted(stopped)), tellFailure),
      restart: ({ taskId }) =>
        client.task.restart({ taskId }).catch((error: unknown) => {
          tellFailure(error)
          return undefined
        }),
      moveToBackground: ({ taskId }) => told(client.task.moveToBackground({ taskId })),
      sendToSession: ({ taskId }) => told(client.task.sendToSession({ taskId }), 'Sent to the session'),
      goToSession: ({ sessionId }) => {
        if (sessionId !== undefined) useLayout.getState().openSession(sessionId)
      },
      copyCommand: ({ command }) => told(navigator.clipboard.writeText(command), 'Command copied'),
      download: (task) => told(downloadLog(client, task)),
    }
  }, [client])
}

function counted(stopped: number): string {
  return stopped === 1 ? '1 task stopped' : `${stopped} tasks stopped`
}
