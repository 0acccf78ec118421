import type { TrestleClient } from '../../shared/contract'
import type { TaskPush } from '../../shared/model/push'
import type { SubscribeOptions } from './keep-subscribed'
import { keepSubscribed } from './keep-subscribed'

/** Follows one task's terminal, over lost connections, until it has ended: after each break its newest output comes again from a `start`. */
export function subscribeTask(
  client: TrestleClient,
  taskId: string,
  onPush: (push: TaskPush) => void,
  options: SubscribeOptions = {},
): () => void {
  let ended = false
  return keepSubscribed<TaskPush>(
    (signal) => (ended ? untilAborted(signal) : client.push.task({ taskId }, { signal })),
    (push) => {
      if (push.type !== 'output') ended = push.task.status !== 'running'
      onPush(push)
      return true
    },
    options,
  )
}

/** Nothing more will come: waits for the subscriber to leave. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('left')), { once: true })
  })
}
