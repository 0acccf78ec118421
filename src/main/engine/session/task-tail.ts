import { CodedError } from '../../../shared/model/errors'
import type { Task, TaskOutputPage } from '../../../shared/model/task'
import { PlainText } from '../task/plain-text'
import type { TaskCustody } from '../task/task-custody'
import type { TaskTail } from '../tool/session-tasks'

/** Nothing is read but the end. What was kept when a record is gone cannot be read any more: then there is nothing to show. */
export async function tailOf(custody: Pick<TaskCustody, 'output'>, { taskId }: Task, maxBytes: number): Promise<TaskTail> {
  const page = await custody.output(taskId, { bytes: maxBytes }).catch(notFound)
  if (!page) return { text: '', totalBytes: 0, shownBytes: 0 }
  return { text: plainPage(page), totalBytes: page.total, shownBytes: page.to - page.from }
}

function plainPage({ text, from }: TaskOutputPage): string {
  const reader = new PlainText()
  // A piece from the middle may begin within an escape code or a character: it is read from its first whole line on.
  const line = from > 0 ? text.indexOf('\n') + 1 : 0
  reader.write(text.slice(line))
  return reader.text().replace(/\s+$/, '')
}

/** For what is no failure but an answer: there is no such task. */
export function notFound(error: unknown): undefined {
  if (error instanceof CodedError && error.code === 'task.not_found') return undefined
  throw error
}
