import type { UserPart } from '../../../shared/model/message'
import type { Task, TaskNews } from '../../../shared/model/task'
import { cutStart } from '../task/output-text'
import { oneLine, outputLines, taskLines } from '../tool/task-lines'
import type { TaskTail } from '../tool/session-tasks'

/** What a message about a task shows of its output. */
const TAIL_LINES = 20
const TAIL_CHARS = 3000

/** A task as it is to be told of. */
export interface PreparedNews {
  news: TaskNews
  /** What the message says of it. */
  section: string
}

/** How many bytes of output are enough for the tail of a message. */
export const TAIL_BYTES = 16 * 1024

export function prepareNews(task: Task, tail: TaskTail): PreparedNews {
  const { taskId, status, description, exitCode, signal, stopReason, startedAt, endedAt } = task
  const news: TaskNews = {
    taskId,
    command: oneLine(task.command),
    status,
    startedAt,
    ...(description !== undefined && { description: oneLine(description) }),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(stopReason !== undefined && { stopReason: oneLine(stopReason) }),
    ...(endedAt !== undefined && { endedAt }),
  }
  const { text, isCut } = newestLines(tail.text)
  const whole = !isCut && tail.shownBytes === tail.totalBytes
  const output =
    text === ''
      ? 'It printed nothing.'
      : // The end of the block must not be written by what was printed.
        `${whole ? 'All it printed' : 'The end of what it printed'}:\n<output>\n${text.replaceAll('</output', '<\\/output')}\n</output>`
  const lost = status === 'lost' ? ['The program that ran it is gone, and with it the task. What it had printed is kept.'] : []
  return { news, section: [...taskLines(task, { whole: true }), ...lost, ...outputLines(task), output].join('\n') }
}

/** A task of which nothing is kept any more. */
export function prepareLost(taskId: string, now: number): PreparedNews {
  return {
    news: { taskId, command: '', status: 'lost', startedAt: now, endedAt: now },
    section: `task_id: ${taskId}\nstatus: lost\nNothing is known of it any more: its record is gone.`,
  }
}

/** One message for all of them. It is marked as Trestle's, because it takes the place of the user's words. */
export function newsMessage(prepared: readonly PreparedNews[]): UserPart[] {
  const ended = prepared.filter(({ news }) => news.status !== 'running').length
  const what =
    ended === 0
      ? 'The user wants you to know how this stands.'
      : ended === 1
        ? 'A background task has ended.'
        : `${ended} background tasks have ended.`
  const sections = prepared.map(({ section }) => section).join('\n---\n')
  return [{ type: 'text', text: `<task-news>\n${what} This message comes from Trestle, not from the user.\n\n${sections}\n</task-news>` }]
}

function newestLines(text: string): { text: string; isCut: boolean } {
  const lines = text.split('\n')
  const newest = cutStart(lines.slice(-TAIL_LINES).join('\n'), TAIL_CHARS)
  return { text: newest, isCut: newest.length < text.length }
}
