import { CodedError } from '../../../shared/errors'
import { type ApiDeps, type Implementer, toRpcError } from '../implementer'
import { appPushes } from '../push/app-push-queue'
import { sessionPushes } from '../push/session-push-queue'
import { taskPushes, usagePushes } from '../push/task-push-queue'
import { terminalPushes } from '../push/terminal-push-queue'

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
        if (change.kind === 'session.moved' && change.sessionId === input.sessionId)
          subscription.end(new CodedError('connection.lost', 'The session is on another machine now.'))
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
    terminal: os.push.terminal.handler(({ input, signal }) =>
      terminalPushes(engine.terminals, input.terminalId, {
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.terminal'),
      }),
    ),
    usage: os.push.usage.handler(({ signal }) =>
      usagePushes(engine, {
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.usage'),
      }),
    ),
    app: os.push.app.handler(({ signal }) => {
      void engine.places.follow()
      return appPushes(engine, {
        ...(host.onCommand && { onCommand: host.onCommand }),
        ...(signal && { signal }),
        mapError: (error) => toRpcError(error, logBug, 'push.app'),
      })
    }),
  }
}
