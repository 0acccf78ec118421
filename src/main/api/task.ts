import type { ApiDeps, Implementer } from './api-deps'

export function taskHandlers(os: Implementer, { engine: { tasks } }: ApiDeps) {
  return {
    list: os.task.list.handler(({ input }) => tasks.list(input)),
    output: os.task.output.handler(({ input: { taskId, before, bytes } }) =>
      tasks.output(taskId, { bytes, ...(before !== undefined && { before }) }),
    ),
    stop: os.task.stop.handler(({ input }) => tasks.stop(input.taskId, input.reason)),
    stopAll: os.task.stopAll.handler(({ input: { sessionId } }) => tasks.stopAll({ ...(sessionId !== undefined && { sessionId }) })),
    restart: os.task.restart.handler(({ input }) => tasks.restart(input.taskId)),
    input: os.task.input.handler(({ input }) => tasks.input(input.taskId, input.data)),
    moveToBackground: os.task.moveToBackground.handler(({ input }) => tasks.moveToBackground(input.taskId)),
    sendToSession: os.task.sendToSession.handler(({ input }) => tasks.sendToSession(input.taskId)),
    orphans: os.task.orphans.handler(() => tasks.orphans()),
    killOrphans: os.task.killOrphans.handler(({ input }) => tasks.killOrphans(input.pids)),
  }
}
