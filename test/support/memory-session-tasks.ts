import type { Task } from '../../src/shared/model/task/task'
import { createSessionTasks } from '../../src/main/engine/session/session-tasks'
import type { SessionTasks } from '../../src/main/engine/tool/session-services'
import { memorySupervisor, type MemorySupervisor } from './memory-supervisor'

export interface MemorySessionTasks {
  tasks: SessionTasks
  supervisor: MemorySupervisor
  /** Tasks whose end the session recorded as a pending notification to the agent. */
  owed: Task[]
}

/** The tasks of the session s1 in /project, with plain maps. */
export function memorySessionTasks({ supervisor = memorySupervisor(), interactive = true } = {}): MemorySessionTasks {
  const owed: Task[] = []
  const session = {
    id: 's1',
    header: { folder: '/project' },
    record: (event: { type: string; task: Task }) => void owed.push(event.task),
  }
  const tasks = createSessionTasks(session, { supervisor, notifier: { deliver: async () => undefined }, interactive })
  return { tasks, supervisor, owed }
}
