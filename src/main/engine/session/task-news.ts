import type { UserPart } from '../../../shared/model/message'
import type { Task, TaskNews } from '../../../shared/model/task'
import { cutStart } from '../task/cut-text'
import { cutAt } from '../tool/limits'
import { oneLine, outputLines, taskLines } from '../tool/task-lines'
import type { TaskTail } from '../tool/session-tasks'

/** What a message about a task shows of its output. */
const TAIL_LINES = 20
const TAIL_CHARS = 3000
/** The same for the last message of a subagent. */
const ANSWER_CHARS = 12_000
/** The same for all tasks of one message together. */
const MOST_TAIL_CHARS = 24_000
/** So many tasks are told of in full; what ends at the same time beyond them gets a line, or is only counted. */
const MOST_IN_FULL = 20
const MOST_IN_LINES = 200
const LINE_CHARS = 120

/** A task as it is to be told of. */
export interface PreparedNews {
  news: TaskNews
  /** What the message says of it, and the end of its output in plain text. */
  lines: string[]
  output: string
  /** `output` is all that it printed. */
  isWhole: boolean
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
    ...(task.agent && { agent: task.agent }),
  }
  // Of a subagent its last message is all there is to know.
  const output = task.agent ? cutAt(tail.text, ANSWER_CHARS) : newestLines(tail.text, TAIL_CHARS)
  const lost = status === 'lost' ? ['The program that ran it is gone, and with it the task. What it had printed is kept.'] : []
  return {
    news,
    lines: [...taskLines(task, { whole: true }), ...lost, ...outputLines(task)],
    output,
    isWhole: output.length === tail.text.length && tail.shownBytes === tail.totalBytes,
  }
}

/** A task of which nothing is kept any more. */
export function prepareLost(taskId: string, now: number): PreparedNews {
  return {
    news: { taskId, command: '', status: 'lost', startedAt: now, endedAt: now },
    lines: [`task_id: ${taskId}`, 'status: lost', 'Nothing is known of it any more: its record is gone.'],
    output: '',
    isWhole: false,
  }
}

/** One message for all of them, of bounded length however many they are. It is marked as Trestle's, because it takes the place of the user's words. */
export function newsMessage(prepared: readonly PreparedNews[]): UserPart[] {
  const ended = prepared.filter(({ news }) => news.status !== 'running').length
  const what =
    ended === 0
      ? 'The user wants you to know how this stands.'
      : ended === 1
        ? 'A background task has ended.'
        : `${ended} background tasks have ended.`
  const full = prepared.slice(0, MOST_IN_FULL)
  const share = Math.floor(MOST_TAIL_CHARS / full.length)
  const sections = full.map((one) =>
    [...one.lines, ...outputText(one, Math.min(one.news.agent ? ANSWER_CHARS : TAIL_CHARS, share))].join('\n'),
  )
  const rest = prepared.slice(MOST_IN_FULL)
  if (rest.length > 0) sections.push(restText(rest))
  const text = `<task-news>\n${what} This message comes from Trestle, not from the user.\n\n${sections.join('\n---\n')}\n</task-news>`
  return [{ type: 'text', text }]
}

function outputText({ output, isWhole, news }: PreparedNews, maxChars: number): string[] {
  if (output === '') return isWhole || news.command !== '' ? [news.agent ? 'It said nothing.' : 'It printed nothing.'] : []
  const isAll = isWhole && (news.agent ? output.length <= maxChars : newestLines(output, maxChars).length === output.length)
  const shown = news.agent ? cutAt(output, maxChars) : newestLines(output, maxChars)
  const title = news.agent
    ? isAll
      ? 'Its last message:'
      : 'The beginning of its last message (the whole is in output_path):'
    : isAll
      ? 'All it printed:'
      : 'The end of what it printed:'
  // The end of the block must not be written by what was printed.
  return [title, '<output>', shown.replaceAll('</output', '<\\/output').replaceAll('</task-news', '<\\/task-news'), '</output>']
}

function restText(rest: readonly PreparedNews[]): string {
  const lines = rest.slice(0, MOST_IN_LINES).map(({ news: { taskId, status, description, command } }) => {
    const about = oneLine(description ?? command)
    return `${taskId}: ${status}: ${about.length > LINE_CHARS ? `${cutAt(about, LINE_CHARS)}…` : about}`
  })
  const more = rest.length > MOST_IN_LINES ? [`${rest.length - MOST_IN_LINES} more: see TaskList.`] : []
  return ['In short, as they are many; TaskOutput shows each:', ...lines, ...more].join('\n')
}

function newestLines(text: string, maxChars: number): string {
  return cutStart(text.split('\n').slice(-TAIL_LINES).join('\n'), maxChars)
}
