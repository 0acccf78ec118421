import type { UserPart } from '../../../shared/model/message'
import type { PendingNews, TaskNews } from '../../../shared/model/task'
import { newsMessage, type PreparedNews } from './task-news'

/** A message that tells of tasks. Recording it with its `news` is what makes it told. */
export interface NewsToTell {
  parts: UserPart[]
  news: TaskNews[]
}

/** News that is prepared and waits for the next step of a turn. What is owed stands in the header; this only has its words. */
export class ReadyNews {
  readonly #prepared = new Map<string, PreparedNews>()
  readonly #owed: () => readonly PendingNews[]

  constructor(owed: () => readonly PendingNews[]) {
    this.#owed = owed
  }

  add(prepared: PreparedNews): void {
    this.#prepared.set(prepared.news.taskId, prepared)
  }

  /** Everything that is due, as one message; undefined when nothing is. Until it is recorded it stays due. */
  message(): NewsToTell | undefined {
    const owed = this.#owed()
    const due = [...this.#prepared.values()].filter(({ news }) =>
      owed.some(({ taskId, now }) => taskId === news.taskId && (now === true || news.status !== 'running')),
    )
    // What was told since it was prepared is not kept.
    for (const taskId of this.#prepared.keys()) if (!due.some(({ news }) => news.taskId === taskId)) this.#prepared.delete(taskId)
    return due.length === 0 ? undefined : { parts: newsMessage(due), news: due.map(({ news }) => news) }
  }
}
