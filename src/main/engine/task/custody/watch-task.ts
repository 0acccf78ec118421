import type { TaskPush } from '../../../../shared/model/push'
import type { Task, TaskOutputPage } from '../../../../shared/model/task'
import type { HostLink } from './host-link'

/** Shown of a task that has ended; the rest is read page by page. */
const TAIL_BYTES = 128 * 1024

export interface WatchSources {
  find: () => Promise<HostLink | undefined>
  get: (taskId: string) => Promise<Task>
  output: (taskId: string, page: { bytes: number }) => Promise<TaskOutputPage>
  onLost: (hear: () => void) => () => void
}

/** See `TaskCustody.watch`. A running task is watched in its host, any other is shown as it is on disk. */
export function watchTask(sources: WatchSources, taskId: string, listener: (push: TaskPush) => void): () => void {
  let isStopped = false
  let stopPushes: (() => void) | undefined
  const tell = (push: TaskPush): void => {
    if (!isStopped) listener(push)
  }
  const begin = async (): Promise<void> => {
    const stop = await (await sources.find())?.watch(taskId, tell)
    if (isStopped) stop?.()
    else if (stop) stopPushes = stop
    else {
      const task = await sources.get(taskId)
      const { text, from } = await sources.output(taskId, { bytes: TAIL_BYTES })
      tell({ type: 'start', task, text, from })
    }
  }
  const stopHearing = sources.onLost(() => {
    stopPushes = undefined
    void sources.get(taskId).then(
      (task) => tell({ type: 'task', task }),
      () => {},
    )
  })
  // A task nobody knows stays silent, like one that prints nothing.
  begin().catch(() => {})
  return () => {
    isStopped = true
    stopHearing()
    stopPushes?.()
  }
}
