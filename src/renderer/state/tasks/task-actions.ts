import { useMemo } from 'react'
import type { Task, TaskOutputPage } from '../../../shared/model/task/task'
import { useLayout } from '../page/layout-state'
import { showToast, showFailureToast } from '../page/toasts-state'
import { useClient } from '../page/queries'
import type { TrestleClient } from '../../../shared/contract'

/** Actions on tasks. Each shows its own failure; none rejects. */
export interface TaskActions {
  stop(task: Task): void
  /** Stops every running task, or those of one session. */
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
    const run = (call: Promise<unknown>, message?: string): void =>
      void call.then(() => (message === undefined ? undefined : showToast(message)), showFailureToast)
    return {
      stop: ({ taskId }) => run(client.task.stop({ taskId })),
      stopAll: (sessionId) =>
        void client.task
          .stopAll(sessionId === undefined ? {} : { sessionId })
          .then(({ stopped }) => showToast(counted(stopped)), showFailureToast),
      restart: ({ taskId }) =>
        client.task.restart({ taskId }).catch((error: unknown) => {
          showFailureToast(error)
          return undefined
        }),
      moveToBackground: ({ taskId }) => run(client.task.moveToBackground({ taskId })),
      sendToSession: ({ taskId }) => run(client.task.sendToSession({ taskId }), 'Sent to the session'),
      goToSession: ({ sessionId }) => {
        if (sessionId !== undefined) useLayout.getState().openSession(sessionId)
      },
      copyCommand: ({ command }) => run(navigator.clipboard.writeText(command), 'Command copied'),
      download: (task) => run(downloadLog(client, task)),
    }
  }, [client])
}

function counted(stopped: number): string {
  return stopped === 1 ? '1 task stopped' : `${stopped} tasks stopped`
}

/** Bytes per page, the maximum of the contract. */
const PAGE = 1024 * 1024

/** Downloads the complete stored output of a task through the browser. */
async function downloadLog(client: TrestleClient, task: Pick<Task, 'taskId'>): Promise<void> {
  const pages: Blob[] = []
  let before: number | undefined
  for (;;) {
    const page: TaskOutputPage = await client.task.output({
      taskId: task.taskId,
      bytes: PAGE,
      ...(before !== undefined && { before }),
    })
    // Passed piece by piece: the browser keeps large blobs on disk, not in the page.
    pages.unshift(new Blob([...(page.dropped > 0 ? [`\n[${page.dropped} bytes are not kept]\n`] : []), page.text]))
    const next = page.from - page.dropped
    if (next <= 0 || page.to <= page.from) break
    before = next
  }
  const url = URL.createObjectURL(new Blob(pages, { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${task.taskId}.log`
  link.click()
  // The click has started the download; the page releases its copy a little later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
