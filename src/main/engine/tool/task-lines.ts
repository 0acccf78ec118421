import type { Task } from '../../../shared/model/task/task'
import { cutText } from '../../../shared/cut-text'

/** Maximum length of a command that was already shown. */
const COMMAND_CHARS = 200

/** A task as `key: value` lines, as shown by TaskList, TaskOutput, TaskStop and the notification of its end. */
export function taskLines(task: Task, { whole = false }: { whole?: boolean } = {}): string[] {
  const { taskId, status, command, description, pid, exitCode, signal, stopReason, problem, prompt, waited } = task
  const lines: [string, string | number | boolean | undefined][] = [
    ['task_id', taskId],
    ['status', status],
    ['command', oneLine(command)],
    ['description', description === undefined ? undefined : oneLine(description)],
    ['pid', pid],
    ['exit_code', status === 'running' ? undefined : exitCode],
    ['signal', status === 'running' ? undefined : signal],
    [whole ? 'stop_reason' : 'reason', status === 'stopped' ? oneLine(stopReason ?? 'not said') : undefined],
  ]
  if (whole) {
    lines.push(
      ['terminal_reason', status === 'stopped' || status === 'timed_out' ? status : undefined],
      ['timed_out', status === 'timed_out' ? true : undefined],
      ['ran_for', durationText((task.endedAt ?? Date.now()) - task.startedAt)],
      ['waits_for_input', prompt && `${oneLine(prompt.text)} (the user was asked at its terminal)`],
      [
        'waited_for_input',
        waited && !prompt ? `${oneLine(waited.text)} (${terminalInputText(waited.typed)})` : undefined,
      ],
      ['problem', problem === undefined ? undefined : oneLine(problem)],
    )
  }
  return lines.flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
}

/** Where the output is, and how to get more of it than shown. */
export function outputLines({ outputPath, newestPath, outputBytes }: Task): string[] {
  if (outputBytes === 0) return [`output_path: ${outputPath}`]
  const rotated = newestPath === undefined ? [] : [`newest_output_path: ${newestPath}`]
  const advice =
    newestPath === undefined
      ? 'For more Read output_path, about 300 lines at a time (line_offset -300 for the end).'
      : 'The log was too long: output_path has its first part, newest_output_path the newest; ' +
        'between them something is missing. For more Read them, about 300 lines at a time.'
  return [`output_path: ${outputPath}`, ...rotated, `output_bytes: ${outputBytes}`, advice]
}

export function terminalInputText(typed: boolean): string {
  return typed ? 'the user typed an answer there, which is not shown to you' : 'the user was asked and typed nothing'
}

/** A duration, such as `0.2 s`, `42 s`, `10 min`, `2 h 5 min`. */
export function durationText(ms: number): string {
  // A limit of 3 ms should not be shown as 0 s: the model probably meant seconds.
  if (ms > 0 && ms < 100) return `${Math.ceil(ms)} ms`
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1).replace(/\.0$/, '')} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The text on one line, so that a command cannot pretend to be the next field. */
export function oneLine(text: string): string {
  const cut = text.length > COMMAND_CHARS ? `${cutText(text, COMMAND_CHARS)}…` : text
  return /[\n\r]/.test(cut) ? JSON.stringify(cut) : cut
}

/** One line about a task for the user. */
export function taskSummary({ taskId, description, command }: Task): string {
  return `${oneLine(description ?? command)} (${taskId})`
}

/** A task for a card, with its command cut so that a list of a hundred stays small. */
export function shortenedTask(task: Task): Task {
  return task.command.length > COMMAND_CHARS ? { ...task, command: oneLine(task.command) } : task
}
