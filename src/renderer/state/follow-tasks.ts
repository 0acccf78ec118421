import type { TrestleClient } from '../../shared/contract'
import type { Task } from '../../shared/model/task'
import { failureFrom } from '../client/failure-from'
import { useTasks, withTaskList, withTasks } from './tasks-state'

/** So many are asked for: running ones come first, so those are all there. */
const LIST_LIMIT = 2000
/** Least ms between two changes of the state: with hundreds of tasks that print, something changes all the time. */
const PAUSE_MS = 100

/** Keeps the tasks of this window true to the engine: the whole list once for each connection, then what changes. */
export class TaskFollower {
  readonly #client: TrestleClient
  #asked = 0
  /** Told since the list was asked for: newer than what it will say. */
  #since = new Set<string>()
  #changed = new Map<string, Task>()
  #removed = new Set<string>()
  #pausing = false

  constructor(client: TrestleClient) {
    this.#client = client
  }

  /** A new subscription has begun: what changed unseen is asked for. */
  async begin(): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    this.#since = new Set()
    try {
      const list = await this.#client.task.list({ limit: LIST_LIMIT })
      if (asked === this.#asked) useTasks.setState((state) => withTaskList(state, list, this.#since), true)
    } catch (error) {
      const failure = failureFrom(error)
      // The subscription comes again by itself, and asks again.
      if (asked === this.#asked && failure.code !== 'connection.lost') useTasks.setState({ failure })
    }
  }

  changed(changed: readonly Task[], removed: readonly string[]): void {
    for (const task of changed) {
      this.#since.add(task.taskId)
      this.#removed.delete(task.taskId)
      this.#changed.set(task.taskId, task)
    }
    for (const taskId of removed) {
      this.#since.add(taskId)
      this.#changed.delete(taskId)
      this.#removed.add(taskId)
    }
    if (!this.#pausing) this.#pass()
  }

  #pass(): void {
    this.#pausing = this.#changed.size > 0 || this.#removed.size > 0
    if (!this.#pausing) return
    const [changed, removed] = [[...this.#changed.values()], [...this.#removed]]
    this.#changed.clear()
    this.#removed.clear()
    useTasks.setState((state) => withTasks(state, changed, removed))
    setTimeout(() => this.#pass(), PAUSE_MS)
  }
}
