import { constants } from 'node:os'
import type { Task } from '../../../shared/model/task/task'
import { truncateStart } from '../task/output/output-text'
import type { TaskEnd } from '../task/task-supervisor'
import { durationText, oneLine, shortenedTask, terminalInputText } from './task-lines'
import type { ToolResult } from './tool'

/** Maximum time a call waits for its command. */
export const MAX_TIMEOUT_MS = 300_000
const CARD_CHARS = 8_000
/** Shorter durations are not worth reporting. */
const MIN_REPORTED_MS = 10_000

const TOLD_AT_THE_END =
  'You are told in a message when it ends, with its status and the end of its output; do not poll. ' +
  'To see its output before then, use TaskOutput; to end it, TaskStop.'
const TOLD_IN_THIS_TURN =
  'You are told in a message when it ends while this turn runs. Trestle runs for one turn only here: ' +
  'if you need how it ends, wait with TaskOutput and block. To end it, use TaskStop.'

/** What the model reads about a command that it started in the background. */
export function backgroundResult(task: Task, interactive: boolean, note?: string): ToolResult {
  const limit =
    task.timeoutMs === undefined
      ? 'It runs without a time limit.'
      : `It is stopped after ${durationText(task.timeoutMs)} if it still runs.`
  const text = [
    `Runs in the background.`,
    ...idLines(task),
    ...(note === undefined ? [] : [note]),
    `${limit} ${interactive ? TOLD_AT_THE_END : TOLD_IN_THIS_TURN}`,
  ].join('\n')
  return {
    content: [{ type: 'text', text }],
    details: { kind: 'task', task: shortenedTask(task), text: '', truncated: false, started: 'started' },
  }
}

/**
 * What the model reads about a command that it waited for: the output, then what the output does not show; how it ended
 * comes last.
 */
export function foregroundResult(
  end: TaskEnd,
  told: { timeoutMs: number; interactive: boolean; canAnswer: boolean },
): ToolResult {
  const { timeoutMs, interactive, canAnswer } = told
  const { task, durationMs, truncated } = end
  const output = end.text.replace(/\s+$/, '')
  const moved = task.status === 'running'
  const after = [
    ...notesOf(end, canAnswer),
    ...(moved ? movedText(end, timeoutMs, interactive) : endOf(end, timeoutMs)),
  ]
  const text = [output === '' ? noOutputText(end) : output, ...after].join('\n')
  const shown = { text: truncateStart(output, CARD_CHARS), truncated: truncated || output.length > CARD_CHARS }
  if (moved)
    return {
      content: [{ type: 'text', text }],
      details: { kind: 'task', task: shortenedTask(task), ...shown, started: 'moved' },
    }
  return {
    content: [{ type: 'text', text }],
    ...(task.status !== 'completed' && { isError: true }),
    details: {
      kind: 'output',
      taskId: task.taskId,
      command: task.command,
      ...(task.exitCode !== undefined && { exitCode: task.exitCode }),
      durationMs,
      outputPath: task.outputPath,
      ...(task.sandbox && { sandbox: task.sandbox }),
      ...shown,
    },
  }
}

function noOutputText({ task, leftRunning }: TaskEnd): string {
  if (task.status === 'running') return 'It has printed no output so far.'
  return task.status === 'completed' && leftRunning.length === 0
    ? 'The command succeeded and printed no output.'
    : 'It printed no output.'
}

function idLines({ taskId, pid, outputPath }: Task): string[] {
  return [
    `task_id: ${taskId}`,
    ...(pid === undefined ? [] : [`pid: ${pid}`]),
    'status: running',
    `output_path: ${outputPath}`,
  ]
}

function movedText({ task, moved }: TaskEnd, timeoutMs: number, interactive: boolean): string[] {
  const why =
    moved === 'at_time_limit'
      ? `It had not ended after ${durationText(timeoutMs)} and keeps running in the background.`
      : 'The user moved this command to the background, where it keeps running.'
  return [
    why,
    ...idLines(task),
    interactive ? TOLD_AT_THE_END : `${TOLD_IN_THIS_TURN} It is stopped when the turn ends.`,
  ]
}

function notesOf({ leftRunning, notes, task }: TaskEnd, canAnswer: boolean): string[] {
  const { waited } = task
  const shown = leftRunning.slice(0, 5).map(({ pid, command }) => `${pid} (${command})`)
  if (leftRunning.length > 5) shown.push(`${leftRunning.length - 5} more`)
  return [
    ...notes.map((note) => `[${note}]`),
    ...(shown.length > 0 ? [`[Still running in the background: ${shown.join(', ')}]`] : []),
    ...(waited ? [`[${waitedText(waited, canAnswer || waited.typed, task)}]`] : []),
  ]
}

/** Reports that the command asked the user at its terminal, and the outcome; never what was typed. */
function waitedText({ text, typed }: NonNullable<Task['waited']>, canAnswer: boolean, { status }: Task): string {
  const asked = `The command waited for input at its terminal, not on stdin: ${JSON.stringify(oneLine(text.trim()))}`
  if (canAnswer) return `${asked}; ${terminalInputText(typed)}.`
  const advice =
    'run it so that it does not ask (an option such as -y, --batch or --no-input; ' +
    'sudo -n; GIT_TERMINAL_PROMPT=0; ssh -o BatchMode=yes), or tell the user what to run'
  return (
    `${asked}. ` +
    `No user is available to type${status === 'timed_out' ? ', so it waited until it timed out' : ''}: ${advice}.`
  )
}

function endOf({ task, durationMs }: TaskEnd, timeoutMs: number): string[] {
  const { status, exitCode } = task
  if (status === 'lost') return [`Lost after ${durationText(durationMs)}. Check what it did before you run it again.`]
  if (status === 'stopped') return [`Stopped by the user after ${durationText(durationMs)}.`]
  if (status === 'timed_out') {
    if (task.waited) return [`Timed out: stopped after ${durationText(timeoutMs)}, with everything it had started.`]
    const longer =
      timeoutMs < MAX_TIMEOUT_MS ? `give a longer timeout (milliseconds, at most ${MAX_TIMEOUT_MS}) or ` : ''
    return [
      `Timed out: stopped after ${durationText(timeoutMs)}, with everything it had started. ` +
        `If it needs more time, ${longer}do less in one command.`,
    ]
  }
  if (status === 'failed') {
    const took = durationMs >= MIN_REPORTED_MS ? ` (after ${durationText(durationMs)})` : ''
    if (exitCode === undefined) return [`Ended by ${task.signal ?? 'a signal'}${took}.`]
    return [`Exit code ${exitCode}${meaningOf(exitCode)}${took}`]
  }
  return durationMs >= MIN_REPORTED_MS ? [`[Took ${durationText(durationMs)}]`] : []
}

/** Exit codes that the shell itself produces. */
function meaningOf(exitCode: number): string {
  if (exitCode === 126) return ' (found but cannot be executed)'
  if (exitCode === 127) return ' (command not found)'
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0]
  return signal === undefined ? '' : ` (ended by ${signal})`
}
