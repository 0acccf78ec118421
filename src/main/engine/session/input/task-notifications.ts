import type { UserPart } from '../../../../shared/model/turn/message'
import type { Task, TaskNotification, PendingNotification, TaskOutputPage } from '../../../../shared/model/task/task'
import { truncateStart } from '../../task/output/output-text'
import { truncateText } from '../../tool/truncate-result'
import { oneLine, outputLines, taskLines } from '../../tool/task-lines'
import type { TaskTail } from '../../tool/session-services'
import { CodedError } from '../../../../shared/errors'
import { PlainText } from '../../task/output/plain-text'
import type { TaskSupervisor } from '../../task/task-supervisor'

/** How much of a task's output a message shows. */
const TAIL_LINES = 20
const TAIL_CHARS = 3000
/** The same for the last message of a subagent. */
const ANSWER_CHARS = 12_000
/** The same for all tasks of one message together. */
const MAX_TAIL_CHARS = 24_000
/** This many tasks are described in full; further ones in the same message get a line each, or are only counted. */
const MAX_IN_FULL = 20
const MAX_IN_LINES = 200
const LINE_CHARS = 120

/** A task with the text of its notification. */
export interface PreparedNotification {
  news: TaskNotification
  /** Description lines, and the end of the output as plain text. */
  lines: string[]
  output: string
  /** Whether `output` is everything that the task printed. */
  isWhole: boolean
}

/** How many bytes of output to read for a notification. */
export const TAIL_BYTES = 16 * 1024

export function prepareNotification(task: Task, tail: TaskTail): PreparedNotification {
  const { taskId, status, description, exitCode, signal, stopReason, startedAt, endedAt } = task
  const news: TaskNotification = {
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
  // The output of a subagent is its last message.
  const output = task.agent ? truncateText(tail.text, ANSWER_CHARS) : newestLines(tail.text, TAIL_CHARS)
  const lost = status === 'lost' ? ['The program that ran it ended, and with it the task. Its output is kept.'] : []
  return {
    news,
    lines: [...taskLines(task, { whole: true }), ...lost, ...outputLines(task)],
    output,
    isWhole: output.length === tail.text.length && tail.shownBytes === tail.totalBytes,
  }
}

/** For a task whose record no longer exists. */
export function prepareLostNotification(taskId: string, now: number): PreparedNotification {
  return {
    news: { taskId, command: '', status: 'lost', startedAt: now, endedAt: now },
    lines: [`task_id: ${taskId}`, 'status: lost', 'Its record no longer exists.'],
    output: '',
    isWhole: false,
  }
}

/**
 * One message of bounded length for all the tasks. It says that Trestle wrote it, because it is sent in the user's
 * role.
 */
function notificationMessage(prepared: readonly PreparedNotification[]): UserPart[] {
  const ended = prepared.filter(({ news }) => news.status !== 'running').length
  const what =
    ended === 0
      ? 'The user wants you to know the status of this.'
      : ended === 1
        ? 'A background task has ended.'
        : `${ended} background tasks have ended.`
  const full = prepared.slice(0, MAX_IN_FULL)
  const share = Math.floor(MAX_TAIL_CHARS / full.length)
  const sections = full.map((one) =>
    [...one.lines, ...outputText(one, Math.min(one.news.agent ? ANSWER_CHARS : TAIL_CHARS, share))].join('\n'),
  )
  const rest = prepared.slice(MAX_IN_FULL)
  if (rest.length > 0) sections.push(summaryLines(rest))
  const text =
    `<task-news>\n${what} This message comes from Trestle, not from the user.\n\n` +
    `${sections.join('\n---\n')}\n</task-news>`
  return [{ type: 'text', text }]
}

function outputText({ output, isWhole, news }: PreparedNotification, maxChars: number): string[] {
  if (output === '')
    return isWhole || news.command !== '' ? [news.agent ? 'It returned no message.' : 'It printed no output.'] : []
  const isAll =
    isWhole && (news.agent ? output.length <= maxChars : newestLines(output, maxChars).length === output.length)
  const shown = news.agent ? truncateText(output, maxChars) : newestLines(output, maxChars)
  const title = news.agent
    ? isAll
      ? 'Its last message:'
      : 'The beginning of its last message (the whole is in output_path):'
    : isAll
      ? 'All it printed:'
      : 'The end of what it printed:'
  // Escaped so that output cannot close the block.
  return [
    title,
    '<output>',
    shown.replaceAll('</output', '<\\/output').replaceAll('</task-news', '<\\/task-news'),
    '</output>',
  ]
}

function summaryLines(rest: readonly PreparedNotification[]): string {
  const lines = rest.slice(0, MAX_IN_LINES).map(({ news: { taskId, status, description, command } }) => {
    const about = oneLine(description ?? command)
    return `${taskId}: ${status}: ${about.length > LINE_CHARS ? `${truncateText(about, LINE_CHARS)}…` : about}`
  })
  const more = rest.length > MAX_IN_LINES ? [`${rest.length - MAX_IN_LINES} more: see TaskList.`] : []
  return ['In short, as they are many; TaskOutput shows each:', ...lines, ...more].join('\n')
}

function newestLines(text: string, maxChars: number): string {
  return truncateStart(text.split('\n').slice(-TAIL_LINES).join('\n'), maxChars)
}

/** A message about tasks. They count as notified once it is recorded with its `news`. */
export interface NotificationMessage {
  parts: UserPart[]
  news: TaskNotification[]
}

/**
 * Notifications that are ready for the next step of a turn. The header lists the tasks the agent is to be notified of;
 * this holds the text.
 */
export class PreparedNotifications {
  readonly #prepared = new Map<string, PreparedNotification>()
  readonly #owed: () => readonly PendingNotification[]

  constructor(owed: () => readonly PendingNotification[]) {
    this.#owed = owed
  }

  add(prepared: PreparedNotification): void {
    this.#prepared.set(prepared.news.taskId, prepared)
  }

  /** Everything that is due, as one message; undefined when nothing is due. It stays due until it is recorded. */
  message(): NotificationMessage | undefined {
    const owed = this.#owed()
    const due = [...this.#prepared.values()].filter(({ news }) =>
      owed.some(({ taskId, now }) => taskId === news.taskId && (now === true || news.status !== 'running')),
    )
    // Drop what was sent since it was prepared.
    for (const taskId of this.#prepared.keys())
      if (!due.some(({ news }) => news.taskId === taskId)) this.#prepared.delete(taskId)
    return due.length === 0 ? undefined : { parts: notificationMessage(due), news: due.map(({ news }) => news) }
  }
}

/** The end of a task's output. Empty when the task's record no longer exists. */
export async function outputTail(
  supervisor: Pick<TaskSupervisor, 'output'>,
  { taskId }: Task,
  maxBytes: number,
): Promise<TaskTail> {
  const page = await supervisor.output(taskId, { bytes: maxBytes }).catch(ignoreTaskNotFound)
  if (!page) return { text: '', totalBytes: 0, shownBytes: 0 }
  return { text: plainPage(page), totalBytes: page.total, shownBytes: page.to - page.from }
}

function plainPage({ text, from }: TaskOutputPage): string {
  const reader = new PlainText()
  // A page may start within an escape code or a character: skip to its first whole line.
  const line = from > 0 ? text.indexOf('\n') + 1 : 0
  reader.write(text.slice(line))
  return reader.text().replace(/\s+$/, '')
}

/** Turns "there is no such task" into undefined; rethrows every other error. */
export function ignoreTaskNotFound(error: unknown): undefined {
  if (error instanceof CodedError && error.code === 'task.not_found') return undefined
  throw error
}
