import { CodedError } from '../../shared/model/errors'
import type { ApiDeps, Implementer } from './api-deps'
import { appPushes } from './app-push-queue'
import { sessionPushes } from './push-queue'
import { toRpcError } from './rpc-error'
import { taskPushes, usagePushes } from './task-push-queue'

export function pushHandlers(os: Implementer, { engine, host, logBug }: ApiDeps) {
  return {
    session: os.push.session.handler(({ input, signal }) => {
      const subscription = sessionPushes(engine.sessions, {
        ...input,
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.session'),
        onEnd: () => stopWatching(),
      })
      const stopWatching = engine.onChange((change) => {
        if (change.kind !== 'session.removed' || change.sessionId !== input.sessionId) return
        subscription.end(new CodedError('session.not_found', 'This session was deleted.'))
      })
      return subscription.pushes
    }),
    task: os.push.task.handler(({ input, signal }) =>
      taskPushes(engine.tasks, input.taskId, {
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.task'),
      }),
    ),
    usage: os.push.usage.handler(({ signal }) =>
      usagePushes(engine.tasks, { ...(signal && { signal }), mapError: (error) => toRpcError(error, logBug, 'push.usage') }),
    ),
    app: os.push.app.handler(({ signal }) =>
      appPushes(engine, {
        ...(host.onCommand && { onCommand: host.onCommand }),
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.app'),
      }),
    ),
  }
}
